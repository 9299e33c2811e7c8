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
  // The next task was created so many ticks ago, when the thread had none.
  void task_awaited(Ticks t, std::uint64_t ago);
  // A region that organizes threads was entered; one whose leave counts was left.
  void enter_construct(Ticks t, patterns::ThreadConstruct construct);
  void leave_construct(const Frame& frame, Ticks t);

  [[nodiscard]] ThreadEvents finish() { return std::move(out_); }

 private:
  ThreadEvent& add(ThreadEvent::Kind kind, Ticks t);
  std::uint32_t open_call();
  std::uint32_t moment(Ticks t);
  std::uint32_t last_call_of(const Frame& frame, Ticks t, bool always);
  void leave_task(const Frame& frame, Ticks t);
  bool take_thread(Event& event);
  bool take_task(Event& event);

  // A barrier or a wait for tasks in which the thread is.
  struct OpenWait {
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
  std::vector<OpenWait> open_waits_;
  // The tasks in which the thread is, and the one that it begins next.
  TaskVisit next_task_;
  std::vector<TaskVisit> open_tasks_;
};

}  // namespace latecomer::trace
