// SPDX-License-Identifier: BSD-3-Clause
// Sums the slices of all processes.
#include "analyzer/booking/time_slices.hpp"

namespace latecomer::replay {

// Only metrics that some process used are exchanged.
std::optional<report::TimeSlices> TimeSlices::result(const patterns::MetricTree& metrics,
                                                     double ticks_per_second,
                                                     parallel::Processes& processes) const {
  if (length_ <= 0) return {};
  constexpr auto slices = static_cast<std::size_t>(kSlices);
  report::TimeSlices out;
  out.count = slices;
  out.seconds = static_cast<double>(length_) / ticks_per_second / static_cast<double>(kSlices);
  std::vector<std::uint64_t> used;
  for (const auto& values : by_metric_) used.push_back(values.empty() ? 0 : 1);
  processes.bit_or(used);
  const std::size_t per_metric = slices * metahosts_;
  std::vector<trace::Ticks> all;  // values of the used metrics
  for (patterns::MetricId m = 0; m < by_metric_.size(); ++m) {
    if (used[m] == 0) continue;
    all.insert(all.end(), by_metric_[m].begin(), by_metric_[m].end());
    if (by_metric_[m].empty()) all.resize(all.size() + per_metric);
  }
  processes.sum(all);
  auto values = all.begin();
  for (patterns::MetricId m = 0; m < by_metric_.size(); ++m) {
    if (used[m] == 0) continue;
    auto& metahosts = out.metrics[metrics[m].name];
    for (std::size_t h = 0; h < metahosts_; ++h) {
      auto& seconds = metahosts.emplace_back();
      for (std::size_t s = 0; s < slices; ++s) {
        seconds.push_back(static_cast<double>(*values++) / ticks_per_second);
      }
    }
  }
  return out;
}

}  // namespace latecomer::replay
