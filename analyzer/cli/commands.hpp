// SPDX-License-Identifier: BSD-3-Clause
// What runs when a command is called, and what several of them need.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/cli/command.hpp"
#include "analyzer/report/read_cube.hpp"
#include "analyzer/view/clocks.hpp"

namespace latecomer::cli {

Status show(const Call& call);
Status html(const Call& call);
Status view_page(const Call& call);
Status json(const Call& call);
Status csv(const Call& call);
Status diff(const Call& call);
Status mean(const Call& call);
Status merge(const Call& call);
Status cut(const Call& call);
Status check(const Call& call);
Status timeline(const Call& call);
Status info(const Call& call);
Status clocks(const Call& call);
Status filter(const Call& call);
Status explain(const Call& call);
Status repair(const Call& call);
Status collect(const Call& call);

// The report that a path means: a file, or an experiment that has one.
[[nodiscard]] Result<report::Report> open_report(const std::filesystem::path& path);

// The end of a command that has shown what is in a report: partial if the file has lost values.
[[nodiscard]] Status finished(const report::Report& report);

// What the archive beside a report tells of the clocks, if there is one.
[[nodiscard]] std::optional<view::ClockInfo> clocks_beside(const report::Report& report);

// Runs a program that stands beside this one, in the place of this process; returns only if that
// fails.
[[nodiscard]] Problem run_program(const std::string& name, const std::vector<std::string>& words);

[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);
void print_json(const nlohmann::ordered_json& json);

}  // namespace latecomer::cli
