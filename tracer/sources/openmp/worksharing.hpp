// SPDX-License-Identifier: BSD-3-Clause
// Begin and end of what a thread shares with its team in programs of GCC: loops, sections,
// `single`. A thread has at most one of them open; loops that are a whole parallel region have an
// end only.
#pragma once

#include <cstdint>
#include <utility>

#include "tracer/sources/openmp/team.hpp"

namespace latecomer::openmp {

// Takes note that a `single` ends here at the latest. Returns whether it ended here.
inline bool end_single() {
  session::detail::ThreadState& t = session::detail::thread_state;
  SinglePlace* const single = std::exchange(t.single, nullptr);
  if (single == nullptr) return false;
  const record::Ticks since = std::exchange(t.single_since, 0);
  if (since != 0) single->note(session::now() - since);
  return single->ends_at_next();
}

// Leaves what is open.
[[gnu::always_inline]] inline void end_work() {
  session::detail::ThreadState& t = session::detail::thread_state;
  if (t.single != nullptr) end_single();
  const RegionId region = std::exchange(t.worksharing, 0);
  if (region == 0) return;
  ThreadWriter* const w = member_writer();
  if (w != nullptr) w->leave(region, session::now());
}

[[gnu::always_inline]] inline void begin_work(Construct construct, std::uintptr_t place) {
  ThreadWriter* const w = worker_writer();
  if (w == nullptr) return;
  const RegionId region = region_of(construct, place);
  if (region == 0) return;
  if (session::detail::thread_state.single != nullptr) end_work();
  enter(*w, region);
  session::detail::thread_state.worksharing = region;
}

// The barrier at the end belongs to the construct, which ends with it.
template <typename Call>
[[gnu::always_inline]] inline void end_with_barrier(std::uintptr_t place, Call&& call) {
  ThreadWriter* w = member_writer();
  const RegionId barrier = w == nullptr ? 0 : region_of(Construct::kImplicitBarrier, place);
  session::detail::ThreadState& t = session::detail::thread_state;
  if (barrier == 0 || t.worksharing == 0 || t.single != nullptr) {
    around(w, barrier, call);
    return end_work();
  }
  if (t.paths != nullptr) w->call_path(t.team_path);
  w->work_barrier(t.worksharing, barrier, session::now());
  call();
  w = session::writer();
  const RegionId region = std::exchange(t.worksharing, 0);
  if (w == nullptr || region == 0) return;
  const record::Ticks now = session::now();
  w->work_barrier_left(region, barrier, now);
  w->work_left(region, barrier, now);
}

// A barrier of the program, or that of a `single`.
template <typename Call>
[[gnu::always_inline]] inline void at_barrier(std::uintptr_t place, Call&& call) {
  ThreadWriter* const w = member_writer();
  if (w == nullptr) return call();
  Construct construct = Construct::kBarrier;
  session::detail::ThreadState& t = session::detail::thread_state;
  if (t.single != nullptr) [[unlikely]] {
    if (end_single()) construct = Construct::kImplicitBarrier;
    end_work();
  }
  around(w, region_of(construct, place), call);
}

}  // namespace latecomer::openmp
