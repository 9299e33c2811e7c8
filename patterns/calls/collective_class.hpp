// SPDX-License-Identifier: BSD-3-Clause
// Defines collective operations and their classes, by which processes need data from which.
#pragma once

#include <cstdint>

namespace latecomer::patterns {

// The numbers are those of collective operations in trace records.
enum class CollectiveOperation : std::uint8_t {
  kBarrier = 0,
  kBcast = 1,
  kGather = 2,
  kGatherv = 3,
  kScatter = 4,
  kScatterv = 5,
  kAllgather = 6,
  kAllgatherv = 7,
  kAlltoall = 8,
  kAlltoallv = 9,
  kAlltoallw = 10,
  kAllreduce = 11,
  kReduce = 12,
  kReduceScatter = 13,
  kScan = 14,
  kExscan = 15,
  kReduceScatterBlock = 16,
  // Any operation on a neighborhood; records mark them by layout::kAttributeNeighborhood.
  kNeighborhood = 64,
  // Operations on windows of one-sided communication.
  kWindowCreate = 65,
  kWindowFree = 66,
  kFence = 67,
  // Operations on files that all processes of a communicator have opened.
  kFileOpen = 68,
  kFileClose = 69,
  kFileSync = 70,
  kFileRead = 71,  // or the first half of a split read
  kFileWrite = 72,
  kFileReadEnd = 73,
  kFileWriteEnd = 74,
  kFileSet = 75,  // sets the view, size, or another property
};

// Classes with different wait states.
enum class CollectiveClass : std::uint8_t {
  kBarrier,
  kOneToN,
  kNToOne,
  kNToN,
  kPrefix,
  kWindow,        // makes or frees a window: may synchronize
  kFence,         // may synchronize
  kFile,          // may synchronize
  kNeighborhood,  // a process needs data of those that the topology of the communicator names
  // No wait states: unknown, or the total of bytes does not show which process sends to which.
  kOther,
};

[[nodiscard]] constexpr CollectiveClass collective_class(CollectiveOperation operation) {
  using enum CollectiveOperation;
  switch (operation) {
    case kBarrier:
      return CollectiveClass::kBarrier;
    case kBcast:
    case kScatter:
    case kScatterv:
      return CollectiveClass::kOneToN;
    case kGather:
    case kGatherv:
    case kReduce:
      return CollectiveClass::kNToOne;
    case kAllgather:
    case kAllgatherv:
    case kAlltoall:
    case kAllreduce:
    case kReduceScatter:
    case kReduceScatterBlock:
      return CollectiveClass::kNToN;
    case kScan:
    case kExscan:
      return CollectiveClass::kPrefix;
    case kNeighborhood:
      return CollectiveClass::kNeighborhood;
    case kWindowCreate:
    case kWindowFree:
      return CollectiveClass::kWindow;
    case kFence:
      return CollectiveClass::kFence;
    case kFileOpen:
    case kFileClose:
    case kFileSync:
    case kFileRead:
    case kFileWrite:
    case kFileReadEnd:
    case kFileWriteEnd:
    case kFileSet:
      return CollectiveClass::kFile;
    case kAlltoallv:
    case kAlltoallw:
      break;
  }
  return CollectiveClass::kOther;
}

// The class for an operation number of a trace record. Numbers without a meaning here are kOther.
[[nodiscard]] constexpr CollectiveClass collective_class(std::uint8_t operation) {
  return collective_class(static_cast<CollectiveOperation>(operation));
}

// Alltoallv and Alltoallw are like Alltoall if every process sends to every other.
[[nodiscard]] constexpr CollectiveClass collective_class(std::uint8_t operation,
                                                         bool all_positive) {
  using enum CollectiveOperation;
  const auto named = static_cast<CollectiveOperation>(operation);
  const bool partial = named == kAlltoallv || named == kAlltoallw;
  return collective_class(partial && all_positive ? kAlltoall : named);
}

}  // namespace latecomer::patterns
