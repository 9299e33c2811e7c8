// SPDX-License-Identifier: BSD-3-Clause
// What samples and counters tell of the time of a location between two moments.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::causes {

// Amounts that were told of the time at one call path.
struct TimePart {
  std::int64_t preempted = 0, blocked = 0;  // ticks
  std::int64_t user = 0, kernel = 0;        // nanoseconds of processor time, by samples
  std::int64_t samples = 0;
  std::int64_t instructions = 0;

  [[nodiscard]] bool any() const {
    return (preempted | blocked | user | kernel | samples | instructions) != 0;
  }
};

// Amounts in the order of time, as sums since the first one. So each question takes two searches,
// however long the time is:
//
//   time       3   8   9
//   amount     5   1   4
//   sum        5   6  10      in (3, 8]: 6 - 5 = 1
//
// Questions that go back in time are answered near the answer before. MT: one thread.
template <std::size_t N>
class RunningSums {
 public:
  using Amounts = std::array<std::uint64_t, N>;

  void add(trace::Ticks time, const Amounts& more) {
    Mark next{time, more};
    if (!marks_.empty()) {
      next.time = std::max(time, marks_.back().time);  // damaged archives
      for (std::size_t i = 0; i < N; ++i) next.sums[i] += marks_.back().sums[i];
    }
    marks_.push_back(next);
  }
  // Number of marks up to a time.
  [[nodiscard]] std::size_t until(trace::Ticks time) const {
    const auto is_until = [&](std::size_t i) { return marks_[i].time <= time; };
    std::size_t low = near_, high = near_,
                step = 1;  // all before `low` are until, none from `high`
    for (; low > 0 && !is_until(low - 1); step *= 2) {
      high = low - 1;
      low -= std::min(low, step);
    }
    for (step = 1; high < marks_.size() && is_until(high); step *= 2) {
      low = high + 1;
      high += std::min(marks_.size() - high, step);
    }
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (is_until(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return near_ = low;
  }
  // The amounts of the marks [first, last).
  [[nodiscard]] Amounts between(std::size_t first, std::size_t last) const {
    Amounts sums = before(last);
    const Amounts begin = before(first);
    for (std::size_t i = 0; i < N; ++i) sums[i] -= begin[i];
    return sums;
  }
  [[nodiscard]] bool empty() const { return marks_.empty(); }

 private:
  struct Mark {
    trace::Ticks time = 0;
    Amounts sums{};
  };
  [[nodiscard]] Amounts before(std::size_t mark) const {
    return mark == 0 ? Amounts{} : marks_[mark - 1].sums;
  }
  std::vector<Mark> marks_;
  mutable std::size_t near_ = 0;  // the answer before
};

// All that was told of one location. An amount belongs to the moment at which it was told: a sample
// to its own, what a counter counted to the end of the stretch in which it did.
class TimeParts {
 public:
  TimeParts(const trace::LocationEvents& events, const trace::Definitions& definitions);

  // True if something was told after `from`, up to `to`.
  [[nodiscard]] bool any(trace::Ticks from, trace::Ticks to) const {
    return !all_.empty() && all_.until(from) != all_.until(to);
  }
  // What was told of a node of the process's call tree after `from`, up to `to`.
  [[nodiscard]] TimePart at(std::uint32_t node, trace::Ticks from, trace::Ticks to) const {
    if (node >= index_.size() || index_[node] == trace::kNone) return {};
    return of(nodes_[index_[node]], from, to);
  }

 private:
  struct Node {
    RunningSums<2> without_core;  // ticks preempted, ticks blocked
    RunningSums<2> samples;       // nanoseconds outside of the kernel, in the kernel
    RunningSums<1> instructions;
  };
  [[nodiscard]] static TimePart of(const Node& node, trace::Ticks from, trace::Ticks to);
  Node& node(std::uint32_t number);

  RunningSums<0> all_;                // only the times
  std::vector<std::uint32_t> index_;  // in `nodes_`, by node; kNone: nothing was told
  std::vector<Node> nodes_;
};

}  // namespace latecomer::causes
