// SPDX-License-Identifier: BSD-3-Clause
// Converts the records of operations on files.
#include "tracer/convert/events/location_writer.hpp"

namespace latecomer::convert {

using record::Kind;

static_assert(record::kReadWrite == OTF2_IO_ACCESS_MODE_READ_WRITE);
static_assert(record::kExclusive == OTF2_IO_CREATION_FLAG_EXCLUSIVE);
static_assert(record::kNoSeek == OTF2_IO_CREATION_FLAG_NO_SEEK);
static_assert(record::kAppend == OTF2_IO_STATUS_FLAG_APPEND);
static_assert(record::kDeleteOnClose == OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE);
static_assert(record::kFromEnd == OTF2_IO_SEEK_FROM_END);

void LocationWriter::file_event(const Record& r) {
  const auto time = static_cast<OTF2_TimeStamp>(time_);
  if (r.kind == Kind::kFileDeleted) {
    const std::uint32_t file = map_.file(r.id);
    if (file == kNoId) {
      ++events_.mended.dropped;
      return;
    }
    return done(OTF2_EvtWriter_IoDeleteFile(writer_, nullptr, time, kMpiIo, file));
  }
  const FileTarget& handle = map_.file_handle(r.id);
  if (handle.id == kNoId) {
    ++events_.mended.dropped;
    return;
  }
  switch (r.kind) {
    case Kind::kFileOpened:
      return done(OTF2_EvtWriter_IoCreateHandle(writer_, nullptr, time, handle.id,
                                                static_cast<OTF2_IoAccessMode>(handle.mode),
                                                handle.creation, handle.status));
    case Kind::kFileClosed:
      return done(OTF2_EvtWriter_IoDestroyHandle(writer_, nullptr, time, handle.id));
    case Kind::kFileCall:
      return done(OTF2_EvtWriter_ParameterUnsignedInt(writer_, nullptr, time, kFileCallParameter,
                                                      handle.id));
    case Kind::kFileBegin:
      return done(OTF2_EvtWriter_IoOperationBegin(
          writer_, nullptr, time, handle.id, static_cast<OTF2_IoOperationMode>(r.lower()),
          r.upper(), r.words[1], r.words[2] & ~record::kSplit));
    case Kind::kFileIssued:
      return done(OTF2_EvtWriter_IoOperationIssued(writer_, nullptr, time, handle.id,
                                                   r.words[0] & ~record::kSplit));
    case Kind::kFileComplete:
      return done(OTF2_EvtWriter_IoOperationComplete(writer_, nullptr, time, handle.id, r.words[0],
                                                     r.words[1] & ~record::kSplit));
    case Kind::kFileMoved:
      return done(OTF2_EvtWriter_IoSeek(writer_, nullptr, time, handle.id,
                                        static_cast<std::int64_t>(r.words[0]),
                                        static_cast<OTF2_IoSeekOption>(r.words[1]), r.words[2]));
    default:
      return;
  }
}

}  // namespace latecomer::convert
