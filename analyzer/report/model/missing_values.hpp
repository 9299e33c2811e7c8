// SPDX-License-Identifier: BSD-3-Clause
// Detects values that a report should have, but lacks. CUBE's own reader silently takes them for
// zero.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/container/tar_reader.hpp"
#include "analyzer/report/extras/extras.hpp"
#include "analyzer/report/model/anchor_reader.hpp"

namespace latecomer::report {

// Returns two notes at most:
// - missing_values: metrics with only one of their two members, with fewer rows than their index
//   announces, or without the members that our own writer stored. Data is lost, so the report is
//   partial.
// - metrics_without_values: metrics of other tools with neither member. The format defines them as
//   zero everywhere, which cannot be distinguished from a loss.
// Leaves members that cannot be understood to read_values(). Reads a few bytes per metric.
[[nodiscard]] std::vector<QualityNote> missing_values(const TarReader& tar, const Anchor& anchor,
                                                      const Extras& extras);

// Text of the member latecomer.json. It includes the names of the metrics that have values in the
// file (`stored`, by index). Empty: the report has no such member.
[[nodiscard]] std::string extras_text(const Definitions& definitions,
                                      std::span<const std::uint32_t> stored);

}  // namespace latecomer::report
