// SPDX-License-Identifier: BSD-3-Clause
// What samples and counters tell of the time of a location between two moments.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::causes {

// A place as in trace::SampledPlace or trace::BlockedPlace.
struct Place {
  enum class Kind : std::uint32_t { kSampled, kBlocked };
  Kind kind = Kind::kSampled;
  std::uint32_t at = 0;  // call path: of the process until it is sent, then of the global call tree
  std::uint32_t region = trace::kNone, source = trace::kNone;  // innermost function, line in it
  std::uint32_t function = trace::kNone;                       // in which the thread was blocked
  friend auto operator<=>(const Place&, const Place&) = default;
};

// A place that was told of a stretch.
struct ToldPlace {
  Place place;
  std::int64_t nanoseconds = 0;
  std::int64_t variance = 0;  // of the time by samples, in square microseconds
};

// Times of a place in the stretches of a cause and of its waiters; in sums, each times what
// it cost.
struct ComparedPlace {
  std::int64_t cause = 0, waiter = 0;  // nanoseconds
  std::int64_t cause_variance = 0, waiter_variance = 0;
};
struct ExcessPlace {
  Place place;
  ComparedPlace compared;
};
using PlaceSums = std::map<Place, ComparedPlace>;

// Amounts that were told of the time at one call path.
struct TimePart {
  std::int64_t preempted = 0, blocked = 0;  // ticks
  std::int64_t user = 0, kernel = 0;        // nanoseconds of processor time, by samples
  std::int64_t samples = 0;
  std::int64_t instructions = 0, page_faults = 0;

  [[nodiscard]] bool any() const {
    return (preempted | blocked | user | kernel | samples | instructions | page_faults) != 0;
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
  // `points` are those of the location. A time without a core in a call, while it waited for
  // another location, is left out: it made nobody wait.
  TimeParts(const trace::LocationEvents& events, const trace::Definitions& definitions,
            Points points = {});

  // True if something was told after `from`, up to `to`.
  [[nodiscard]] bool any(trace::Ticks from, trace::Ticks to) const {
    return !all_.empty() && all_.until(from) != all_.until(to);
  }
  // What was told of a node of the process's call tree after `from`, up to `to`.
  [[nodiscard]] TimePart at(std::uint32_t node, trace::Ticks from, trace::Ticks to) const {
    if (node >= index_.size() || index_[node] == trace::kNone) return {};
    return of(nodes_[index_[node]], from, to);
  }
  // The places that were told of a node after `from`, up to `to`, in any order; each once. Call
  // paths are nodes of the process's call tree.
  [[nodiscard]] std::vector<ToldPlace> places_at(std::uint32_t node, trace::Ticks from,
                                                 trace::Ticks to) const;

 private:
  // A sample of a place, or a call in which the thread was blocked.
  struct Named {
    std::uint32_t place = 0;  // index in `places_`
    std::int64_t nanoseconds = 0;
  };
  struct Node {
    RunningSums<2> without_core;              // ticks preempted, ticks blocked
    RunningSums<2> samples;                   // nanoseconds outside of the kernel, in the kernel
    RunningSums<2> counted;                   // instructions, page faults
    RunningSums<0> calls;                     // in which the thread was blocked
    std::vector<Named> of_samples, of_calls;  // by number of their marks
  };
  [[nodiscard]] static TimePart of(const Node& node, trace::Ticks from, trace::Ticks to);
  Node& node(std::uint32_t number);

  RunningSums<0> all_;                // only the times
  std::vector<std::uint32_t> index_;  // in `nodes_`, by node; kNone: nothing was told
  std::vector<Node> nodes_;
  std::vector<Place> places_;  // those of samples first
};

}  // namespace latecomer::causes
