// SPDX-License-Identifier: BSD-3-Clause
// Collects teams of threads, their barriers and locks, which few traces have.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/trace/definitions/teams.hpp"
#include "analyzer/trace/events/core/region_builder.hpp"
#include "analyzer/trace/events/threads/thread_events.hpp"

namespace latecomer::trace {

// Teams and locks are identified by ids of the archive.
class ThreadBuilder {
 public:
  // `teams` is shared by all locations of a process. Without it threads stay at the root.
  ThreadBuilder(RegionBuilder& regions, Teams* teams) : regions_(regions), teams_(teams) {}

  // Handles an event of this family. False: a field is missing.
  bool take(Event& event);

  void fork(Ticks t);
  void join(Ticks t);
  void team_begin(Ticks t, std::uint32_t comm);
  void team_end(Ticks t, std::uint32_t comm);
  void acquire_lock(Ticks t, std::uint32_t paradigm, std::uint32_t lock, std::uint32_t order);
  void release_lock(Ticks t, std::uint32_t paradigm, std::uint32_t lock, std::uint32_t order);
  // POSIX threads.
  void thread(ThreadEvent::Kind kind, Ticks t, std::uint64_t number);
  // `value`: object | number << 32
  void wake_up(ThreadEvent::Kind kind, Ticks t, std::uint64_t value);
  // A region that organizes threads was entered; the innermost barrier was left.
  void enter_construct(Ticks t, patterns::ThreadConstruct construct);
  void leave_barrier(const Frame& frame, Ticks t);

  [[nodiscard]] ThreadEvents finish() { return std::move(out_); }

 private:
  ThreadEvent& add(ThreadEvent::Kind kind, Ticks t);
  std::uint32_t open_call();
  std::uint32_t moment(Ticks t);
  bool take_thread(Event& event);

  // A barrier in which the thread is.
  struct OpenBarrier {
    std::uint32_t event = 0;  // index in thread_events
    Ticks before = 0;         // exclusive time of its call path when it was entered
  };
  RegionBuilder& regions_;
  ThreadEvents out_;
  Teams* teams_;
  bool forked_ = false;                                 // forked, and its team has not begun yet
  std::map<std::uint32_t, std::uint32_t> team_counts_;  // per communicator
  // Frames below the one that a team opened; kNone: it opened none.
  std::vector<std::uint32_t> open_teams_;
  std::vector<OpenBarrier> open_barriers_;
};

}  // namespace latecomer::trace
