// SPDX-License-Identifier: BSD-3-Clause
// The calibrated cost of an event, as the logs of all processes state it.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "archive/cost_names.hpp"
#include "archive/layout.hpp"
#include "tracer/record/definition_lines.hpp"

namespace latecomer::convert {

// Calibrations of one kind of event. Numbers that logs state wrongly are left out.
class CalibratedCost {
 public:
  void add(double nanoseconds) {
    if (nanoseconds > 0 && nanoseconds < kMost) all_.push_back(nanoseconds);
  }
  void add_spread(double nanoseconds) {
    if (nanoseconds > 0 && nanoseconds < kMost) spread_ = std::max(spread_, nanoseconds);
  }
  [[nodiscard]] bool known() const { return !all_.empty(); }
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double one : all_) sum += one;
    return sum / static_cast<double>(all_.size());
  }
  // The spread of a calibration, or the largest distance of one from the mean.
  [[nodiscard]] double spread() const {
    double most = spread_;
    for (const double one : all_) most = std::max(most, std::abs(one - mean()));
    return most;
  }

 private:
  static constexpr double kMost = 1e9;
  std::vector<double> all_;
  double spread_ = 0;
};

// Costs of events of MPI and of the program's regions.
class CalibratedCosts {
 public:
  void add(const record::Property& property, const record::ClockDefinition& clock) {
    const auto number = [&property] {
      double value = 0;
      const std::string& text = property.value;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    const auto of_ticks = [&] { return number() * clock.nanoseconds_per_tick; };
    const std::string& name = property.name;
    if (name == layout::kLogEventCost) events_.add(number());
    if (name == layout::kLogEventCostSpread) events_.add_spread(number());
    if (name == layout::kLogTicksAtEnd) events_.add(of_ticks());
    if (name == layout::kLogTicksAtEndSpread) events_.add_spread(of_ticks());
    if (name == layout::kLogHookTicks) hooks_.add(of_ticks());
    if (name == layout::kLogHookTicksSpread) hooks_.add_spread(of_ticks());
  }
  // Calls f(name, text) for each property of the archive.
  template <typename F>
  void properties(F&& f) const {
    if (events_.known()) {
      f(layout::kPropertyEventCost, text(events_.mean()));
      f(layout::kPropertyEventCostSpread, text(events_.spread()));
    }
    if (hooks_.known()) {
      f(layout::kPropertyRegionCalibrated, text(hooks_.mean()));
      f(layout::kPropertyRegionSpread, text(hooks_.spread()));
    }
  }

 private:
  static std::string text(double nanoseconds) {
    std::array<char, 64> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(),
                                            nanoseconds, std::chars_format::fixed, 1);
    return {digits.data(), end};
  }
  CalibratedCost events_, hooks_;
};

}  // namespace latecomer::convert
