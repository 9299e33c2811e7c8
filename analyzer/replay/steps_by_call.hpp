// SPDX-License-Identifier: BSD-3-Clause
// Steps of the ideal replay that belong to calls of a location, put into the order of the calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/causes/ideal_replay.hpp"
#include "analyzer/memory/large_pages.hpp"

namespace latecomer::replay {

struct StepOfCall {
  std::uint32_t call = 0;
  causes::Step step;
};

// Those of a range of calls, found kind by kind. In a call sends come first, then what it gives to
// others, then what it needs of them, each in the order in which they were added.
class StepsByCall {
 public:
  void start(std::uint32_t first, std::uint32_t end) {
    first_ = first;
    end_ = end;
    next_.assign(end - first, 0);
    work_.resize(end - first);
    sends_.clear();
    given_.clear();
    needed_.clear();
  }
  [[nodiscard]] std::uint32_t end() const { return end_; }
  void add_send(std::uint32_t call) {  // in the order of calls
    sends_.push_back(call);
    ++next_[call - first_];
  }
  void add_given(std::uint32_t call, causes::Step step) { add(given_, {call, step}); }
  void add_needed(std::uint32_t call, causes::Step step) { add(needed_, {call, step}); }
  // Behind what is there. `work(call)`: what the location does for itself since the last call that
  // was asked for; it is asked for calls that have steps.
  template <typename Work>
  void take(Work&& work, memory::Vector<causes::Step>& out);

 private:
  void add(memory::Vector<StepOfCall>& to, StepOfCall one) {
    to.push_back(one);
    ++next_[one.call - first_];
  }
  std::uint32_t first_ = 0, end_ = 0;
  memory::Vector<std::uint32_t> sends_;  // their calls
  memory::Vector<StepOfCall> given_, needed_;
  // By call: how many steps, then where the next one goes; work before it, if it has some.
  memory::Vector<std::size_t> next_;
  memory::Vector<trace::Ticks> work_;
};

template <typename Work>
void StepsByCall::take(Work&& work, memory::Vector<causes::Step>& out) {
  using causes::Step;
  for (std::uint32_t call = first_; call < end_; ++call) {
    if (next_[call - first_] > 0) work_[call - first_] = work(call);
  }
  std::size_t at = out.size();
  out.resize(at + sends_.size() + 2 * (given_.size() + needed_.size()));
  auto send = sends_.begin();
  for (std::uint32_t call = first_; call < end_; ++call) {
    const std::size_t steps = next_[call - first_];
    if (steps == 0) continue;
    trace::Ticks ticks = work_[call - first_];
    for (; ticks > Step::kMostTicks; ticks -= Step::kMostTicks) {
      out.emplace_back();
      out[at++] = Step::work(Step::kMostTicks);
    }
    const std::size_t begin = at;
    for (; send != sends_.end() && *send == call; ++send) {
      out[at++] = Step::send(std::exchange(ticks, 0));
    }
    const std::size_t others = steps - (at - begin);
    if (ticks > 0) out[at++] = Step::work(ticks);
    next_[call - first_] = at;
    at += others;
  }
  for (const auto* list : {&given_, &needed_}) {
    for (const auto& [call, step] : *list) out[next_[call - first_]++] = step;
  }
  out.resize(at);
}

// Steps of calls that are told later.
class LaterSteps {
 public:
  void add(std::uint32_t call, causes::Step step) {
    in_order_ = in_order_ && (steps_.empty() || steps_.back().call <= call);
    steps_.push_back({call, step});
  }
  // f(call, step) for those before `end`, which are no longer here; of a call in the order in which
  // they were added.
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
