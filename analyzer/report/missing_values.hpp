// SPDX-License-Identifier: BSD-3-Clause
// Values that a report should have, but has not. CUBE's own reader takes them for zero in silence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/anchor_reader.hpp"
#include "analyzer/report/extras.hpp"
#include "analyzer/report/tar_reader.hpp"

namespace latecomer::report {

// Two notes at most:
// - missing_values: metrics with one of their two members, with less rows than their index
//   announces, or that our own writer stored and that are gone. Something is lost: partial.
// - metrics_without_values: metrics of other tools with neither member. By the format they are zero
//   everywhere, which cannot be told from lost.
// Members that cannot be understood are left to read_values(). Reads a few bytes per metric.
[[nodiscard]] std::vector<QualityNote> missing_values(const TarReader& tar, const Anchor& anchor);

// Member latecomer.json of a report of ours, with the names of the metrics that have values in it.
[[nodiscard]] std::string extras_text(const Definitions& definitions,
                                      std::span<const std::uint32_t> stored);

}  // namespace latecomer::report
