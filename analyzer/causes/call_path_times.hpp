// SPDX-License-Identifier: BSD-3-Clause
// How long a location was in which call path between two moments, without what it waited.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::causes {

// Times by node of a call tree. Kept from one use to the next: clear() forgets what was touched.
class NodeTimes {
 public:
  explicit NodeTimes(std::size_t nodes) : times_(nodes) {}
  void add(std::uint32_t node, Ticks time) {
    Entry& entry = times_[node];
    if (entry.use == use_) {
      entry.time += time;
    } else {
      entry = {time, use_};
      nodes_.push_back(node);
    }
  }
  // Those that were touched, each once, in the order in which they were.
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const { return nodes_; }
  [[nodiscard]] Ticks operator[](std::uint32_t node) const {
    return times_[node].use == use_ ? times_[node].time : 0;
  }
  void clear() {
    nodes_.clear();
    ++use_;
  }

 private:
  struct Entry {
    Ticks time = 0;
    std::uint64_t use = 0;
  };
  std::vector<Entry> times_;
  std::vector<std::uint32_t> nodes_;
  std::uint64_t use_ = 1;
};

// A part of a location's run: [from, to), in which the points with the numbers [first, last) lie.
struct Span {
  Ticks from = 0, to = 0;
  std::uint32_t first = 0, last = 0;
};

// Of one location. Short spans are read from its timeline; long ones are the difference of sums
// that are kept every few thousand changes, so no question costs more than that.
class CallPathTimes {
 public:
  CallPathTimes(const trace::LocationEvents& events, Points points);

  // Adds the times of a span without the waits of its points. It begins in the call of a point, or
  // anywhere.
  void add_own(std::uint32_t point, const Span& span, NodeTimes& to) const {
    add_own(start_of(point), span, to);
  }
  void add_own(const Span& span, NodeTimes& to) const {
    add_own(start_before(span.from), span, to);
  }
  // Adds the times of a span as they are. If it begins where a thread was called to a team, the way
  // into the parallel region belongs to that.
  void add_all(Ticks from, Ticks to, NodeTimes& times) const;
  [[nodiscard]] Ticks waits(std::uint32_t first, std::uint32_t last) const {
    return waits_before(last) - waits_before(first);
  }

 private:
  // A place in the timeline.
  struct Mark {
    trace::Timeline::Place place;
    std::uint32_t node = 0;  // open from then on
  };
  struct Start {  // of reading
    Mark mark;
    Ticks time = 0;
    Ticks last = 0;  // of the last change before, which the next one is a difference to
  };
  struct Sum {  // from the first event up to a place
    Start at;
    std::uint32_t points = 0;  // those that had ended are taken off
    std::vector<Ticks> own;    // per node
  };
  [[nodiscard]] Start start_of(std::size_t point) const {
    const Ticks enter = events_.calls[points_[point].call].enter;
    return {marks_[point], enter, enter};
  }
  [[nodiscard]] Start start_before(Ticks time) const;
  // Those who idle are in no call path, whatever they are called to.
  [[nodiscard]] std::uint32_t node_of_wait(const SyncPoint& point) const {
    return point.kind == WaitKind::kIdleThread ? 0 : events_.calls[point.call].node;
  }
  [[nodiscard]] Ticks waits_before(std::uint32_t point) const {
    Ticks waits = waits_[point / kWaitStride];
    for (auto i = point / kWaitStride * kWaitStride; i < point; ++i) waits += points_[i].wait;
    return waits;
  }
  void add_own(const Start& start, const Span& span, NodeTimes& to) const;
  void read(const Start& start, Ticks from, Ticks to, NodeTimes& times) const;
  void take_off(std::uint32_t first, std::uint32_t last, NodeTimes& times) const;

  const trace::LocationEvents& events_;
  Points points_;
  memory::Vector<Mark> marks_;  // of each point: where its call begins
  std::vector<Sum> sums_;
  static constexpr std::uint32_t kWaitStride = 8;
  memory::Vector<Ticks> waits_;  // of the points before every eighth
};

}  // namespace latecomer::causes
