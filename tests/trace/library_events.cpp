// SPDX-License-Identifier: BSD-3-Clause
// Callbacks of the OTF2 library: one small function per record type that the analysis uses.
#include "tests/trace/library_events.hpp"

#include <algorithm>
#include <array>

#include "patterns/calls/collective_class.hpp"

namespace latecomer::test {
using namespace trace;
namespace {

// Calls f(builder, time).
template <typename F>
OTF2_CallbackCode with(void* data, OTF2_TimeStamp time, F&& f) {
  auto& sink = *static_cast<EventSink*>(data);
  f(sink.builder(), sink.in_trace(time));
  return OTF2_CALLBACK_SUCCESS;
}

std::uint8_t attribute(const OTF2_AttributeList* attributes, std::uint32_t id) {
  std::uint8_t value = 0;
  if (id == kNone || !OTF2_AttributeList_TestAttributeByID(attributes, id)) return 0;
  return OTF2_AttributeList_GetUint8(attributes, id, &value) == OTF2_SUCCESS ? value : 0;
}

// The number of a persistent operation on its communicator, from 1; 0: not persistent.
std::uint32_t series_of(const LocationBuilder& builder, const OTF2_AttributeList* attributes) {
  const std::uint32_t id = builder.definitions().persistent;
  std::uint32_t number = 0;
  if (id == kNone || !OTF2_AttributeList_TestAttributeByID(attributes, id)) return 0;
  return OTF2_AttributeList_GetUint32(attributes, id, &number) == OTF2_SUCCESS ? number + 1 : 0;
}

// The value of an attribute of 64 bits; 0: not there.
std::uint64_t wide_attribute(const OTF2_AttributeList* attributes, std::uint32_t id) {
  std::uint64_t value = 0;
  if (id == kNone || !OTF2_AttributeList_TestAttributeByID(attributes, id)) return 0;
  return OTF2_AttributeList_GetUint64(attributes, id, &value) == OTF2_SUCCESS ? value : 0;
}

// True if the record belongs to a call that a filter left out.
bool is_left_out(const LocationBuilder& builder, const OTF2_AttributeList* attributes) {
  return attribute(attributes, builder.definitions().left_out) != 0;
}

// Additional data of an Alltoallv or Alltoallw from the attributes at its end.
struct Operation {
  Operation(const LocationBuilder& builder, OTF2_CollectiveOp op,
            const OTF2_AttributeList* attributes)
      : number(op < kFirstOwn ? op : kFirstOwn - 1) {
    if (op != OTF2_COLLECTIVE_OP_ALLTOALLV && op != OTF2_COLLECTIVE_OP_ALLTOALLW) return;
    const auto& definitions = builder.definitions();
    all_positive = attribute(attributes, definitions.all_positive) != 0;
    const std::uint8_t neighborhood = attribute(attributes, definitions.neighborhood);
    if (neighborhood == 0) return;
    number = static_cast<std::uint8_t>(patterns::CollectiveOperation::kNeighborhood);
    all_positive = neighborhood > 1;
  }
  // Numbers from here on are of operations that OTF2 does not have; no archive may name them.
  static constexpr auto kFirstOwn =
      static_cast<std::uint8_t>(patterns::CollectiveOperation::kNeighborhood);
  std::uint8_t number;
  bool all_positive = false;
};

#define LATECOMER_EVENT \
  OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t, void *u, OTF2_AttributeList *

OTF2_CallbackCode on_enter(LATECOMER_EVENT, OTF2_RegionRef region) {
  return with(u, t, [=](auto& b, Ticks at) { b.enter(at, region); });
}
OTF2_CallbackCode on_leave(LATECOMER_EVENT a, OTF2_RegionRef region) {
  return with(u, t, [=](auto& b, Ticks at) {
    const std::uint64_t calls = wide_attribute(a, b.definitions().calls);
    if (calls > 1) [[unlikely]]
      return b.regions.leave_row(at, region, calls, wide_attribute(a, b.definitions().call_time));
    b.leave(at, region);
  });
}
OTF2_CallbackCode on_context_enter(LATECOMER_EVENT, OTF2_CallingContextRef context,
                                   std::uint32_t distance) {
  return with(u, t, [=](auto& b, Ticks at) { b.contexts.enter(at, context, distance); });
}
OTF2_CallbackCode on_context_leave(LATECOMER_EVENT, OTF2_CallingContextRef context) {
  return with(u, t, [=](auto& b, Ticks at) { b.contexts.leave(at, context); });
}
OTF2_CallbackCode on_context_sample(LATECOMER_EVENT, OTF2_CallingContextRef context,
                                    std::uint32_t distance, OTF2_InterruptGeneratorRef generator) {
  return with(u, t, [=](auto& b, Ticks at) {
    if (b.samples.are_statistical()) {
      b.samples.sample(at, context, generator);
    } else {
      b.contexts.enter(at, context, distance);
    }
  });
}
OTF2_CallbackCode on_send(LATECOMER_EVENT, std::uint32_t to, OTF2_CommRef comm, std::uint32_t tag,
                          std::uint64_t bytes) {
  return with(u, t, [=](auto& b, Ticks at) { b.messages.send(at, to, comm, tag, bytes); });
}
OTF2_CallbackCode on_isend(LATECOMER_EVENT, std::uint32_t to, OTF2_CommRef comm, std::uint32_t tag,
                           std::uint64_t bytes, std::uint64_t request) {
  return with(u, t,
              [=](auto& b, Ticks at) { b.messages.isend(at, to, comm, tag, bytes, request); });
}
OTF2_CallbackCode on_isend_complete(LATECOMER_EVENT, std::uint64_t request) {
  return with(u, t, [=](auto& b, Ticks at) { b.messages.isend_complete(at, request); });
}
OTF2_CallbackCode on_recv(LATECOMER_EVENT, std::uint32_t from, OTF2_CommRef comm, std::uint32_t tag,
                          std::uint64_t bytes) {
  return with(u, t, [=](auto& b, Ticks at) { b.messages.receive(at, from, comm, tag, bytes); });
}
OTF2_CallbackCode on_irecv_request(LATECOMER_EVENT a, std::uint64_t request) {
  return with(
      u, t, [=](auto& b, Ticks at) { b.messages.receive_posted(at, request, is_left_out(b, a)); });
}
OTF2_CallbackCode on_irecv(LATECOMER_EVENT a, std::uint32_t from, OTF2_CommRef comm,
                           std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
  return with(u, t, [=](auto& b, Ticks at) {
    b.messages.ireceive(at, from, comm, tag, bytes, request, is_left_out(b, a));
  });
}
OTF2_CallbackCode on_cancelled(LATECOMER_EVENT, std::uint64_t request) {
  return with(u, t, [=](auto& b, Ticks at) { b.messages.request_cancelled(at, request); });
}
OTF2_CallbackCode on_collective_begin(LATECOMER_EVENT) {
  return with(u, t, [](auto& b, Ticks at) { b.collectives.begin(at); });
}
OTF2_CallbackCode on_collective_end(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t, void* u,
                                    OTF2_AttributeList* attributes, OTF2_CollectiveOp op,
                                    OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                                    std::uint64_t got) {
  return with(u, t, [=](auto& b, Ticks at) {
    const Operation operation(b, op, attributes);
    b.collectives.end(at, operation.number, comm, root, sent, got, operation.all_positive);
  });
}
OTF2_CallbackCode on_nonblocking_request(LATECOMER_EVENT a, std::uint64_t request) {
  return with(u, t, [=](auto& b, Ticks at) {
    b.collectives.nonblocking_request(at, request, is_left_out(b, a));
  });
}
OTF2_CallbackCode on_nonblocking_complete(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t,
                                          void* u, OTF2_AttributeList* attributes,
                                          OTF2_CollectiveOp op, OTF2_CommRef comm,
                                          std::uint32_t root, std::uint64_t sent, std::uint64_t got,
                                          std::uint64_t request) {
  return with(u, t, [=](auto& b, Ticks at) {
    const Operation operation(b, op, attributes);
    b.collectives.nonblocking_complete(at, operation.number, comm, root, sent, got, request,
                                       operation.all_positive, series_of(b, attributes),
                                       is_left_out(b, attributes));
  });
}
OTF2_CallbackCode on_window_end(LATECOMER_EVENT, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level,
                                OTF2_RmaWinRef win, std::uint32_t, std::uint64_t, std::uint64_t) {
  return with(u, t, [=](auto& b, Ticks at) { b.windows.collective_end(at, op, level, win); });
}
OTF2_CallbackCode on_put(LATECOMER_EVENT, OTF2_RmaWinRef win, std::uint32_t target,
                         std::uint64_t bytes, std::uint64_t matching) {
  return with(u, t, [=](auto& b, Ticks at) {
    b.windows.transfer(at, WindowEvent::Kind::kPut, win, target, bytes, 0, matching);
  });
}
OTF2_CallbackCode on_get(LATECOMER_EVENT, OTF2_RmaWinRef win, std::uint32_t target,
                         std::uint64_t bytes, std::uint64_t matching) {
  return with(u, t, [=](auto& b, Ticks at) {
    b.windows.transfer(at, WindowEvent::Kind::kGet, win, target, 0, bytes, matching);
  });
}
OTF2_CallbackCode on_atomic(LATECOMER_EVENT, OTF2_RmaWinRef win, std::uint32_t target,
                            OTF2_RmaAtomicType, std::uint64_t sent, std::uint64_t got,
                            std::uint64_t matching) {
  return with(u, t, [=](auto& b, Ticks at) {
    b.windows.transfer(at, WindowEvent::Kind::kAtomic, win, target, sent, got, matching);
  });
}
OTF2_CallbackCode on_transfer_complete(LATECOMER_EVENT, OTF2_RmaWinRef win,
                                       std::uint64_t matching) {
  return with(u, t, [=](auto& b, Ticks at) { b.windows.transfer_complete(at, win, matching); });
}
OTF2_CallbackCode on_group_sync(LATECOMER_EVENT, OTF2_RmaSyncLevel, OTF2_RmaWinRef win,
                                OTF2_GroupRef group) {
  return with(u, t, [=](auto& b, Ticks at) { b.windows.group_sync(at, win, group); });
}
OTF2_CallbackCode on_lock(LATECOMER_EVENT, OTF2_RmaWinRef win, std::uint32_t target, std::uint64_t,
                          OTF2_LockType type) {
  return with(u, t, [=](auto& b, Ticks at) {
    b.windows.lock(at, true, win, target, type == OTF2_LOCK_SHARED);
  });
}
OTF2_CallbackCode on_unlock(LATECOMER_EVENT, OTF2_RmaWinRef win, std::uint32_t target,
                            std::uint64_t) {
  return with(u, t, [=](auto& b, Ticks at) { b.windows.lock(at, false, win, target, false); });
}
OTF2_CallbackCode on_file_opened(LATECOMER_EVENT, OTF2_IoHandleRef handle, OTF2_IoAccessMode,
                                 OTF2_IoCreationFlag, OTF2_IoStatusFlag) {
  return with(u, t, [=](auto& b, Ticks at) { b.files.collective_call(at, handle); });
}
OTF2_CallbackCode on_file_closed(LATECOMER_EVENT, OTF2_IoHandleRef handle) {
  return with(u, t, [=](auto& b, Ticks at) { b.files.collective_call(at, handle); });
}
OTF2_CallbackCode on_file_begin(LATECOMER_EVENT, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                                OTF2_IoOperationFlag, std::uint64_t, std::uint64_t matching) {
  using What = FileBuilder::Operation;
  const What what = mode == OTF2_IO_OPERATION_MODE_READ    ? What::kRead
                    : mode == OTF2_IO_OPERATION_MODE_WRITE ? What::kWrite
                                                           : What::kOther;
  return with(u, t, [=](auto& b, Ticks at) { b.files.begin(at, handle, what, matching); });
}
OTF2_CallbackCode on_file_end(LATECOMER_EVENT, OTF2_IoHandleRef handle, std::uint64_t bytes,
                              std::uint64_t matching) {
  return with(u, t, [=](auto& b, Ticks at) { b.files.end(at, handle, bytes, matching); });
}
OTF2_CallbackCode on_file_cancelled(LATECOMER_EVENT, OTF2_IoHandleRef handle,
                                    std::uint64_t matching) {
  return with(u, t, [=](auto& b, Ticks at) { b.files.cancelled(at, handle, matching); });
}
OTF2_CallbackCode on_fork(LATECOMER_EVENT, OTF2_Paradigm, std::uint32_t) {
  return with(u, t, [](auto& b, Ticks at) { b.threads.fork(at); });
}
OTF2_CallbackCode on_join(LATECOMER_EVENT, OTF2_Paradigm) {
  return with(u, t, [](auto& b, Ticks at) { b.threads.join(at); });
}
OTF2_CallbackCode on_team_begin(LATECOMER_EVENT, OTF2_CommRef comm) {
  return with(u, t, [=](auto& b, Ticks at) { b.threads.team_begin(at, comm); });
}
OTF2_CallbackCode on_team_end(LATECOMER_EVENT, OTF2_CommRef comm) {
  return with(u, t, [=](auto& b, Ticks at) { b.threads.team_end(at, comm); });
}
OTF2_CallbackCode on_acquire(LATECOMER_EVENT, OTF2_Paradigm paradigm, std::uint32_t lock,
                             std::uint32_t order) {
  return with(u, t, [=](auto& b, Ticks at) { b.threads.acquire_lock(at, paradigm, lock, order); });
}
OTF2_CallbackCode on_release(LATECOMER_EVENT, OTF2_Paradigm paradigm, std::uint32_t lock,
                             std::uint32_t order) {
  return with(u, t, [=](auto& b, Ticks at) { b.threads.release_lock(at, paradigm, lock, order); });
}
OTF2_CallbackCode on_create(LATECOMER_EVENT, OTF2_CommRef, std::uint64_t number) {
  return with(u, t, [=](auto& b, Ticks at) {
    b.threads.thread(trace::ThreadEvent::Kind::kCreate, at, number);
  });
}
OTF2_CallbackCode on_begin(LATECOMER_EVENT, OTF2_CommRef, std::uint64_t number) {
  return with(u, t, [=](auto& b, Ticks at) {
    b.threads.thread(trace::ThreadEvent::Kind::kBegin, at, number);
  });
}
OTF2_CallbackCode on_wait(LATECOMER_EVENT, OTF2_CommRef, std::uint64_t number) {
  return with(u, t, [=](auto& b, Ticks at) {
    b.threads.thread(trace::ThreadEvent::Kind::kWait, at, number);
  });
}
OTF2_CallbackCode on_end(LATECOMER_EVENT, OTF2_CommRef, std::uint64_t number) {
  return with(u, t, [=](auto& b, Ticks at) {
    b.threads.thread(trace::ThreadEvent::Kind::kEnd, at, number);
  });
}
OTF2_CallbackCode on_flush(LATECOMER_EVENT, OTF2_TimeStamp stop) {
  const Ticks end = static_cast<EventSink*>(u)->in_trace(stop);
  return with(u, t, [=](auto& b, Ticks at) { b.regions.buffer_flush(at, end); });
}
OTF2_CallbackCode on_parameter(OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t, void* u,
                               OTF2_AttributeList* attributes, OTF2_ParameterRef parameter,
                               std::uint64_t count) {
  return with(u, t, [=](auto& b, Ticks at) {
    const auto& definitions = b.definitions();
    if (parameter == definitions.file_call) {
      return b.files.collective_call(
          at, static_cast<std::uint32_t>(std::min<std::uint64_t>(count, kNone)));
    }
    std::array<std::uint32_t, 4> values{};
    bool known = parameter == definitions.unrecorded;
    for (std::size_t i = 0; i < values.size() && known; ++i) {
      const std::uint32_t id = definitions.unrecorded_attributes[i];
      known = id != kNone && OTF2_AttributeList_TestAttributeByID(attributes, id) &&
              OTF2_AttributeList_GetUint32(attributes, id, &values[i]) == OTF2_SUCCESS;
    }
    if (!known) return b.regions.advance(at);
    b.unrecorded(at, static_cast<Gap::Kind>(values[0]), values[1], values[2], values[3], count);
  });
}
OTF2_CallbackCode on_recording(LATECOMER_EVENT, OTF2_MeasurementMode mode) {
  return with(u, t,
              [=](auto& b, Ticks at) { b.regions.recording(at, mode == OTF2_MEASUREMENT_ON); });
}
OTF2_CallbackCode on_program_end(LATECOMER_EVENT, std::int64_t) {
  return with(u, t, [](auto& b, Ticks at) { b.regions.program_end(at); });
}
OTF2_CallbackCode on_unknown(LATECOMER_EVENT) {
  return with(u, t, [](auto& b, Ticks at) { b.regions.unknown(at); });
}
// Handles any record that only moves the time.
template <typename... Arguments>
OTF2_CallbackCode on_other(LATECOMER_EVENT, Arguments...) {
  return with(u, t, [](auto& b, Ticks at) { b.regions.advance(at); });
}

#undef LATECOMER_EVENT

template <typename... Arguments>
using Setter = OTF2_ErrorCode (*)(OTF2_EvtReaderCallbacks*,
                                  OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp,
                                                        std::uint64_t, void*, OTF2_AttributeList*,
                                                        Arguments...));
template <typename... Arguments>
void ignore(OTF2_EvtReaderCallbacks* cb, Setter<Arguments...> set) {
  set(cb, on_other<Arguments...>);
}

// Handles the records that may be the first or last of a location: they bound its time.
void set_bounds(OTF2_EvtReaderCallbacks* cb) {
  ignore(cb, OTF2_EvtReaderCallbacks_SetProgramBeginCallback);
}

}  // namespace

