// SPDX-License-Identifier: BSD-3-Clause
// Waiting over time: the severity of each wait state in equal slices of the run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/waits_over_time.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "patterns/metric/metric.hpp"

namespace latecomer::replay {

// A wait across several slices is divided in proportion. All values are integers, so the order of
// additions does not matter.
class TimeSlices {
 public:
  static constexpr std::int64_t kSlices = 100;

  // Sets the begin and end of the run. Waits added before this call are ignored.
  void start(trace::Ticks first, trace::Ticks last, std::size_t metrics, std::size_t metahosts) {
    first_ = first;
    length_ = last - first;
    metahosts_ = metahosts;
    // Avoids overflow: runs of years have 10^17 ticks.
    for (std::int64_t slice = 0; slice <= kSlices; ++slice) {
      begins_[static_cast<std::size_t>(slice)] =
          length_ / kSlices * slice + length_ % kSlices * slice / kSlices;
    }
    by_metric_.assign(length_ > 0 ? metrics : 0, {});
  }
  void add(patterns::MetricId metric, std::uint32_t metahost, trace::Ticks begin,
           trace::Ticks time) {
    if (metric >= by_metric_.size() || time <= 0) return;
    auto& values = by_metric_[metric];
    if (values.empty()) values.resize(static_cast<std::size_t>(kSlices) * metahosts_);
    trace::Ticks* to = &values[static_cast<std::size_t>(kSlices) * metahost];
    const trace::Ticks from = begin - first_, end = from + time;
    // Usually the wait is in the slice of the previous one.
    if (from < begin_of(last_) || from >= begin_of(last_ + 1)) last_ = slice_of(from);
    if (from >= 0 && end <= begin_of(last_ + 1)) {
      to[last_] += time;
      return;
    }
    for (std::int64_t slice = last_; slice < kSlices; ++slice) {
      const trace::Ticks until = slice + 1 == kSlices ? end : std::min(end, begin_of(slice + 1));
      const trace::Ticks part = until - std::max(from, slice == 0 ? from : begin_of(slice));
      if (part > 0) to[slice] += part;
      if (until >= end) break;
    }
  }

  // The slices of all processes. Nothing if the run has no length. Collective.
  [[nodiscard]] std::optional<report::TimeSlices> result(const patterns::MetricTree& metrics,
                                                         double ticks_per_second,
                                                         parallel::Processes& processes) const;

 private:
  [[nodiscard]] trace::Ticks begin_of(std::int64_t slice) const {
    return begins_[static_cast<std::size_t>(slice)];
  }
  [[nodiscard]] std::int64_t slice_of(trace::Ticks from) const {
    if (from <= 0) return 0;
    auto slice = std::min<std::int64_t>(
        kSlices - 1, static_cast<std::int64_t>(static_cast<double>(from) /
                                               static_cast<double>(length_) * kSlices));
    while (slice > 0 && begin_of(slice) > from) --slice;
    while (slice + 1 < kSlices && begin_of(slice + 1) <= from) ++slice;
    return slice;
  }

  trace::Ticks first_ = 0, length_ = 0;
  std::int64_t last_ = 0;                           // slice of the last wait
  std::array<trace::Ticks, kSlices + 1> begins_{};  // begins of slices, relative to first_
  std::size_t metahosts_ = 1;
  std::vector<std::vector<trace::Ticks>> by_metric_;  // metahost x slice; empty: no waits
};

}  // namespace latecomer::replay
