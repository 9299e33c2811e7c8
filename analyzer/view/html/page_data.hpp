// SPDX-License-Identifier: BSD-3-Clause
// What the page knows of a report beside the values: definitions, summary, texts, statistics.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "analyzer/report/read_cube.hpp"
#include "analyzer/view/clocks.hpp"
#include "analyzer/view/html/pack.hpp"
#include "analyzer/view/progress.hpp"
#include "analyzer/view/summary.hpp"

namespace latecomer::view {

// Values of the chosen metrics as the page gets them; lists are by position among the chosen.
struct PackedValues {
  std::vector<std::uint32_t> metrics;
  Precision precision = Precision::kExact;
  std::vector<bool> parts;                    // see parts_of_parents()
  std::vector<double> totals;                 // per metric, without its parts
  std::vector<std::size_t> columns;           // per metric: of its ValueTable; 0: it adds up
  std::vector<std::vector<std::byte>> packs;  // per metric; empty: all zero
};

// Rounded if there are more than this many values other than zero.
inline constexpr std::size_t kMostExact = 200'000;
// Of all ValueTables; beyond that they have no places.
inline constexpr std::size_t kMostInTables = 1'000'000;
[[nodiscard]] Result<PackedValues> pack_values(report::Report& report,
                                               const std::vector<std::uint32_t>& metrics,
                                               std::size_t most_exact = kMostExact,
                                               std::size_t most_in_tables = kMostInTables,
                                               const Progress& progress = nullptr);

// Keys as in docs/architecture.md. Reports of other tools have less.
[[nodiscard]] nlohmann::ordered_json page_data(const report::Report& report, const Summary& summary,
                                               const PackedValues& values,
                                               const std::optional<ClockInfo>& clocks);

}  // namespace latecomer::view
