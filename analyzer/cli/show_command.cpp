// SPDX-License-Identifier: BSD-3-Clause
// `latecomer show`: the summary, or chosen metrics.
#include <iostream>

#include "analyzer/cli/commands.hpp"
#include "analyzer/view/metric_table.hpp"
#include "analyzer/view/show.hpp"

namespace latecomer::cli {
namespace {

Problem wrong(const std::string& what) { return {what, "latecomer show --help", Exit::kUsage}; }

Result<view::Choice> choice_of(const Call& call) {
  view::Choice choice;
  for (const auto& names : call.all("metric")) {
    for (const auto& name : split_list(names)) choice.metrics.push_back(name);
  }
  choice.call_path = call.value("callpath");
  if (call.has("by")) {
    const auto by = view::by_of_name(call.value("by"));
    if (!by) {
      return wrong("--by " + call.value("by") +
                   ": not one of callpath, rank, node, metahost, metric");
    }
    choice.by = *by;
  }
  if (call.has("top")) {
    const auto top = number_of(call.value("top"));
    if (!top || *top == 0) return wrong("--top " + call.value("top") + ": not a number above 0");
    choice.top = *top;
  }
  return choice;
}

}  // namespace

Status show(const Call& call) {
  const auto choice = choice_of(call);
  if (!choice) return choice.problem();
  auto report = open_report(call.arguments[0]);
  if (!report) return report.problem();
  if (call.has("metric") || call.has("by") || call.has("callpath") || call.has("top")) {
    const auto rows = view::metric_rows(*report, *choice);
    if (!rows) return rows.problem();
    if (call.has("json")) {
      print_json(view::metric_json(*rows));
    } else {
      std::cout << view::metric_text(*rows, view::Colours::of_terminal());
    }
    return success();
  }
  const auto summary = view::summarize(*report);
  if (!summary) return summary.problem();
  if (call.has("json")) {
    print_json(view::show_json(*summary));
  } else {
    std::cout << view::show_text(*summary);
  }
  return success();
}

}  // namespace latecomer::cli
