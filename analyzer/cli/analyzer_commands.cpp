// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer timeline` and `latecomer what-if`. The analyzer knows times, messages and
// waits, so it does the work.
#include <filesystem>

#include "analyzer/cli/commands.hpp"
#include "analyzer/predict/change.hpp"
#include "analyzer/view/html/html_page.hpp"

namespace latecomer::cli {
namespace {

constexpr const char* kHint = "latecomer what-if --help";

// A report does not have the dependencies of the run.
Status can_predict(const std::filesystem::path& path) {
  if (path.extension() != ".cubex") return success();
  return Problem{path.string() + " is a report: a prediction needs the trace",
                 "give the experiment directory, which holds traces.otf2", Exit::kUsage};
}

}  // namespace

Status timeline(const Call& call) {
  const std::string output = call.value("output");
  if (const auto can = view::can_write(output, call.has("overwrite")); !can) return can;
  std::vector<std::string> words = {"--timeline", output};
  for (const char* option : {"from", "to", "ranks"}) {
    if (call.has(option))
      words.insert(words.end(), {std::string("--") + option, call.value(option)});
  }
  words.push_back(call.arguments[0]);
  return run_program("latecomer-analyzer", words);
}

Status what_if(const Call& call) {
  if (const auto can = can_predict(call.arguments[0]); !can) return can;
  std::vector<std::string> words;
  for (const char* option : {"speed", "balance", "latency", "bandwidth", "no-wait-for-io",
                             "eager-limit", "ranks-moved"}) {
    if (!call.has(option)) continue;
    auto values = call.all(option);
    if (values.empty()) values.emplace_back();
    for (const auto& value : values) {
      // Wrong values are refused here, before the analyzer starts.
      if (const auto change = predict::read_change(option, value); !change) return change.problem();
      words.insert(words.end(),
                   {"--what-if", std::string(option) + (value.empty() ? "" : " " + value)});
    }
  }
  std::error_code error;
  if (!std::filesystem::exists(call.arguments[0], error)) {
    return Problem{call.arguments[0] + ": no such experiment",
                   "give the directory that `scan` has written, latecomer_..._trace"};
  }
  if (words.empty()) {
    return Problem{"no change was given",
                   "latecomer what-if " + call.arguments[0] + " --speed 'FUNCTION x2'; " + kHint,
                   Exit::kUsage};
  }
  if (call.has("json")) words.emplace_back("--json");
  words.push_back(call.arguments[0]);
  return run_program("latecomer-analyzer", words);
}

}  // namespace latecomer::cli
