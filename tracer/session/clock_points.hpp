// SPDX-License-Identifier: BSD-3-Clause
// Clock measurements during the run: all processes take part at agreed counts of collective
// operations.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <limits>

namespace latecomer::session {

namespace detail {
// Number of completed blocking collective operations over all processes, and the next count at
// which something happens. MT: such operations are ordered on each process, so no two threads are
// here.
extern std::atomic<std::uint64_t> collectives_done;
extern std::atomic<std::uint64_t> next_clock_point;
void reach_clock_point(std::uint64_t count);
}  // namespace detail

// The wrappers of blocking collectives over all processes call this after their last record,
// recorded or not: every process must count the same operations.
inline void collective_done() {
  const auto count = detail::collectives_done.load(std::memory_order_relaxed) + 1;
  detail::collectives_done.store(count, std::memory_order_relaxed);
  if (count == detail::next_clock_point.load(std::memory_order_relaxed)) [[unlikely]] {
    detail::reach_clock_point(count);
  }
}

// Begins counting. Rank 0's `interval` in nanoseconds is used; 0: no measurements during the run.
// Collective.
void begin_clock_points(std::int64_t interval);

// Called before MPI_Finalize's own messages: completes a broadcast that is in progress. Collective.
void end_clock_points();

}  // namespace latecomer::session
