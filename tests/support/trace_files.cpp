// SPDX-License-Identifier: BSD-3-Clause
// The collective calls on files of the trace builder.
#include <stdexcept>

#include "tests/support/trace_builder.hpp"

namespace latecomer::test {
namespace {

OTF2_IoOperationMode mode_of(std::string_view function) {
  if (function.starts_with("MPI_File_read")) return OTF2_IO_OPERATION_MODE_READ;
  if (function.starts_with("MPI_File_write")) return OTF2_IO_OPERATION_MODE_WRITE;
  return OTF2_IO_OPERATION_MODE_FLUSH;
}

}  // namespace

File TraceBuilder::file(Comm comm) {
  model_.files = true;
  model_.shared_files.push_back(comm.id);
  return {kFirstSharedFile + static_cast<std::uint32_t>(model_.shared_files.size() - 1), comm};
}

TraceBuilder& TraceBuilder::file_call(std::string_view function, File file,
                                      std::initializer_list<Span> spans) {
  const std::vector<std::uint32_t> members = model_.communicators.at(file.comm.id).members;
  if (spans.size() != members.size()) {
    throw std::logic_error("trace script: one span per rank of the file, please");
  }
  constexpr std::uint64_t kBytes = 8, kMatching = 1;
  const bool begins = function.ends_with("_begin"), ends = function.ends_with("_end");
  const OTF2_IoOperationMode mode = mode_of(function);
  const OTF2_IoOperationFlag flags =
      OTF2_IO_OPERATION_FLAG_COLLECTIVE | (begins ? OTF2_IO_OPERATION_FLAG_NON_BLOCKING : 0);
  const std::uint32_t id = file.id;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Span span = spans.begin()[i];
    if (span.absent) continue;
    Call own;
    own.at = span.enter;
    own.leave = span.leave;
    const Place who(static_cast<int>(members[i]));
    add_region(who, function, own, [&](Ticks begin, Ticks end) {
      if (function == "MPI_File_open") {
        return put(who, end, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
          OTF2_EvtWriter_IoCreateHandle(w, nullptr, t, id, OTF2_IO_ACCESS_MODE_READ_WRITE,
                                        OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE);
        });
      }
      if (function == "MPI_File_close") {
        return put(who, begin, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
          OTF2_EvtWriter_IoDestroyHandle(w, nullptr, t, id);
        });
      }
      if (function.find("_set_") != std::string_view::npos) {
        return put(who, end, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
          OTF2_EvtWriter_ParameterUnsignedInt(w, nullptr, t, kFileCallParameter, id);
        });
      }
      if (!ends) {
        put(who, begin, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
          OTF2_EvtWriter_IoOperationBegin(w, nullptr, t, id, mode, flags, kBytes, kMatching);
        });
      }
      put(who, end, [=](OTF2_EvtWriter* w, OTF2_TimeStamp t) {
        if (begins) {
          OTF2_EvtWriter_IoOperationIssued(w, nullptr, t, id, kMatching);
        } else {
          OTF2_EvtWriter_IoOperationComplete(w, nullptr, t, id, kBytes, kMatching);
        }
      });
    });
  }
  return *this;
}

}  // namespace latecomer::test
