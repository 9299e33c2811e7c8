// SPDX-License-Identifier: BSD-3-Clause
// Steps of the ideal replay that belong to calls of a location, put into the order of the calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/causes/ideal_replay.hpp"
#include "analyzer/memory/large_pages.hpp"

namespace latecomer::replay {

struct StepOfCall {
  std::uint32_t call = 0;
  causes::Step step;
};

// Those of a range of calls, found kind by kind: the steps of a call come in the order in which
// they were added.
class StepsByCall {
 public:
  void start(std::uint32_t first, std::uint32_t end) {
    first_ = first;
    end_ = end;
    next_.assign(end - first, 0);
    steps_.clear();
    sends_ = 0;
  }
  [[nodiscard]] std::uint32_t end() const { return end_; }
  // Sends are added before all others.
  void add_send(std::uint32_t call) {
    add(call, causes::Step::send(0));
    ++sends_;
  }
  void add(std::uint32_t call, causes::Step step) {
    steps_.push_back({call, step});
    ++next_[call - first_];
  }
  // Behind what is there. `work(call)`: what comes before the steps of a call, once for each call
  // that has some. It takes part in its first send.
  template <typename Work>
  void take(Work&& work, memory::Vector<causes::Step>& out);

 private:
  std::uint32_t first_ = 0, end_ = 0;
  memory::Vector<StepOfCall> steps_;
  std::size_t sends_ = 0;             // so many of them come first
  memory::Vector<std::size_t> next_;  // by call: how many; then where the next one goes
};

template <typename Work>
void StepsByCall::take(Work&& work, memory::Vector<causes::Step>& out) {
  using causes::Step;
  std::size_t at = out.size();
  out.resize(at + 2 * steps_.size());
  for (std::uint32_t call = first_, send = 0; call < end_; ++call) {
    std::size_t& next = next_[call - first_];
    if (next == 0) continue;
    trace::Ticks ticks = work(call);
    for (; ticks > Step::kMostTicks; ticks -= Step::kMostTicks) {
      out.emplace_back();
      out[at++] = Step::work(Step::kMostTicks);
    }
    if (send < sends_ && steps_[send].call == call) {
      steps_[send].step = Step::send(ticks);
      while (send < sends_ && steps_[send].call == call) ++send;
    } else if (ticks > 0) {
      out[at++] = Step::work(ticks);
    }
    const std::size_t count = next;
    next = at;
    at += count;
  }
  for (const auto& [call, step] : steps_) out[next_[call - first_]++] = step;
  out.resize(at);
}

// Steps of calls that are told later.
class LaterSteps {
 public:
  void add(std::uint32_t call, causes::Step step) {
    in_order_ = in_order_ && (steps_.empty() || steps_.back().call <= call);
    steps_.push_back({call, step});
  }
  // Moves those of calls that are told now; of a call in the order in which they were added.
  void take(StepsByCall& to) {
    if (!in_order_) std::stable_sort(first(), steps_.end(), by_call);
    in_order_ = true;
    for (; taken_ < steps_.size() && steps_[taken_].call < to.end(); ++taken_) {
      to.add(steps_[taken_].call, steps_[taken_].step);
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
