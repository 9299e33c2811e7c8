// SPDX-License-Identifier: BSD-3-Clause
// Task Starvation: a thread finds no task while other threads of its team execute tasks.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// A task that the thread executed while it waited, in the order of time.
struct OwnTask {
  Ticks begin = 0, end = 0;
  Ticks created = 0;  // if later than the task before, the thread had none until then
};
struct Starved {  // a time without a task
  Ticks begin = 0, end = 0;
  friend bool operator==(const Starved&, const Starved&) = default;
};

// The times from `from` to `until` in which the thread had no task, and there was none for it.
// `from`: it came to a taskwait, or the last thread came to the barrier; `until`: the last task of
// another thread has ended, or the thread goes on. From the creation of a task to its begin the
// thread organizes it.
//
//   from 2, until 20      own tasks 2..5,  9..11 (created 8),  12..13 (created 1)
//   starved               5..8 and 13..20; 8..9 and 11..12 are organizing
[[nodiscard]] inline std::vector<Starved> task_starvation(Ticks from, Ticks until,
                                                          std::span<const OwnTask> own) {
  std::vector<Starved> times;
  const auto add = [&](Ticks begin, Ticks end) {
    end = std::min(end, until);
    if (begin < end) times.push_back({begin, end});
  };
  Ticks at = from;
  for (const OwnTask& task : own) {
    add(at, std::min(task.begin, task.created));
    at = std::max(at, task.end);
  }
  add(at, until);
  return times;
}

}  // namespace latecomer::patterns
