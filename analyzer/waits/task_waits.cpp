// SPDX-License-Identifier: BSD-3-Clause
// Finds tasks by their ends, since that is the order in which they are kept.
#include "analyzer/waits/task_waits.hpp"

#include <algorithm>
#include <iterator>

#include "analyzer/trace/definitions/definitions.hpp"
#include "patterns/waits/task_starvation.hpp"

namespace latecomer::replay {

using trace::kNone;
using trace::LocationEvents;
using trace::TaskVisit;
using trace::Ticks;

namespace {

Ticks end_of(const LocationEvents& events, const TaskVisit& task) {
  return events.calls[task.last].leave;
}

// Number of tasks that ended up to this time.
std::size_t ended_by(const LocationEvents& events, Ticks time) {
  const auto after = std::ranges::upper_bound(
      events.tasks, time, {}, [&](const TaskVisit& task) { return end_of(events, task); });
  return static_cast<std::size_t>(after - events.tasks.begin());
}

}  // namespace

void TaskCreations::add(const LocationEvents& events) {
  all_.insert(all_.end(), events.task_creations.begin(), events.task_creations.end());
}

Ticks TaskCreations::of(const LocationEvents& events, const TaskVisit& task, Ticks begin) const {
  if (task.name == kNone || all_.empty()) return task.created;
  const auto& name = events.task_names[task.name];
  const auto after = std::ranges::upper_bound(all_, std::pair(name, begin), {}, key_of);
  if (after == all_.begin() || std::prev(after)->name != name) return TaskVisit::kUnknown;
  return std::prev(after)->time;
}

// It looks from the last task back: tasks that ended after the begin of one are inside of it.
OuterTasks tasks_in(const LocationEvents& events, const TaskCreations& creations, Ticks from,
                    Ticks to) {
  OuterTasks out;
  for (auto i = ended_by(events, to); i > 0;) {
    const auto& task = events.tasks[i - 1];
    const Ticks begin = events.calls[task.call].enter;
    if (begin < from) break;
    out.push_back(
        {begin, end_of(events, task), creations.of(events, task, begin), task.last != task.call});
    // Tasks without length may be at the begin.
    i = std::min(i - 1, ended_by(events, begin));
  }
  std::ranges::reverse(out);
  return out;
}

std::uint32_t last_task_in(const LocationEvents& events, Ticks from, Ticks to) {
  const auto ended = ended_by(events, to);
  if (ended == 0 || end_of(events, events.tasks[ended - 1]) <= from) return kNone;
  return events.tasks[ended - 1].last;
}

Ticks time_in(std::span<const OuterTask> tasks, Ticks from, Ticks to) {
  Ticks sum = 0;
  for (auto task = std::ranges::upper_bound(tasks, from, {}, &OuterTask::end);
       task != tasks.end() && task->begin < to; ++task) {
    sum += std::max<Ticks>(0, std::min(task->end, to) - std::max(task->begin, from));
  }
  return sum;
}

Ticks end_of_calls(std::span<const OuterTask> tasks) {
  Ticks end = INT64_MIN;
  for (const auto& task : tasks) {
    if (task.has_calls) end = std::max(end, task.end);
  }
  return end;
}

TaskWait task_wait(std::span<const OuterTasks> tasks, std::size_t self,
                   std::span<const OuterTask> own, Ticks from, Ticks until, Ticks most) {
  std::vector<patterns::OwnTask> executed;
  for (const auto& task : own) executed.push_back({task.begin, task.end, task.created});
  const auto starved = patterns::task_starvation(from, until, executed);
  TaskWait wait;
  if (starved.empty()) return wait;
  wait.begin = starved.front().begin;
  wait.end = starved.back().end;
  for (const auto& [begin, end] : starved) wait.time += end - begin;
  Ticks longest = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (i == self) continue;
    Ticks time = 0;
    for (const auto& [begin, end] : starved) time += time_in(tasks[i], begin, end);
    if (time > longest) {
      longest = time;
      wait.cause = i;
    }
  }
  wait.time = longest == 0 ? 0 : std::clamp<Ticks>(wait.time, 0, std::max<Ticks>(0, most));
  return wait;
}

}  // namespace latecomer::replay
