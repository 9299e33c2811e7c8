// SPDX-License-Identifier: BSD-3-Clause
// Copies events: for each type the reader's callback has the arguments of the writer's function.
#include "analyzer/trace/copy/copy_events.hpp"

#include <algorithm>

#include "analyzer/trace/definitions/otf2_records.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // old archives have such records

namespace latecomer::trace {
namespace {

// Data of the callbacks.
struct EventCopy {
  otf2::ArchiveWriter& archive;
  OTF2_EvtWriter* out;
  const NewTime& new_time;
  const NewRows& new_rows;
  CopiedEvents found = {};
  std::uint64_t last = 0;       // last time as the reader delivered it
  std::uint64_t row_begin = 0;  // that of the last record that is no sample

  // False: time goes backwards. No writer does that; the library is repeating an old buffer.
  bool take(OTF2_TimeStamp time, OTF2_TimeStamp& now) {
    if (time < last) return false;
    last = row_begin = time;
    now = new_time(time);
    found.first = std::min(found.first, now);
    found.last = std::max(found.last, now);
    return true;
  }
};

template <auto Write>
struct Copy;
template <typename... Arguments, OTF2_ErrorCode (*Write)(OTF2_EvtWriter*, OTF2_AttributeList*,
                                                         OTF2_TimeStamp, Arguments...)>
struct Copy<Write> {
  static OTF2_CallbackCode record(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                                  OTF2_AttributeList* attributes, Arguments... arguments) {
    auto& copying = *static_cast<EventCopy*>(data);
    OTF2_TimeStamp now = 0;
    if (!copying.take(time, now)) return OTF2_CALLBACK_INTERRUPT;
    copying.archive.reading(false);
    const OTF2_ErrorCode code = Write(copying.out, attributes, now, arguments...);
    copying.archive.reading(true);
    ++copying.found.copied;
    return code == OTF2_SUCCESS ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
  }
};

// Buffer flushes are the only records with a second time.
OTF2_CallbackCode copy_flush(OTF2_LocationRef location, OTF2_TimeStamp time, std::uint64_t position,
                             void* data, OTF2_AttributeList* attributes, OTF2_TimeStamp stop) {
  const OTF2_TimeStamp new_stop = static_cast<EventCopy*>(data)->new_time(stop);
  return Copy<OTF2_EvtWriter_BufferFlush>::record(location, time, position, data, attributes,
                                                  new_stop);
}

// Samples lie anywhere, also inside a row of calls.
OTF2_CallbackCode copy_sample(OTF2_LocationRef location, OTF2_TimeStamp time,
                              std::uint64_t position, void* data, OTF2_AttributeList* attributes,
                              OTF2_CallingContextRef context, std::uint32_t distance,
                              OTF2_InterruptGeneratorRef generator) {
  auto& copying = *static_cast<EventCopy*>(data);
  const OTF2_TimeStamp row_begin = copying.row_begin;
  const auto code = Copy<OTF2_EvtWriter_CallingContextSample>::record(
      location, time, position, data, attributes, context, distance, generator);
  copying.row_begin = row_begin;
  return code;
}

// Rows of calls have a leave that directly follows their enter, except for samples. Its time
// attribute is replaced.
OTF2_CallbackCode copy_leave(OTF2_LocationRef location, OTF2_TimeStamp time, std::uint64_t position,
                             void* data, OTF2_AttributeList* attributes, OTF2_RegionRef region) {
  const auto& copying = *static_cast<EventCopy*>(data);
  const NewRows& rows = copying.new_rows;
  CallRow row{static_cast<std::int64_t>(copying.row_begin), static_cast<std::int64_t>(time)};
  if (rows.calls != OTF2_UNDEFINED_ATTRIBUTE && rows.call_time != OTF2_UNDEFINED_ATTRIBUTE &&
      time >= copying.row_begin && OTF2_AttributeList_TestAttributeByID(attributes, rows.calls) &&
      OTF2_AttributeList_GetUint64(attributes, rows.calls, &row.calls) == OTF2_SUCCESS &&
      OTF2_AttributeList_GetUint64(attributes, rows.call_time, &row.time) == OTF2_SUCCESS) {
    OTF2_AttributeList_RemoveAttribute(attributes, rows.call_time);
    OTF2_AttributeList_AddUint64(attributes, rows.call_time, rows.time(row));
  }
  return Copy<OTF2_EvtWriter_Leave>::record(location, time, position, data, attributes, region);
}

OTF2_CallbackCode leave_out(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* data,
                            OTF2_AttributeList*) {
  ++static_cast<EventCopy*>(data)->found.unknown;
  return OTF2_CALLBACK_SUCCESS;
}

void register_copies(OTF2_EvtReaderCallbacks* callbacks) {
#define LATECOMER_COPY(name) \
  OTF2_EvtReaderCallbacks_Set##name##Callback(callbacks, Copy<OTF2_EvtWriter_##name>::record);
  LATECOMER_RECORDS(LATECOMER_COPY)
#undef LATECOMER_COPY
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, copy_leave);
  OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(callbacks, copy_sample);
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks, copy_flush);
  OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, leave_out);
}

}  // namespace

CopiedEvents copy_events(OTF2_Reader* reader, OTF2_EvtReader* events, std::uint64_t limit,
                         otf2::ArchiveWriter& archive, OTF2_EvtWriter* out, const NewTime& new_time,
                         const NewRows& new_rows) {
  EventCopy copying{archive, out, new_time, new_rows};
  OTF2_EvtReaderCallbacks* callbacks = OTF2_EvtReaderCallbacks_New();
  register_copies(callbacks);
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &copying);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  archive.reading(true);
  constexpr std::uint64_t kStep = 1 << 20;
  for (std::uint64_t left = limit; left > 0;) {
    const std::uint64_t wanted = std::min(left, kStep);
    std::uint64_t count = 0;
    if (OTF2_Reader_ReadLocalEvents(reader, events, wanted, &count) != OTF2_SUCCESS) break;
    if (count < wanted) break;
    left -= count;
  }
  archive.reading(false);
  return copying.found;
}

}  // namespace latecomer::trace
