// SPDX-License-Identifier: BSD-3-Clause
// anchor.xml: the definitions of a report in CUBE's vocabulary.
#pragma once

#include <map>
#include <span>
#include <string>

#include "analyzer/report/anchor_reader.hpp"
#include "analyzer/report/model.hpp"

namespace latecomer::report {

// Version 4.4. Ids are indices of `definitions`. CUBE readers want one root each: several root call
// paths get an artificial one above them, with the id behind the last (likewise its region), and
// several machines the system node "metacomputer". Processes without locations are left out: the
// format cannot express them.
//
// Without `units` a metric's type and unit follow from Metric::unit (DOUBLE for seconds, else
// UINT64); with them all values are DOUBLE, and the units are written as given. Metrics in
// `special`, by index, are derived ones, or have another type.
[[nodiscard]] std::string anchor_xml(const Definitions& definitions,
                                     std::span<const std::string> units = {},
                                     const std::map<std::uint32_t, StoredMetric>& special = {});

// Whether anchor_xml() puts an artificial call path above the roots; it takes row 0 then.
[[nodiscard]] bool has_artificial_root(const Definitions& definitions);

// Call paths in the order of the rows of EXCLUSIVE metrics (without the artificial root).
[[nodiscard]] std::vector<std::uint32_t> call_paths_in_row_order(const Definitions& definitions);

}  // namespace latecomer::report