void register_callbacks(OTF2_Reader* reader, OTF2_EvtReader* events, EventSink& sink) {
  OTF2_EvtReaderCallbacks* cb = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(cb, on_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(cb, on_leave);
  OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(cb, on_context_enter);
  OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(cb, on_context_leave);
  OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(cb, on_context_sample);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(cb, on_send);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(cb, on_isend);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(cb, on_isend_complete);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(cb, on_recv);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(cb, on_irecv_request);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(cb, on_irecv);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(cb, on_cancelled);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(cb, on_collective_begin);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(cb, on_collective_end);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(cb, on_nonblocking_request);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(cb, on_nonblocking_complete);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(cb, on_collective_begin);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(cb, on_window_end);
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(cb, on_put);
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(cb, on_get);
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(cb, on_atomic);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(cb, on_transfer_complete);
  OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(cb, on_group_sync);
  OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(cb, on_lock);
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(cb, on_unlock);
  OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback(cb, on_file_opened);
  OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback(cb, on_file_closed);
  OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(cb, on_file_begin);
  OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(cb, on_file_end);
  OTF2_EvtReaderCallbacks_SetIoOperationCancelledCallback(cb, on_file_cancelled);
  OTF2_EvtReaderCallbacks_SetThreadCreateCallback(cb, on_create);
  OTF2_EvtReaderCallbacks_SetThreadBeginCallback(cb, on_begin);
  OTF2_EvtReaderCallbacks_SetThreadWaitCallback(cb, on_wait);
  OTF2_EvtReaderCallbacks_SetThreadEndCallback(cb, on_end);
  OTF2_EvtReaderCallbacks_SetThreadForkCallback(cb, on_fork);
  OTF2_EvtReaderCallbacks_SetThreadJoinCallback(cb, on_join);
  OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(cb, on_team_begin);
  OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(cb, on_team_end);
  OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(cb, on_acquire);
  OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(cb, on_release);
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(cb, on_flush);
  OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(cb, on_recording);
  OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(cb, on_parameter);
  OTF2_EvtReaderCallbacks_SetProgramEndCallback(cb, on_program_end);
  OTF2_EvtReaderCallbacks_SetUnknownCallback(cb, on_unknown);
  set_bounds(cb);
  OTF2_Reader_RegisterEvtCallbacks(reader, events, cb, &sink);
  OTF2_EvtReaderCallbacks_Delete(cb);
}

}  // namespace latecomer::test
