// SPDX-License-Identifier: BSD-3-Clause
// Regions of constructs of OpenMP: one per construct and place of its call.
#pragma once

#include <cstdint>

#include "tracer/session/process/session.hpp"

namespace latecomer::openmp {

// Their names are kConstructWords.
enum class Construct : std::uint8_t {
  kParallel,
  kParallelLoop,
  kParallelSections,
  kImplicitBarrier,
  kBarrier,
  kLoop,
  kSections,
  kCritical,
  kCriticalBlock,
  kTask,
  kTaskWait,
  kTaskGroup,
  kOrdered,
  kSingle,
  kTaskLoop,
  kAtomic,
  kAtomicBlock,
  kDistribute,
  kWorkshare,
  kScope,
  kTarget,
  kTargetData,
  kTargetUpdate,
  kLock,
  kNestLock,
  kCount
};

// A place has several constructs. Addresses of programs leave room for their number.
inline constexpr unsigned kConstructBits = 5;
static_assert(static_cast<unsigned>(Construct::kCount) <= 1U << kConstructBits);

// A construct that the filter leaves out.
inline constexpr session::RegionId kLeftOut = record::kNoRegion;

// `always`: whatever a filter says.
session::RegionId first_sight(Construct construct, std::uintptr_t place, bool always);

// The region of a construct that is called at `place`; 0 if it is not to be recorded. `writer()` is
// not null. `always`: a filter cannot leave it out.
[[gnu::always_inline]] inline session::RegionId region_of(Construct construct, std::uintptr_t place,
                                                          bool always = false) {
  const std::uintptr_t key = place << kConstructBits | static_cast<std::uintptr_t>(construct);
  session::RegionId known = process().openmp.regions.find(key);
  if (known == user::AddressMap::kUnknown) [[unlikely]]
    known = first_sight(construct, place, always);
  return known == kLeftOut ? 0 : known;
}

}  // namespace latecomer::openmp
