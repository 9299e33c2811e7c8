// SPDX-License-Identifier: BSD-3-Clause
// Measurements in between: what all processes do at agreed counts of collective operations.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <limits>

namespace latecomer::session {

namespace detail {
// Blocking collective operations over all processes that are over, and the next count at which
// something happens. MT: such operations are ordered on each process, so no two threads are here.
extern std::atomic<std::uint64_t> collectives_done;
extern std::atomic<std::uint64_t> next_clock_point;
void reach_clock_point(std::uint64_t count);
}  // namespace detail

// Called by the wrappers of blocking collectives over all processes, recorded or not, after their
// last record: every process must count the same ones.
inline void collective_done() {
  const auto count = detail::collectives_done.load(std::memory_order_relaxed) + 1;
  detail::collectives_done.store(count, std::memory_order_relaxed);
  if (count == detail::next_clock_point.load(std::memory_order_relaxed)) [[unlikely]] {
    detail::reach_clock_point(count);
  }
}

// Begins counting; `interval` of rank 0 counts, 0: no measurements in between. Collective.
void begin_clock_points(std::int64_t interval);

// Before MPI_Finalize's own messages: completes what is still under way. Collective.
void end_clock_points();

}  // namespace latecomer::session
