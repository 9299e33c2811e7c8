// SPDX-License-Identifier: BSD-3-Clause
// Dependencies between threads of a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/causes/sync_points.hpp"

namespace latecomer::replay {

// Adds sync points of threads. All points of one team must be added before those of the next one.
class ThreadLinks {
 public:
  explicit ThreadLinks(causes::SyncPoints& points)
      : points_(points), since_(points.mine.size(), kNever) {}

  static constexpr trace::Ticks kNever = INT64_MIN;

  // A member of a team: a hosted location and the call of its parallel region.
  struct Forked {
    std::size_t location = 0;
    std::uint32_t call = trace::kNone;
    trace::Ticks idle_since = kNever;  // since then it had nothing to do
    trace::Ticks idle_until = kNever;
  };
  // All members are in step with the one that makes the team. That one is the cause if others were
  // idle before.
  void fork(std::span<const Forked> team, std::size_t maker, trace::Ticks time);

  // A thread that is idle up to the end of the run while another one goes on alone.
  void rest(std::size_t location, std::size_t master, trace::Ticks since, trace::Ticks until);

  // A member of a team at a barrier, and what it waited there.
  struct AtBarrier {
    std::size_t location = 0;
    std::uint32_t call = trace::kNone;
    trace::Ticks wait = 0;
    std::uint32_t end = call;  // the moment at its end, if others may execute tasks there
    // It waited after the last one had come, for tasks of a member of the team.
    trace::Ticks starved = 0, starved_until = 0;
    std::size_t starved_for = 0;
    trace::Ticks calls_until = kNever;  // end of its last task with calls, which may have waits
  };
  // All members wait for the last one and are in step afterwards. Each team has its barriers in the
  // order of time.
  void barrier(std::span<const AtBarrier> team,
               patterns::WaitKind kind = patterns::WaitKind::kThreadBarrier);

  // A location waited for tasks up to `until`, and then may have executed some. `task`: the last
  // one of the other location that had ended by then; kNone: its task went on.
  void task_wait(std::size_t location, std::uint32_t call, trace::Ticks wait, trace::Ticks until,
                 std::size_t other, std::uint32_t task);

  // `holder` released the lock in its call `release`. `order`: number of holders before.
  void lock(bool of_openmp, std::size_t location, std::uint32_t call, trace::Ticks wait,
            std::size_t holder, std::uint32_t release, std::uint32_t order);

  // `waker` lets the location go on in its call `event`.
  void wake_up(patterns::WaitKind kind, std::size_t location, std::uint32_t call, trace::Ticks wait,
               std::size_t waker, std::uint32_t event);

 private:
  [[nodiscard]] trace::Call call(std::size_t location, std::uint32_t index) const {
    return points_.mine[location].calls[index];
  }
  [[nodiscard]] std::uint32_t id(std::size_t location) const {
    return points_.mine[location].location;
  }
  [[nodiscard]] std::uint32_t first_going_on(std::size_t location, trace::Ticks time) const;
  [[nodiscard]] std::uint32_t cause_call_at(const AtBarrier& cause, trace::Ticks time) const;
  [[nodiscard]] bool executes_calls(const AtBarrier& member) const;
  [[nodiscard]] bool executes_calls_before(const AtBarrier& member, trace::Ticks time) const;
  void barrier_with_tasks(std::span<const AtBarrier> team, const AtBarrier& last);

  causes::SyncPoints& points_;
  // Time of the last fork or barrier of each location.
  std::vector<trace::Ticks> since_;
};

}  // namespace latecomer::replay
