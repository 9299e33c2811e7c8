// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer show`: the summary, or chosen metrics.
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analyzer/cli/commands.hpp"
#include "analyzer/view/metrics/metric_table.hpp"
#include "analyzer/view/metrics/time_rows.hpp"
#include "analyzer/view/summary/show.hpp"
#include "analyzer/view/text/run_numbers.hpp"
#include "analyzer/view/words/computation_text.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::cli {
namespace {

constexpr std::size_t kRowsOfComputation = 20;  // of functions, and of lines; --top asks for more

Problem wrong_use(const std::string& what) { return {what, "latecomer show --help", Exit::kUsage}; }

Result<view::Choice> choice_of(const Call& call) {
  view::Choice choice;
  for (const auto& names : call.all("metric")) {
    for (const auto& name : split_list(names)) choice.metrics.push_back(name);
  }
  choice.call_path = call.value("callpath");
  if (call.has("by") && call.value("by") != "time") {
    const auto by = view::by_of_name(call.value("by"));
    if (!by) {
      return wrong_use("--by " + call.value("by") +
                       ": not one of callpath, rank, node, metahost, metric, time");
    }
    choice.by = *by;
  }
  if (call.has("top")) {
    const auto top = number_of(call.value("top"));
    if (!top || *top == 0)
      return wrong_use("--top " + call.value("top") + ": not a number above 0");
    choice.top = *top;
  }
  return choice;
}

// The numbers of the whole run that were named; empty if anything else was named (metrics, places).
std::vector<const view::RunNumber*> run_numbers_of(const Call& call, const view::Choice& choice,
                                                   const report::Report& report) {
  if (call.has("by") || call.has("callpath") || call.has("top")) return {};
  std::vector<const view::RunNumber*> numbers;
  for (const auto& name : choice.metrics) {
    numbers.push_back(view::find_run_number(name));
    if (report.find(name) != report::kNone) return {};  // a metric of another tool
    if (numbers.back() == nullptr || numbers.back()->name == std::string(view::kWaiting)) return {};
  }
  return numbers;
}

Status show_run_numbers(const Call& call, const report::Report& report,
                        const std::vector<const view::RunNumber*>& numbers) {
  auto json = nlohmann::ordered_json::object();
  std::string text;
  std::size_t told = 0;
  for (const auto* number : numbers) {
    const auto value = view::value_of_run(*number, report.extras());
    if (value) ++told;
    json[number->name] = value ? nlohmann::ordered_json(*value) : nullptr;
    text += std::string(number->display) + " (" + number->name +
            "): " + (value ? view::run_number_text(*number, *value) : "the report does not tell") +
            "\n";
  }
  if (call.has("json")) {
    print_json({{"schema_version", 1}, {"report", report.file()}, {"numbers", json}});
  } else {
    std::cout << text << std::flush;
  }
  if (told == 0) {  // as latecomer check says
    const std::string name = numbers.front()->name;
    if (report.extras().only_watched()) return view::untold_by_watched(report.file(), name);
    return Problem{report.file() + " does not tell " + name,
                   "latecomer show " + shell_word(report.file()) + " shows what it has"};
  }
  return finished(report);
}

Status show_time(const Call& call, const report::Report& report, view::Choice choice) {
  // The name "waiting" stands for all wait states, which are the default.
  std::erase_if(choice.metrics, [](const std::string& name) {
    const auto* number = view::find_run_number(name);
    return number != nullptr && number->name == std::string(view::kWaiting);
  });
  if (call.has("callpath")) {
    return wrong_use(
        "--callpath does not go with --by time: slices of time are of the whole program");
  }
  const auto rows = view::time_rows(report, choice.metrics, choice.top);
  if (!rows) return rows.problem();
  if (call.has("json")) {
    print_json(view::time_json(*rows));
  } else {
    std::cout << view::time_text(*rows, view::Colours::of_terminal());
  }
  return finished(report);
}

Status show_computation(const Call& call, const report::Report& report,
                        std::optional<std::size_t> top) {
  if (call.has("metric") || call.has("by") || call.has("callpath")) {
    return wrong_use("--computation goes with --top and --json only");
  }
  if (call.has("json")) {
    const auto json = view::computation_json(report, top.value_or(SIZE_MAX));
    if (!json) return json.problem();
    print_json(*json);
  } else {
    const auto text = view::computation_text(report, top.value_or(kRowsOfComputation));
    if (!text) return text.problem();
    std::cout << *text;
  }
  return finished(report);
}

}  // namespace

Status show(const Call& call) {
  const auto choice = choice_of(call);
  if (!choice) return choice.problem();
  auto report = open_report(call.arguments[0]);
  if (!report) return report.problem();
  if (call.has("computation")) {
    return show_computation(call, *report, choice->top);
  }
  if (call.value("by") == "time") return show_time(call, *report, *choice);
  if (const auto numbers = run_numbers_of(call, *choice, *report); !numbers.empty()) {
    return show_run_numbers(call, *report, numbers);
  }
  if (call.has("metric") || call.has("by") || call.has("callpath") || call.has("top")) {
    const auto rows = view::metric_rows(*report, *choice);
    if (!rows) return rows.problem();
    if (call.has("json")) {
      print_json(view::metric_json(*rows));
    } else {
      std::cout << view::metric_text(*rows, view::Colours::of_terminal());
    }
    return finished(*report);
  }
  const auto summary = view::summarize(*report);
  if (!summary) return summary.problem();
  if (call.has("json")) {
    print_json(view::show_json(*summary));
  } else {
    std::cout << view::show_text(*summary);
  }
  return finished(*report);
}

}  // namespace latecomer::cli
