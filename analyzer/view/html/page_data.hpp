// SPDX-License-Identifier: BSD-3-Clause
// Collects the data of the page besides the values: definitions, summary, texts, statistics.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/view/html/pack.hpp"
#include "analyzer/view/summary/clocks.hpp"
#include "analyzer/view/summary/summary.hpp"
#include "analyzer/view/text/progress.hpp"

namespace latecomer::view {

// Values of the chosen metrics as the page receives them. Lists are by position among the chosen
// metrics.
struct PackedValues {
  std::vector<std::uint32_t> metrics;
  Precision precision = Precision::kExact;
  std::vector<bool> parts;                    // see parts_of_parents()
  std::vector<double> totals;                 // values without parts
  std::vector<std::size_t> columns;           // columns of its ValueTable; 0: the metric adds up
  std::vector<std::vector<std::byte>> packs;  // empty: all zero
};

// Values are rounded if more than this many are not zero.
inline constexpr std::size_t kMostExact = 200'000;
// Limit of the values in all ValueTables; tables beyond it have no places.
inline constexpr std::size_t kMostInTables = 1'000'000;
// Reads and packs the values of the chosen metrics.
[[nodiscard]] Result<PackedValues> pack_values(report::Report& report,
                                               const std::vector<std::uint32_t>& metrics,
                                               std::size_t most_exact = kMostExact,
                                               std::size_t most_in_tables = kMostInTables,
                                               const Progress& progress = nullptr);

// Returns the keys that docs/architecture.md lists. Reports of other tools have fewer.
[[nodiscard]] nlohmann::ordered_json page_data(const report::Report& report, const Summary& summary,
                                               const PackedValues& values,
                                               const std::optional<ClockInfo>& clocks);

}  // namespace latecomer::view
