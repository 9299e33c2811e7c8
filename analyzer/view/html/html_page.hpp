// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer html`: a report as one file for the browser.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/view/summary/clocks.hpp"
#include "analyzer/view/text/progress.hpp"

namespace latecomer::view {

// Returns the whole page, which needs no other file and no network. `clocks` holds the measurements
// of clocks in the archive, if there is one. `metrics` names the metrics to include, together with
// their ancestors and descendants; empty: all. For a difference of two reports, `comparison` holds
// the data about both; else null.
[[nodiscard]] Result<std::string> html_page(report::Report& report,
                                            const std::optional<ClockInfo>& clocks,
                                            const std::vector<std::string>& metrics = {},
                                            const nlohmann::ordered_json* comparison = nullptr,
                                            const Progress& progress = nullptr);

// Returns a page that shows `data` only, without values of metrics.
[[nodiscard]] std::string page_of(const nlohmann::ordered_json& data);

// Checks before long work whether write_new_file() can succeed.
[[nodiscard]] Status can_write(const std::filesystem::path& file, bool overwrite);

// Writes a new file. Replaces an existing one only with `overwrite`, and only if it is a regular
// file.
[[nodiscard]] Status write_new_file(const std::filesystem::path& file, const std::string& content,
                                    bool overwrite);

}  // namespace latecomer::view
