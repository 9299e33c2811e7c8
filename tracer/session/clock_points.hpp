// SPDX-License-Identifier: BSD-3-Clause
// Clock measurements during the run: all processes take part at agreed counts of collective
// operations.
#pragma once

#include <cstdint>

#include "tracer/state/process.hpp"

namespace latecomer::session {

namespace detail {
void reach_clock_point(std::uint64_t count);
}  // namespace detail

// The wrappers of blocking collectives over all processes call this after their last record,
// recorded or not: every process must count the same operations.
inline void collective_done() {
  ClockPointState& state = process().clock_points;
  const auto count = state.collectives_done.load(std::memory_order_relaxed) + 1;
  state.collectives_done.store(count, std::memory_order_relaxed);
  if (count == state.next.load(std::memory_order_relaxed)) [[unlikely]] {
    detail::reach_clock_point(count);
  }
}

// Begins counting. Rank 0's `interval` in nanoseconds is used; 0: no measurements during the run.
// Collective.
void begin_clock_points(std::int64_t interval);

// Called before MPI_Finalize's own messages: completes a broadcast that is in progress. Collective.
void end_clock_points();

}  // namespace latecomer::session
