// SPDX-License-Identifier: BSD-3-Clause
// Parts of the computing time of a call path on a location: on a core, or why not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/attribution/computation/computation_shares.hpp"
#include "analyzer/attribution/computation/instruction_shares.hpp"
#include "analyzer/booking/booking.hpp"

namespace latecomer::replay {

// Parts of the computing time of hosted locations in a sampled run, by call path. Make it before
// the shares of samples are moved.
class ComputationParts {
 public:
  // kTime is the sum. The rest, which is neither on a core, preempted nor blocked, has no samples:
  // the thread was in the kernel, or without a core. kInKernel is a part of kOn. kFaults are page
  // faults. kInstructions are those outside of the kernel, 0 if they were not counted.
  enum Part : std::size_t {
    kTime,
    kOn,
    kPreempted,
    kBlocked,
    kInKernel,
    kFaults,
    kInstructions,
    kParts
  };
  using Values = std::array<std::int64_t, kParts>;  // ticks; kFaults, kInstructions: their number

  // The instructions and their time, if they were counted.
  [[nodiscard]] static Instructions instructions(const Values& parts) {
    if (parts[kInstructions] <= 0) return {};
    return {1, parts[kInstructions], parts[kOn] - parts[kInKernel]};
  }

  ComputationParts(const Booking& booking, const ComputationShares& shares);

  // False also for a location that may not have been sampled, which cannot be compared.
  [[nodiscard]] bool computes(std::size_t location, std::uint32_t call_path) const {
    return (!booking_.mine[location].sampled.empty() || is_surely_sampled(location)) &&
           booking_.value(computation_, location, call_path) > 0;
  }
  [[nodiscard]] Values at(std::size_t location, std::uint32_t call_path) const;

 private:
  struct Sampled {
    trace::Ticks on = 0, in_kernel = 0;
  };

  // Only the first thread of a process says that it could not be sampled. Later ones may lack
  // memory for samples.
  [[nodiscard]] bool is_surely_sampled(std::size_t location) const {
    return all_are_sampled_ &&
           booking_.definitions.locations[booking_.mine[location].location].thread == 0;
  }

  const Booking& booking_;
  MetricId computation_, instructions_;  // kNone: not counted
  bool all_are_sampled_;                 // a short run may still have locations without a sample
  std::vector<std::unordered_map<std::uint32_t, Sampled>> sampled_;  // by location and call path
  double shortest_period_ = 0;  // ticks; 0: no sample stands for a time
};

}  // namespace latecomer::replay
