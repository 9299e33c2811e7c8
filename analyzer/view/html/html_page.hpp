// SPDX-License-Identifier: BSD-3-Clause
// `latecomer html`: a report as one file for the browser.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/read_cube.hpp"
#include "analyzer/view/clocks.hpp"
#include "analyzer/view/progress.hpp"

namespace latecomer::view {

// The whole page: it needs no other file and no network. `clocks` is what the archive tells of the
// clocks, if there is one. `metrics` are those to be in it, with what is above and below them; all
// if none are named. Of a difference of two reports `comparison` is what the page says of both.
[[nodiscard]] Result<std::string> html_page(report::Report& report,
                                            const std::optional<ClockInfo>& clocks,
                                            const std::vector<std::string>& metrics = {},
                                            const nlohmann::ordered_json& comparison = nullptr,
                                            const Progress& progress = nullptr);

// Whether write_new_file() has a chance: to be asked before long work.
[[nodiscard]] Status can_write(const std::filesystem::path& file, bool overwrite);

// A new file; an existing one only with `overwrite`, and only if it is a regular file.
[[nodiscard]] Status write_new_file(const std::filesystem::path& file, const std::string& content,
                                    bool overwrite);

}  // namespace latecomer::view
