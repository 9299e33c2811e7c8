// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer explain`: the meaning of a metric.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "archive/result.hpp"
#include "patterns/metric/metric.hpp"

namespace latecomer::view {

// The metric that `name` stands for: a unique name, or a display name that occurs once; case is
// ignored. Otherwise a usage Problem that names the nearest metric, if one is near. `command` is
// for hints: it lists all metrics, and takes a name.
[[nodiscard]] Result<patterns::Metric> find_metric(
    const std::vector<patterns::Metric>& metrics, const std::string& name,
    const std::string& command = "latecomer explain");

// Texts for `name` if it is that of a counter of a trace ("counter_papi_tot_ins"). Only the report
// knows what it counts.
[[nodiscard]] std::optional<patterns::Metric> counter_metric(const std::string& name);

// Name, place in the tree, unit, description, explanation.
[[nodiscard]] std::string explain_text(const std::vector<patterns::Metric>& metrics,
                                       const patterns::Metric& metric);
[[nodiscard]] nlohmann::ordered_json explain_json(const std::vector<patterns::Metric>& metrics,
                                                  const patterns::Metric& metric);

// The tree of all metrics, one per line.
[[nodiscard]] std::string list_text(const std::vector<patterns::Metric>& metrics);
[[nodiscard]] nlohmann::ordered_json list_json(const std::vector<patterns::Metric>& metrics);

// Smallest number of inserted, removed, replaced or swapped neighboring characters that turns `a`
// into `b`.
[[nodiscard]] std::size_t edit_distance(const std::string& a, const std::string& b);

}  // namespace latecomer::view
