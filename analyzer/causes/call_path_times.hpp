// SPDX-License-Identifier: BSD-3-Clause
// How long a location was in which call path between two moments, without what it waited.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::causes {

// Times by node of the process's CallTree. Kept from one use to the next: what was touched is
// cleared by clear().
class NodeTimes {
 public:
  explicit NodeTimes(std::size_t nodes) : time_(nodes), touched_(nodes) {}
  void add(std::uint32_t node, Ticks time) {
    if (!touched_[node]) {
      touched_[node] = true;
      nodes_.push_back(node);
    }
    time_[node] += time;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const { return nodes_; }
  [[nodiscard]] Ticks operator[](std::uint32_t node) const { return time_[node]; }
  void clear() {
    for (const auto node : nodes_) {
      time_[node] = 0;
      touched_[node] = false;
    }
    nodes_.clear();
  }

 private:
  std::vector<Ticks> time_;
  std::vector<bool> touched_;
  std::vector<std::uint32_t> nodes_;
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
  CallPathTimes(const trace::LocationEvents& events, const std::vector<SyncPoint>& points);

  // Adds the times of a span without the waits of its points. It begins in the call of a point.
  void add_own(std::uint32_t point, const Span& span, NodeTimes& to) const;
  // Adds the times of a span as they are.
  void add_all(Ticks from, Ticks to, NodeTimes& times) const;
  [[nodiscard]] Ticks waits(std::uint32_t first, std::uint32_t last) const {
    return waits_[last] - waits_[first];
  }

 private:
  struct Mark {  // a place in the timeline
    trace::Timeline::Cursor cursor;
    Ticks time = 0;
    std::uint32_t node = 0;  // open from `time` on
  };
  struct Sum {  // from the start up to a mark
    std::size_t mark = 0;
    std::uint32_t points = 0;  // those that had ended are taken off
    std::vector<Ticks> own;    // per node
  };
  void read(Mark at, Ticks from, Ticks to, NodeTimes& times) const;
  void take_off(std::uint32_t first, std::uint32_t last, NodeTimes& times) const;

  const trace::LocationEvents& events_;
  const std::vector<SyncPoint>& points_;
  std::vector<Mark> marks_;  // every kStride changes
  std::vector<Sum> sums_;
  std::vector<std::uint32_t> mark_of_;  // of each point: the last mark before its call
  std::vector<Ticks> waits_;            // of the points before each
};

}  // namespace latecomer::causes
