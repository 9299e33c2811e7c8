// SPDX-License-Identifier: BSD-3-Clause
// Which threads of a process depended on each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/causes/sync_points.hpp"

namespace latecomer::replay {

// Tells the sync points of threads. All that has to do with one team is told before what has to do
// with the next one.
class ThreadLinks {
 public:
  explicit ThreadLinks(causes::SyncPoints& points)
      : points_(points), since_(points.mine.size(), kNever) {}

  static constexpr trace::Ticks kNever = INT64_MIN;

  // A member of a team; a hosted location, and the Call of its parallel region.
  struct Forked {
    std::size_t location = 0;
    std::uint32_t call = trace::kNone;
    trace::Ticks idle_since = kNever;  // it had nothing to do since then
    trace::Ticks idle_until = kNever;
  };
  // All are in step with the one that makes the team, which is the cause if others idled before.
  void fork(std::span<const Forked> team, std::size_t maker, trace::Ticks time);

  // A thread that idles up to the end of the run while another one goes on alone.
  void rest(std::size_t location, std::size_t master, trace::Ticks since, trace::Ticks until);

  struct AtBarrier {
    std::size_t location = 0;
    std::uint32_t call = trace::kNone;
    trace::Ticks wait = 0;
  };
  // All wait for the last one, and are in step afterwards.
  void barrier(std::span<const AtBarrier> team);

  // `holder` gave the lock back in its call `release`; there were `order` holders before.
  void lock(bool of_openmp, std::size_t location, std::uint32_t call, trace::Ticks wait,
            std::size_t holder, std::uint32_t release, std::uint32_t order);

 private:
  [[nodiscard]] trace::Call call(std::size_t location, std::uint32_t index) const {
    return points_.mine[location].calls[index];
  }
  [[nodiscard]] std::uint32_t id(std::size_t location) const {
    return points_.mine[location].location;
  }
  [[nodiscard]] bool executes_calls(const AtBarrier& member) const;

  causes::SyncPoints& points_;
  // When a location last was at a fork or barrier.
  std::vector<trace::Ticks> since_;
};

}  // namespace latecomer::replay
