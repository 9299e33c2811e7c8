// SPDX-License-Identifier: BSD-3-Clause
// How long a location was in which call path between two moments, without what it waited.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "analyzer/memory/prefetch.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::causes {

// Times by node of a call tree. Kept from one use to the next: clear() forgets what was touched.
class NodeTimes {
  struct Entry {
    Ticks time = 0;
    std::uint64_t use = 0;
  };

 public:
  // For many additions in a row: what each of them needs stays in registers. It ends with the next
  // clear().
  class Adding {
   public:
    explicit Adding(NodeTimes& to) : times_(to.times_.data()), use_(to.use_), nodes_(to.nodes_) {}
    void add(std::uint32_t node, Ticks time) {
      Entry& entry = times_[node];
      if (entry.use == use_) {
        entry.time += time;
      } else {
        entry = {time, use_};
        nodes_.push_back(node);
      }
    }

   private:
    Entry* const times_;
    const std::uint64_t use_;
    std::vector<std::uint32_t>& nodes_;
  };

  explicit NodeTimes(std::size_t nodes) : times_(nodes) {}
  void add(std::uint32_t node, Ticks time) { Adding(*this).add(node, time); }
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
  // Tells the points where they are in the timeline.
  CallPathTimes(const trace::LocationEvents& events, std::span<SyncPoint> points);

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
  // Times since that point, which is at hand already, will be asked for soon.
  LATECOMER_PREFETCHES void prefetch(std::uint32_t point) const {
    events_.timeline.prefetch(place_of(points_[point].place));
    events_.calls.prefetch(points_[point].call);
  }

 private:
  // A place in the timeline.
  struct Mark {
    trace::Timeline::Place place;
    std::uint32_t node = 0;  // open from then on
    Ticks last = 0;  // time of the last change before, which the next one is a difference to
  };
  struct Start {  // of reading
    Mark mark;
    Ticks time = 0;
  };
  struct Sum {  // from the first event up to a place
    Start at;
    std::uint32_t points = 0;  // those that had ended are taken off
    std::vector<Ticks> own;    // per node
  };
  // Mostly the last change before the place is the begin of the call.
  [[nodiscard]] Start start_of(std::size_t number) const {
    const SyncPoint& point = points_[number];
    if (point.place == kOdd) [[unlikely]]
      return odd_start_of(number);
    const Ticks enter = events_.calls[point.call].enter;
    return {{place_of(point.place), point.node, enter}, enter};
  }
  [[nodiscard]] Start odd_start_of(std::size_t point) const;
  // SyncPoint::place: chunk and offset in one number, but for the last chunks that fit.
  static constexpr std::uint32_t kOdd = UINT32_MAX, kPerChunk = trace::Timeline::kLargest;
  static trace::Timeline::Place place_of(std::uint32_t place) {
    return {place / kPerChunk, place % kPerChunk};
  }
  [[nodiscard]] Start start_before(Ticks time) const;
  // Those who idle are in no call path, whatever they are called to.
  [[nodiscard]] std::uint32_t node_of_wait(const SyncPoint& point) const {
    return point.kind == WaitKind::kIdleThread ? 0 : point.node;
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
  const bool idles_;  // a thread that does, at some point
  const bool plain_;  // all points are
  // Of points whose calls begin at another time than a change to their call path (of no length, or
  // where a buffer was flushed), or too far away. Ascending.
  std::vector<std::pair<std::uint32_t, Mark>> odd_;
  std::vector<Sum> sums_;
  static constexpr std::uint32_t kWaitStride = 8;
  memory::Vector<Ticks> waits_;  // of the points before every eighth
};

}  // namespace latecomer::causes
