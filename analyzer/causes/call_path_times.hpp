// SPDX-License-Identifier: BSD-3-Clause
// The time that a location spent in each call path between two moments, without its waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/causes/node_times.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "analyzer/memory/prefetch.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::causes {

// A part of a location's run: [from, to), in which the points with the numbers [first, last) lie.
struct Span {
  Ticks from = 0, to = 0;
  std::uint32_t first = 0, last = 0;
};

// Times of one location. Short spans are read from its timeline. Long spans are the difference of
// two sums, which are kept every few thousand changes. No query reads more of the timeline than the
// distance between two sums.
class CallPathTimes {
 public:
  // The points get their places in the timeline only when they are needed.
  CallPathTimes(const trace::LocationEvents& events, std::span<SyncPoint> points);

  // Adds the times of a span without the waits of its points. The span begins in the call of a
  // point (first form) or anywhere (second form).
  void add_own(std::uint32_t point, const Span& span, NodeTimes& to) const {
    add_own(start_of(point), span, to);
  }
  void add_own(const Span& span, NodeTimes& to) const {
    add_own(start_before(span.from), span, to);
  }
  // Adds the times of a span, waits included. If the span begins while a thread is called to a
  // team, the time up to the parallel region counts for that region.
  void add_all(Ticks from, Ticks to, NodeTimes& times) const;
  [[nodiscard]] Ticks waits(std::uint32_t first, std::uint32_t last) const {
    return waits_before(last) - waits_before(first);
  }
  [[nodiscard]] Points points() const { return points_; }
  // A walk from the end of the run back, point by point.
  struct Walk {
    trace::Timeline::Backward at;
    std::uint32_t point;  // the point that was reached last
  };
  [[nodiscard]] Walk walk() const {
    return {trace::Timeline::Backward(events_.timeline),
            static_cast<std::uint32_t>(points_.size())};
  }
  // Beginning of the call of a point. `plain`: the last change before the place is this beginning.
  // `passed`: time from there to the next change, if that comes before the next point.
  struct Begin {
    bool plain = false;
    Ticks enter = 0, passed = 0;
  };
  // Goes back to the previous point. Adds to `times`, indexed by node, what lies in between.
  Begin step_back(Walk& walk, Ticks* times) const {
    const std::uint32_t number = --walk.point;
    const Ticks enter = events_.calls[points_[number].call].enter;
    const Ticks passed =
        walk.at.back_to(enter, [times](std::uint32_t node, Ticks time) { times[node] += time; });
    return {place(number, walk.at, enter), enter, passed};
  }
  // Times of parts of the run, waits included, as add_all() gives them. Parts that come from the
  // end back cost one walk along the timeline in all.
  class Parts {
   public:
    explicit Parts(const CallPathTimes& times)
        : times_(times), at_(times.events_.timeline), last_(times.events_.timeline.last_time()) {}
    // Adds to `times`, indexed by node. False, and nothing is added: the part is not before the
    // last one, or threads were idle here.
    bool add(Ticks from, Ticks to, Ticks* times) {
      if (to > before_ || times_.idles_ || times_.events_.timeline.chunks() == 0) return false;
      before_ = from;
      from = std::max(from, times_.events_.first);
      to = std::min(to, last_);
      if (from >= to) return true;
      const auto add = [times](std::uint32_t node, Ticks time) { times[node] += time; };
      // Both ends lie between two changes. Whole intervals are added, and what is outside the part
      // is subtracted.
      at_.back_to(to, [](std::uint32_t, Ticks) {});
      add(at_.last().node, to - at_.last().time);
      at_.back_to(from, add);
      add(at_.last().node, at_.last().time - from);
      return true;
    }

