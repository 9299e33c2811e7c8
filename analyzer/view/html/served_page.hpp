// SPDX-License-Identifier: BSD-3-Clause
// Makes a page that gets the values of a metric from a server when they are needed. It is for
// reports that are too large for one file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/view/summary/clocks.hpp"
#include "analyzer/view/text/progress.hpp"

namespace latecomer::view {

// A page and the values that its server answers requests with.
struct ServedPage {
  std::string page;
  std::vector<std::string> values;  // "values-0" etc. as zlib streams; empty: all zero
  [[nodiscard]] std::size_t bytes() const;
};

// Up to this many values are exact, which is more than in a file.
inline constexpr std::size_t kMostServedExact = 5'000'000;
// Returns the page that html_page() makes, but with separate values.
[[nodiscard]] Result<ServedPage> served_page(report::Report& report,
                                             const std::optional<ClockInfo>& clocks,
                                             const std::vector<std::string>& metrics,
                                             const Progress& progress = nullptr);

}  // namespace latecomer::view
