// SPDX-License-Identifier: BSD-3-Clause
// Adds values to a distribution and evaluates it.
#include "tracer/watch/time_spread.hpp"

#include <cmath>

namespace latecomer::watch {

void TimeSpread::add(std::int64_t order, Nanoseconds value) {
  least_ = count_ == 0 ? value : std::min(least_, value);
  largest_ = count_ == 0 ? value : std::max(largest_, value);
  ++count_;
  sum_ += value;
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
  squares_ += static_cast<Wide>(magnitude) * magnitude;
  // Usually the value is the latest one.
  auto place = latest_.end();
  while (place != latest_.begin() && std::prev(place)->first > order) --place;
  latest_.insert(place, {order, value});
  if (latest_.size() >= 2 * kLatest)
    latest_.erase(latest_.begin(), latest_.end() - static_cast<std::ptrdiff_t>(kLatest));
}

Nanoseconds TimeSpread::deviation() const {
  if (count_ == 0) return 0;
  const auto n = static_cast<long double>(count_);
  const long double mean = static_cast<long double>(sum_) / n;
  const long double variance = static_cast<long double>(squares_) / n - mean * mean;
  return variance <= 0 ? 0 : std::llrint(std::sqrt(variance));
}

Nanoseconds TimeSpread::latest_median() const {
  if (latest_.empty()) return 0;
  const std::size_t kept = std::min(latest_.size(), kLatest);
  std::vector<Nanoseconds> values;
  for (auto i = latest_.end() - static_cast<std::ptrdiff_t>(kept); i != latest_.end(); ++i)
    values.push_back(i->second);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((kept - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace latecomer::watch
