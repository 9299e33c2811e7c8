// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer check`: a check for continuous integration, and the baselines for it.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analyzer/cli/commands.hpp"
#include "analyzer/report/extras/parse_json.hpp"
#include "analyzer/view/check/verdict.hpp"
#include "analyzer/view/html/html_page.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/printable.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::cli {
namespace {

namespace fs = std::filesystem;

Problem wrong(const std::string& what) { return {what, "latecomer check --help", Exit::kUsage}; }

Result<view::RunValues> values_of(const std::string& path) {
  auto report = open_report(path);
  if (!report) return report.problem();
  return view::run_values(*report);
}

// The content of a file; nothing if it does not look like JSON, null if it is damaged.
std::optional<nlohmann::json> read_json(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (in.peek() != '{') return std::nullopt;
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto json = report::parse_json(text);
  if (json.is_discarded()) return nlohmann::json();
  return json;
}

// Reads one baseline file, or any number of reports and exports.
Result<view::Baseline> read_baseline(const std::vector<std::string>& paths) {
  std::vector<view::RunValues> runs;
  for (const auto& path : paths) {
    const auto json = read_json(path);
    if (json && json->is_null()) {
      return Problem{path + " is damaged: not JSON, or too deep", "write it again"};
    }
    if (json && view::is_baseline(*json)) {
      if (paths.size() == 1) return view::baseline_from_json(*json, path);
      return Problem{path + " is a baseline of several runs: it cannot be joined with others",
                     "latecomer check --write-baseline NEW.json REPORT... makes one of all runs",
                     Exit::kUsage};
    }
    auto run = json ? view::run_values(*json, path) : values_of(path);
    if (!run) return run.problem();
    runs.push_back(std::move(*run));
  }
  return view::baseline_of(runs);
}

Status write_baseline(const Call& call) {
  const std::string output = call.value("write-baseline");
  for (const char* other : {"baseline", "fail", "budget", "junit", "strict"}) {
    if (call.has(other)) return wrong(std::string("--write-baseline and --") + other);
  }
  if (const auto can = view::can_write(output, call.has("overwrite")); !can) return can;
  const auto baseline = read_baseline(call.arguments);
  if (!baseline) return baseline.problem();
  const auto text = view::to_json(*baseline).dump(1) + "\n";
  if (const auto status = view::write_new_file(output, text, call.has("overwrite")); !status) {
    return status;
  }
  std::cout << printable(output) << ": " << view::counted(baseline->runs, "run") << " of "
            << printable(baseline->program) << ", " << view::counted(baseline->ranks, "rank")
            << "\n";
  const auto time = baseline->metrics.find("run_time");
  if (time != baseline->metrics.end() && baseline->runs > 1 && time->second.mean > 0) {
    std::cout << "run time " << view::duration_text(time->second.mean) << ", noise ± "
              << view::percent(baseline->noise("run_time"), time->second.mean, 1) << " %\n";
  }
  constexpr std::uint64_t kEnough = 5;
  if (baseline->runs < kEnough) {
    std::cout << (baseline->runs == 1
                      ? "note: one run tells nothing about noise: changes within a bound stay "
                        "undecided; "
                      : "note: less than 5 runs tell little about noise; ")
              << "scan -R N runs a program N times\n";
  }
  return success();
}

Result<std::vector<view::Condition>> conditions(const Call& call, const std::string& option) {
  std::vector<view::Condition> list;
  for (const auto& text : call.all(option)) {
    auto condition = view::parse_condition(text, "--" + option);
    if (!condition) return condition.problem();
    list.push_back(std::move(*condition));
  }
  return list;
}

Result<view::Judgement> judgement_of(const Call& call) {
  if (call.arguments.size() != 1) {
    return wrong("latecomer check takes one EXPERIMENT|REPORT; --write-baseline takes several");
  }
  const auto fail = conditions(call, "fail");
  if (!fail) return fail.problem();
  const auto budgets = conditions(call, "budget");
  if (!budgets) return budgets.problem();
  if (fail->empty() && budgets->empty()) {
    return wrong("nothing to check: give --fail or --budget");
  }
  const auto run = values_of(call.arguments[0]);
  if (!run) return run.problem();
  std::optional<view::Baseline> baseline;
  for (const auto& path : call.all("baseline")) {
    std::error_code error;
    if (fs::exists(path, error)) continue;
    return Problem{"there is no baseline " + path,
                   "latecomer check --write-baseline " + shell_word(path) +
                       " REPORT... makes one; an experiment or report is one, too"};
  }
  if (call.has("baseline")) {
    auto read = read_baseline(call.all("baseline"));
    if (!read) return read.problem();
    baseline = std::move(*read);
  }
  auto judgement = view::judge(*run, baseline, *fail, *budgets);
  if (judgement) judgement->strict = call.has("strict");
  return judgement;
}

}  // namespace

Status check(const Call& call) {
  if (call.has("write-baseline")) return write_baseline(call);
  const auto judgement = judgement_of(call);
  // The file is written even if nothing could be judged, so that CI servers show the error.
  if (call.has("junit")) {
    const auto text = judgement ? view::junit(*judgement)
                                : view::junit(judgement.problem(), call.arguments.front());
    const auto status = view::write_new_file(call.value("junit"), text, true);
    if (!status && judgement) return status;
  }
  if (!judgement) return judgement.problem();
  std::cout << view::markdown(*judgement) << std::flush;
  if (judgement->failed() == 0) return success();
  const std::string name = shell_word(call.arguments[0]);
  return Problem{
      "the check failed: see the table",
      judgement->failed_against_baseline()
          ? "latecomer diff BEFORE " + name + " shows what changed"
          : "latecomer show " + name +
                (judgement->partial ? " says what is missing" : " tells where the time went"),
      Exit::kCheckFailed};
}

}  // namespace latecomer::cli
