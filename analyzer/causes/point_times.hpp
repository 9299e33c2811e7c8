// SPDX-License-Identifier: BSD-3-Clause
// The time that a location spent in each call path from each of its points to its last one.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/causes/call_path_times.hpp"
#include "analyzer/memory/large_pages.hpp"

namespace latecomer::causes {

// Rows of one location. Each point in a window that moves back in time has a row. It holds the own
// time of all nodes from the beginning of its call to the last point. The times of a span are the
// difference of two rows, and the timeline is read once, however many spans contain a part of it.
//
//   row of point 3:  node 0: 9  node 1: 4
//   row of point 5:  node 0: 6  node 1: 3      span from 3 to 5: 3 and 1
class PointTimes {
 public:
  // In larger call trees a span touches few of the nodes, so spans are read from the timeline.
  static constexpr std::size_t kMostNodes = 64;
  // Bytes that a point needs in the window.
  [[nodiscard]] static std::size_t size_of_row(std::size_t nodes) {
    return nodes * sizeof(Ticks) + sizeof(Begin);
  }
  // `room`: largest number of points in the window; 0: no window.
  PointTimes(const CallPathTimes& times, std::size_t nodes, std::size_t room);

  // The times that CallPathTimes::add_own() would add for a span. The time of a node is `from`
  // minus `to`, plus `more_from` and `more_to` at the nodes of the two ends. Valid until the next
  // query. Without rows (null) add_own() has to be asked. That happens if the span is too long,
  // lies after the window or ends inside a call. It also happens if it has calls of nothing but
  // waiting, since a difference would not show whether they were there.
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
  // Sum of the waits of the points [first, last), for a span that had rows.
  [[nodiscard]] Ticks waits(std::uint32_t first, std::uint32_t last) {
    return trace::difference(begin(first).all_waits, begin(last).all_waits);
  }

 private:
  static constexpr Ticks kNever = INT64_MAX;
  // Data about the beginning of the call of a point.
  struct Begin {
    Ticks enter = kNever;   // enter of the call, if that is a change to its node
    Ticks passed = 0;       // time up to the next change
    Ticks waits = 0;        // sum over this point and the next ones of the same call
    std::uint32_t odd = 0;  // number of points from here on whose wait leaves nothing of that time
    std::uint32_t call = 0;
    Ticks all_waits = 0;  // sum over all points from here on
    // True if the location was in the call's own node at that time.
    [[nodiscard]] bool has(Ticks time) const {
      return time >= enter && trace::difference(time, enter) >= 0 &&
             trace::difference(time, enter) <= passed;
    }
  };
  void extend_to(std::uint32_t point);
  // The window is a ring whose size is a power of two.
  [[nodiscard]] Begin& begin(std::uint32_t point) { return begins_[point & mask_]; }
  [[nodiscard]] Ticks* row(std::uint32_t point) { return &rows_[(point & mask_) * nodes_]; }

  const CallPathTimes& times_;
  const std::size_t nodes_;
  std::uint32_t mask_ = 0;
  CallPathTimes::Walk walk_;  // its point is the lowest of the window
  std::vector<Ticks> sum_;    // contents of the next row
  memory::Vector<Begin> begins_;
  memory::Vector<Ticks> rows_;
};

}  // namespace latecomer::causes
