// SPDX-License-Identifier: BSD-3-Clause
// Sorts steps of the ideal replay by the calls of a location that they belong to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/engine/step_replay.hpp"
#include "analyzer/memory/large_pages.hpp"

namespace latecomer::replay {

// A step, and the call that it belongs to.
struct StepOfCall {
  std::uint32_t call = 0;
  engine::Step step;
};

// The steps of a range of calls, which are found kind by kind. In a call sends come first, then
// steps that others need, then its needs. Steps of one kind keep the order in which they were
// added.
class StepsByCall {
 public:
  void start(std::uint32_t first, std::uint32_t end) {
    first_ = first;
    end_ = end;
    next_.assign(end - first, 0);
    sends_.clear();
    given_.clear();
    needed_.clear();
  }
  [[nodiscard]] std::uint32_t end() const { return end_; }
  void add_send(std::uint32_t call) {  // must be added in the order of calls
    sends_.push_back(call);
    ++next_[call - first_];
  }
  void add_given(std::uint32_t call, engine::Step step) { add(given_, {call, step}); }
  void add_needed(std::uint32_t call, engine::Step step) { add(needed_, {call, step}); }
  // Appends the steps to `out`. `work(call)` returns the location's own time since the last call it
  // was asked for; it is asked for calls that have steps.
  template <typename Work>
  void take(Work&& work, memory::Vector<engine::Step>& out);
  // Calls f(call, sends, given, needed) for each call that has steps: how many sends, and lists of
  // StepOfCall.
  template <typename F>
  void for_each_call(F&& f);

 private:
  void add(memory::Vector<StepOfCall>& to, StepOfCall one) {
    to.push_back(one);
    ++next_[one.call - first_];
  }
  std::uint32_t first_ = 0, end_ = 0;
  memory::Vector<std::uint32_t> sends_;  // calls of the sends
  memory::Vector<StepOfCall> given_, needed_;
  memory::Vector<std::size_t> next_;  // by call: number of steps, then position of the next one
};

template <typename Work>
void StepsByCall::take(Work&& work, memory::Vector<engine::Step>& out) {
  using engine::Step;
  std::size_t at = out.size();
  out.resize(at + sends_.size() + 2 * (given_.size() + needed_.size()));
  const std::uint32_t first = first_, count = end_ - first;
  std::size_t* const next = next_.data();
  const std::uint32_t *send = sends_.data(), *const last_send = send + sends_.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t steps = next[i];
    if (steps == 0) continue;
    const std::uint32_t call = first + i;
    trace::Ticks ticks = work(call);
    for (; ticks > Step::kMostTicks; ticks -= Step::kMostTicks) {
      out.emplace_back();
      out[at++] = Step::work(Step::kMostTicks);
    }
    const std::size_t end = at + steps;
    for (; send != last_send && *send == call; ++send) {
      out[at++] = Step::send(std::exchange(ticks, 0));
    }
    const bool works = ticks > 0;
    if (works) out[at++] = Step::work(ticks);
    next[i] = at;
    at = end + (works ? 1 : 0);
  }
  for (const auto* list : {&given_, &needed_}) {
    for (const auto& [call, step] : *list) out[next[call - first]++] = step;
  }
  out.resize(at);
}

template <typename F>
void StepsByCall::for_each_call(F&& f) {
  const auto by_call = [](const StepOfCall& a, const StepOfCall& b) { return a.call < b.call; };
  std::ranges::stable_sort(given_, by_call);
  std::ranges::stable_sort(needed_, by_call);
  auto send = sends_.begin();
  auto given = given_.begin(), needed = needed_.begin();
  // The steps of a call are the next ones of each list.
  const auto of = [](auto& at, const auto& list, std::uint32_t call) {
    const auto begin = at;
    while (at != list.end() && at->call == call) ++at;
    return std::span<const StepOfCall>(begin, at);
  };
  for (std::uint32_t i = 0; i < end_ - first_; ++i) {
    if (next_[i] == 0) continue;
    const std::uint32_t call = first_ + i;
    const auto first_send = send;
    while (send != sends_.end() && *send == call) ++send;
    const auto gives = of(given, given_, call);
    f(call, static_cast<std::size_t>(send - first_send), gives, of(needed, needed_, call));
  }
}

// Steps of calls that belong to later portions.
class LaterSteps {
 public:
  void add(std::uint32_t call, engine::Step step) {
    in_order_ = in_order_ && (steps_.empty() || steps_.back().call <= call);
    steps_.push_back({call, step});
  }
  // Calls f(call, step) for the steps before call `end` and removes them. Steps of one call keep
  // the order in which they were added.
  template <typename F>
  void take(std::uint32_t end, F&& f) {
    if (!in_order_) std::stable_sort(first(), steps_.end(), by_call);
    in_order_ = true;
    for (; taken_ < steps_.size() && steps_[taken_].call < end; ++taken_) {
      f(steps_[taken_].call, steps_[taken_].step);
    }
    if (taken_ <= steps_.size() / 2) return;
    steps_.erase(steps_.begin(), first());
    taken_ = 0;
  }

 private:
  static bool by_call(const StepOfCall& a, const StepOfCall& b) { return a.call < b.call; }
  [[nodiscard]] memory::Vector<StepOfCall>::iterator first() {
    return steps_.begin() + static_cast<std::ptrdiff_t>(taken_);
  }
  memory::Vector<StepOfCall> steps_;
  std::size_t taken_ = 0;
  bool in_order_ = true;
};

}  // namespace latecomer::replay
