// SPDX-License-Identifier: BSD-3-Clause
// Sums the slices of all processes and writes them as JSON.
#include "analyzer/booking/time_slices.hpp"

namespace latecomer::replay {

// Only metrics that some process used are exchanged.
nlohmann::json TimeSlices::json(const patterns::MetricTree& metrics, double ticks_per_second,
                                parallel::Processes& processes) const {
  if (length_ <= 0) return nullptr;
  constexpr auto slices = static_cast<std::size_t>(kSlices);
  auto out = nlohmann::json{
      {"count", kSlices},
      {"seconds", static_cast<double>(length_) / ticks_per_second / static_cast<double>(kSlices)},
      {"metrics", nlohmann::json::object()}};
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
    auto metahosts = nlohmann::json::array();
    for (std::size_t h = 0; h < metahosts_; ++h) {
      auto seconds = nlohmann::json::array();
      for (std::size_t s = 0; s < slices; ++s) {
        const auto time = *values++;
        if (time == 0) {
          seconds.push_back(0);
        } else {
          seconds.push_back(static_cast<double>(time) / ticks_per_second);
        }
      }
      metahosts.push_back(std::move(seconds));
    }
    out["metrics"][metrics[m].name] = std::move(metahosts);
  }
  return out;
}

}  // namespace latecomer::replay
