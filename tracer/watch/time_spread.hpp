// SPDX-License-Identifier: BSD-3-Clause
// Distribution of times: mean, least, largest, deviation, and the median of the latest ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tracer/watch/events.hpp"

namespace latecomer::watch {

// Sums are integers, so the result does not depend on the order of adding. `order` tells which
// values are the latest ones; no two values have the same.
class TimeSpread {
 public:
  static constexpr std::size_t kLatest = 100;

  void add(std::int64_t order, Nanoseconds value);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] Nanoseconds sum() const { return sum_; }
  [[nodiscard]] Nanoseconds least() const { return least_; }
  [[nodiscard]] Nanoseconds largest() const { return largest_; }
  // 0 without values.
  [[nodiscard]] Nanoseconds mean() const { return count_ == 0 ? 0 : sum_ / count_; }
  // Standard deviation of the population, rounded to an integer.
  [[nodiscard]] Nanoseconds deviation() const;
  // The median of the latest values: the lower one of two.
  [[nodiscard]] Nanoseconds latest_median() const;

 private:
  __extension__ using Wide = unsigned __int128;

  std::int64_t count_ = 0;
  Nanoseconds sum_ = 0, least_ = 0, largest_ = 0;
  Wide squares_ = 0;
  // The latest values and some more, in ascending order of `order`. Older ones are removed many at
  // a time.
  std::vector<std::pair<std::int64_t, Nanoseconds>> latest_;
};

}  // namespace latecomer::watch
