// SPDX-License-Identifier: BSD-3-Clause
// Types of event records in a file, as far as the analysis uses them, and their families.
#pragma once

#include <array>
#include <cstdint>

namespace latecomer::trace {

// All types of OTF2 3.0 lie between the first and the last one. The values are those of the file
// format.
enum EventType : std::uint8_t {
  kBufferFlush = 10,
  kMeasurementOnOff = 11,
  kEnter = 12,
  kLeave = 13,
  kMpiSend = 14,
  kMpiIsend = 15,
  kMpiIsendComplete = 16,
  kMpiIrecvRequest = 17,
  kMpiRecv = 18,
  kMpiIrecv = 19,
  kMpiRequestCancelled = 21,
  kMpiCollectiveBegin = 22,
  kMpiCollectiveEnd = 23,
  kMetric = 31,
  kParameterUnsignedInt = 34,
  kRmaCollectiveBegin = 37,
  kRmaCollectiveEnd = 38,
  kRmaGroupSync = 39,
  kRmaRequestLock = 40,
  kRmaReleaseLock = 43,
  kRmaPut = 46,
  kRmaGet = 47,
  kRmaAtomic = 48,
  kRmaOpCompleteRemote = 52,
  kThreadFork = 53,
  kThreadJoin = 54,
  kThreadTeamBegin = 55,
  kThreadTeamEnd = 56,
  kThreadAcquireLock = 57,
  kThreadReleaseLock = 58,
  kThreadTaskCreate = 59,
  kThreadTaskSwitch = 60,
  kThreadCreate = 62,
  kThreadBegin = 63,
  kThreadWait = 64,
  kThreadEnd = 65,
  kCallingContextEnter = 66,
  kCallingContextLeave = 67,
  kCallingContextSample = 68,
  kIoCreateHandle = 69,
  kIoDestroyHandle = 70,
  kIoOperationBegin = 75,
  kIoOperationComplete = 78,
  kIoOperationCancelled = 79,
  kProgramBegin = 83,
  kProgramEnd = 84,
  kNonBlockingCollectiveRequest = 85,
  kNonBlockingCollectiveComplete = 86,
  kFirstEvent = kBufferFlush,
  kLastEvent = 88
};

// Each family has a builder of its own.
enum class EventFamily : std::uint8_t {
  kUnknown,  // not defined in OTF2 3.0
  kUnused,   // not used by the analysis
  kRegions,
  kMessages,
  kCollectives,
  kWindows,
  kFiles,
  kThreads,
  kContexts,
  kSamples,
  kCounters,
  kParameters,  // of our own tracer; they tell of other families
};

constexpr EventFamily family_of(std::uint8_t type) {
  constexpr auto kFamilies = [] {
    std::array<EventFamily, 256> families{};
    for (unsigned t = kFirstEvent; t <= kLastEvent; ++t) families[t] = EventFamily::kUnused;
    const auto set = [&](EventFamily family, auto... types) { ((families[types] = family), ...); };
    set(EventFamily::kRegions, kEnter, kLeave, kBufferFlush, kMeasurementOnOff, kProgramBegin,
        kProgramEnd);
    set(EventFamily::kMessages, kMpiSend, kMpiIsend, kMpiIsendComplete, kMpiIrecvRequest, kMpiRecv,
        kMpiIrecv, kMpiRequestCancelled);
    set(EventFamily::kCollectives, kMpiCollectiveBegin, kMpiCollectiveEnd,
        kNonBlockingCollectiveRequest, kNonBlockingCollectiveComplete);
    set(EventFamily::kWindows, kRmaCollectiveBegin, kRmaCollectiveEnd, kRmaGroupSync,
        kRmaRequestLock, kRmaReleaseLock, kRmaPut, kRmaGet, kRmaAtomic, kRmaOpCompleteRemote);
    set(EventFamily::kFiles, kIoCreateHandle, kIoDestroyHandle, kIoOperationBegin,
        kIoOperationComplete, kIoOperationCancelled);
    set(EventFamily::kThreads, kThreadFork, kThreadJoin, kThreadTeamBegin, kThreadTeamEnd,
        kThreadAcquireLock, kThreadReleaseLock, kThreadTaskCreate, kThreadTaskSwitch, kThreadCreate,
        kThreadBegin, kThreadWait, kThreadEnd);
    set(EventFamily::kContexts, kCallingContextEnter, kCallingContextLeave);
    set(EventFamily::kSamples, kCallingContextSample);
    set(EventFamily::kCounters, kMetric);
    set(EventFamily::kParameters, kParameterUnsignedInt);
    return families;
  }();
  return kFamilies[type];
}

}  // namespace latecomer::trace
