// SPDX-License-Identifier: BSD-3-Clause
// Converts the records of operations on files outside MPI.
#include "tracer/convert/events/extended_records.hpp"

namespace latecomer::convert {
namespace {

// Writes begin and end of an operation. It is the whole call, whose enter is the previous event.
// The thread's number distinguishes operations of several threads at the same time.
void operation(EventOutput& out, const record::Record& r, std::uint32_t handle) {
  const auto mode = static_cast<OTF2_IoOperationMode>(r.words[0] >> 32 & 0xff);
  const std::uint64_t thread = r.words[0] >> 40;
  out.done(OTF2_EvtWriter_IoOperationBegin(out.writer, nullptr, out.before, handle, mode,
                                           OTF2_IO_OPERATION_FLAG_NONE, r.words[1], thread));
  out.done(OTF2_EvtWriter_IoOperationComplete(out.writer, nullptr, out.time, handle, r.words[2],
                                              thread));
}

}  // namespace

bool convert_file(EventOutput& out, const record::Record& r) {
  if (r.length() == 0) return false;
  const FileTarget& target = out.map.descriptor(r.words[0] & 0xffffffff);
  if (target.id == kNoId) return false;
  if (r.extended() == record::kFileCreated) {
    out.done(OTF2_EvtWriter_IoCreateHandle(out.writer, nullptr, out.time, target.id,
                                           static_cast<OTF2_IoAccessMode>(target.mode),
                                           target.creation, target.status));
    return true;
  }
  if (r.extended() == record::kFileDestroyed) {
    out.done(OTF2_EvtWriter_IoDestroyHandle(out.writer, nullptr, out.time, target.id));
    return true;
  }
  if (r.length() != 3) return false;
  if (r.extended() == record::kFileOperated) {
    if ((r.words[0] >> 32 & 0xff) > OTF2_IO_OPERATION_MODE_FLUSH) return false;
    operation(out, r, target.id);
    ++out.file_operations;
    return true;
  }
  if (r.extended() == record::kFileSought) {
    if (r.words[0] >> 32 > OTF2_IO_SEEK_HOLE) return false;
    out.done(OTF2_EvtWriter_IoSeek(out.writer, nullptr, out.time, target.id,
                                   static_cast<std::int64_t>(r.words[1]),
                                   static_cast<OTF2_IoSeekOption>(r.words[0] >> 32), r.words[2]));
    return true;
  }
  return false;
}

}  // namespace latecomer::convert
