// SPDX-License-Identifier: BSD-3-Clause
// Declares the functions that run commands, and functions that several of them use.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/cli/command.hpp"
#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/view/summary/clocks.hpp"

namespace latecomer::cli {

// Functions that run the commands. A Problem is printed, and its status becomes the exit status.
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
Status what_if(const Call& call);
Status scaling(const Call& call);
Status info(const Call& call);
Status clocks(const Call& call);
Status filter(const Call& call);
Status explain(const Call& call);
Status repair(const Call& call);
Status stuck(const Call& call);
Status watch(const Call& call);
Status profile(const Call& call);
Status collect(const Call& call);

// Opens the report that a path stands for: a file, or an experiment that has one.
[[nodiscard]] Result<report::Report> open_report(const std::filesystem::path& path);

// Status at the end of a command that has shown values of a report: partial if the file has lost
// some.
[[nodiscard]] Status finished(const report::Report& report);

// Measurements of clocks in the archive beside a report; nothing if there is no archive.
[[nodiscard]] std::optional<view::ClockInfo> clocks_beside(const report::Report& report);

// Replaces this process by a program in the same directory. Returns only if that fails.
[[nodiscard]] Problem run_program(const std::string& name, const std::vector<std::string>& words);

// JSON with two blanks of indentation; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);
void print_json(const nlohmann::ordered_json& json);

}  // namespace latecomer::cli