   private:
    const CallPathTimes& times_;
    trace::Timeline::Backward at_;
    Ticks last_, before_ = INT64_MAX;
  };
  // A query for earlier points can go on from this walk instead of starting at the end.
  void go_on_from(const Walk& walk) const {
    if (!placing_ || walk.point < placing_->point) placing_ = walk;
  }
  // Prefetches what a query for times since this point will read. The point must be placed.
  LATECOMER_PREFETCHES void prefetch(std::uint32_t point) const {
    if (point < placed_) return;
    events_.timeline.prefetch(place_of(points_[point].place));
    events_.calls.prefetch(points_[point].call);
  }

 private:
  // A place in the timeline.
  struct Mark {
    trace::Timeline::Place place;
    std::uint32_t node = 0;  // open from this place on
    Ticks last = 0;          // time of the last change before, the base of the next one
  };
  struct Start {  // where reading starts
    Mark mark;
    Ticks time = 0;
  };
  struct Sum {  // times from the first event up to a place
    Start at;
    std::uint32_t points = 0;  // number of points that had begun; their waits are subtracted
    std::vector<Ticks> own;    // per node
  };
  // Stores where reading starts for a point. True if the last change before it is the begin of its
  // call.
  bool place(std::uint32_t number, const trace::Timeline::Backward& at, Ticks enter) const {
    SyncPoint& point = points_[number];
    const auto place = at.place();
    const auto last = at.last();
    const bool odd =
        last.time != enter || last.node != point.node || place.chunk >= kOdd / kPerChunk;
    if (number >= placed_) return !odd;
    placed_ = number;
    point.place = odd ? kOdd : place.chunk * kPerChunk + place.offset;
    if (odd) odd_.emplace_back(number, Mark{place, last.node, last.time});
    return !odd;
  }
  // Places all points from `number` on.
  void place_from(std::size_t number) const;
  // Usually the last change before the place is the beginning of the call.
  [[nodiscard]] Start start_of(std::size_t number) const {
    if (number < placed_) place_from(number);
    const SyncPoint& point = points_[number];
    if (point.place == kOdd) [[unlikely]]
      return odd_start_of(number);
    const Ticks enter = events_.calls[point.call].enter;
    return {{place_of(point.place), point.node, enter}, enter};
  }
  [[nodiscard]] Start odd_start_of(std::size_t point) const;
  // SyncPoint::place holds chunk and offset in one number. Places in chunks with too large a
  // number do not fit; they are marked kOdd and kept in odd_.
  static constexpr std::uint32_t kOdd = UINT32_MAX, kPerChunk = trace::Timeline::kLargest;
  static trace::Timeline::Place place_of(std::uint32_t place) {
    return {place / kPerChunk, place % kPerChunk};
  }
  [[nodiscard]] Start start_before(Ticks time) const;
  [[nodiscard]] const std::vector<Sum>& sums() const;  // computed on first use
  // Idle threads belong to no call path, whichever team they join next.
  [[nodiscard]] std::uint32_t node_of_wait(const SyncPoint& point) const {
    return point.kind == WaitKind::kIdleThread ? 0 : point.node;
  }
  [[nodiscard]] trace::Timeline::Place place_before(std::uint32_t point) const {
    if (point < placed_) place_from(point);
    const std::uint32_t place = points_[point].place;
    return place == kOdd ? odd_start_of(point).mark.place : place_of(place);
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
  std::span<SyncPoint> points_;
  const bool idles_;  // some point is the idle time of a thread
  const bool plain_;  // all points are plain
  // Points from this number on have their places.
  mutable std::uint32_t placed_;
  mutable std::optional<Walk> placing_;  // the walk that places earlier points, once one is needed
  // Marks of points that do not fit into SyncPoint::place, in descending order of points. Their
  // calls do not begin with a change to their call path, as calls of no length or after a flush of
  // the buffer. Otherwise the number of their chunk is too large.
  mutable std::vector<std::pair<std::uint32_t, Mark>> odd_;
  mutable std::vector<Sum> sums_;
  mutable bool has_sums_ = false;
  static constexpr std::uint32_t kWaitStride = 8;
  memory::Vector<Ticks> waits_;  // sum of the waits before every eighth point
};

}  // namespace latecomer::causes
