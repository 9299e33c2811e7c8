// SPDX-License-Identifier: BSD-3-Clause
// Writes anchor.xml: the definitions of a report in CUBE's vocabulary.
#pragma once

#include <map>
#include <span>
#include <string>

#include "analyzer/report/model/anchor_reader.hpp"
#include "analyzer/report/model/model.hpp"

namespace latecomer::report {

// Returns anchor.xml, version 4.4. Ids are indices of `definitions`. CUBE readers want exactly one
// root per tree. Several root call paths get an artificial root, whose id follows the last one, and
// likewise its region. Several machines get the system node "metacomputer". Processes without
// locations are left out because the format cannot express them.
//
// Without `units`, the type and unit of a metric follow from Metric::unit (DOUBLE for seconds,
// otherwise UINT64). With `units`, all values are DOUBLE, and the units are written as given.
// `special` holds, by index, the metrics that are derived or have another type.
[[nodiscard]] std::string anchor_xml(const Definitions& definitions,
                                     std::span<const std::string> units = {},
                                     const std::map<std::uint32_t, StoredMetric>& special = {});

// True if anchor_xml() puts an artificial call path above the roots, which then takes row 0.
[[nodiscard]] bool has_artificial_root(const Definitions& definitions);

// Call paths in the row order of EXCLUSIVE metrics, without the artificial root.
[[nodiscard]] std::vector<std::uint32_t> call_paths_in_row_order(const Definitions& definitions);

}  // namespace latecomer::report
