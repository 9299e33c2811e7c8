// SPDX-License-Identifier: BSD-3-Clause
// How long a location was in which call path from each of its points on.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/causes/call_path_times.hpp"
#include "analyzer/memory/large_pages.hpp"

namespace latecomer::causes {

// Of one location: for each point in a window that moves back, a row with the own time of all nodes
// from the begin of its call to the last point. So the times of a span are a difference of two
// rows, and the timeline is read once, however many spans it lies in.
class PointTimes {
 public:
  // Larger call trees are in few places at a time: there spans are read.
  static constexpr std::size_t kMostNodes = 64;
  // Bytes of a point in the window.
  [[nodiscard]] static std::size_t size_of_row(std::size_t nodes) {
    return nodes * sizeof(Ticks) + sizeof(Begin);
  }
  // `room`: how many points the window has at most; 0: none.
  PointTimes(const CallPathTimes& times, std::size_t nodes, std::size_t room);

  // What CallPathTimes::add_own() would add for a span, until rows are asked for again: what the
  // row `from` has more than `to` in each node, and more at the nodes of both ends. No rows if it
  // has to be asked: the span is too long, lies behind the window, ends somewhere in a call, or has
  // calls of nothing but waiting, of which a difference would not tell whether they were there.
  struct Rows {
    const Ticks *from = nullptr, *to = nullptr;
    Ticks more_from = 0, more_to = 0;
  };
  [[nodiscard]] Rows rows_of(Points points, std::uint32_t point, Span span) {
    if (span.last - 1 - point >= mask_ / 2 || span.last >= points.size()) return {};
    if (point < walk_.point) extend_to(point);
    if (span.last - walk_.point > mask_) return {};
    const Begin &first = begin(point), &last = begin(span.last);
    if (!first.has(span.from) || !last.has(span.to) || first.odd != last.odd) return {};
    return {row(point), row(span.last), first.enter - span.from + waits(point, span.first),
            span.to - last.enter};
  }
  // Of the points [first, last) of a span that had rows.
  [[nodiscard]] Ticks waits(std::uint32_t first, std::uint32_t last) {
    return trace::difference(begin(first).all_waits, begin(last).all_waits);
  }

 private:
  static constexpr Ticks kNever = INT64_MAX;
  struct Begin {
    Ticks enter = kNever;   // of the call, if that is a change to its node
    Ticks passed = 0;       // up to the next change
    Ticks waits = 0;        // of this point and the next ones of the call
    std::uint32_t odd = 0;  // from there on: points that leave nothing of that stretch
    std::uint32_t call = 0;
    Ticks all_waits = 0;  // from there on
    // The location was in the call's own node then.
    [[nodiscard]] bool has(Ticks time) const {
      return time >= enter && trace::difference(time, enter) >= 0 &&
             trace::difference(time, enter) <= passed;
    }
  };
  void extend_to(std::uint32_t point);
  [[nodiscard]] Begin& begin(std::uint32_t point) { return begins_[point & mask_]; }
  [[nodiscard]] Ticks* row(std::uint32_t point) { return &rows_[(point & mask_) * nodes_]; }

  const CallPathTimes& times_;
  const std::size_t nodes_;
  std::uint32_t mask_ = 0;
  CallPathTimes::Walk walk_;  // its point is the lowest of the window
  std::vector<Ticks> sum_;    // what the next row begins with
  memory::Vector<Begin> begins_;
  memory::Vector<Ticks> rows_;
};

}  // namespace latecomer::causes
