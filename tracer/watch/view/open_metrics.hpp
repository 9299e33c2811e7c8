// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a run in the text format of OpenMetrics 1.0, for Prometheus.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tracer/watch/view/watch_report.hpp"

namespace latecomer::watch {

// Counters never fall. Late receivers may, when a size of messages turns out to be sent eagerly;
// then the previous value is repeated.
class OpenMetrics {
 public:
  static constexpr std::string_view kType =
      "application/openmetrics-text; version=1.0.0; charset=utf-8";

  [[nodiscard]] std::string text(const WatchReport& report);

 private:
  std::map<std::pair<Rank, std::size_t>, Nanoseconds> highest_;  // by rank and wait state
};

}  // namespace latecomer::watch
