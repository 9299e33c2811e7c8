// SPDX-License-Identifier: BSD-3-Clause
// Threads of a team wait for tasks of each other, at a barrier or a taskwait.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// When the tasks of a process were created, as far as the trace names them.
class TaskCreations {
 public:
  void add(const trace::LocationEvents& events);
  void sort() { std::ranges::sort(all_, {}, key_of); }
  // TaskVisit::kUnknown: not known. A name may come again for a later task.
  [[nodiscard]] trace::Ticks of(const trace::LocationEvents& events, const trace::TaskVisit& task,
                                trace::Ticks begin) const;

 private:
  static std::pair<trace::TaskName, trace::Ticks> key_of(const trace::TaskCreation& one) {
    return {one.name, one.time};
  }
  std::vector<trace::TaskCreation> all_;
};

// A task of a thread that is not part of another task in the same time.
struct OuterTask {
  trace::Ticks begin = 0, end = 0, created = 0;
  bool has_calls = false;  // in which it may have waited
};
using OuterTasks = std::vector<OuterTask>;  // in the order of time

// Tasks that the location executed from `from` to `to`, as a whole.
[[nodiscard]] OuterTasks tasks_in(const trace::LocationEvents& events,
                                  const TaskCreations& creations, trace::Ticks from,
                                  trace::Ticks to);
// The last call of the task that ended last, in (from, to]; kNone: none did.
[[nodiscard]] std::uint32_t last_task_in(const trace::LocationEvents& events, trace::Ticks from,
                                         trace::Ticks to);

// Sum of the parts of the tasks that lie in [from, to).
[[nodiscard]] trace::Ticks time_in(std::span<const OuterTask> tasks, trace::Ticks from,
                                   trace::Ticks to);

// The end of the last one with calls; INT64_MIN: there is none.
[[nodiscard]] trace::Ticks end_of_calls(std::span<const OuterTask> tasks);

struct TaskWait {
  trace::Ticks time = 0;
  trace::Ticks begin = 0, end = 0;  // of all its parts
  std::size_t cause = 0;            // the thread that executed tasks longest meanwhile
};
// The wait of thread `self`, which executed `own`, from `from` to `until`, when the last task of
// the others has ended. `tasks`: those of all threads. It is at most `most`.
[[nodiscard]] TaskWait task_wait(std::span<const OuterTasks> tasks, std::size_t self,
                                 std::span<const OuterTask> own, trace::Ticks from,
                                 trace::Ticks until, trace::Ticks most);

}  // namespace latecomer::replay
