// SPDX-License-Identifier: BSD-3-Clause
// Implements the commands about traces and metrics: info, clocks, explain, repair, collect.
#include <unistd.h>

#include <array>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analyzer/cli/commands.hpp"
#include "analyzer/cli/png.hpp"
#include "analyzer/inspect/read_archive_info.hpp"
#include "analyzer/inspect/read_clocks.hpp"
#include "analyzer/trace/copy/collect.hpp"
#include "analyzer/view/archive/info.hpp"
#include "analyzer/view/html/html_page.hpp"
#include "analyzer/view/metrics/explain_values.hpp"
#include "analyzer/view/summary/clocks.hpp"
#include "analyzer/view/text/explain.hpp"
#include "analyzer/view/text/run_numbers.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/printable.hpp"
#include "archive/shell_word.hpp"
#include "patterns/metrics.hpp"

namespace latecomer::cli {

Status info(const Call& call) {
  const auto archive = read_archive_info(call.arguments[0]);
  if (!archive) return archive.problem();
  if (call.has("json")) {
    print_json(view::info_json(*archive));
  } else {
    std::cout << view::info_text(*archive);
  }
  return success();
}

Status clocks(const Call& call) {
  const std::string output = call.value("output");
  if (!output.empty()) {
    if (const auto can = view::can_write(output, call.has("overwrite")); !can) return can;
  }
  const bool is_png = call.has("png") && !call.has("json");
  if (is_png && output.empty() && isatty(STDOUT_FILENO) != 0) {
    return Problem{"a picture (--png) is not for the terminal", "give a file: -o clocks.png",
                   Exit::kUsage};
  }
  const auto info = read_clocks(call.arguments[0]);
  if (!info) return info.problem();
  Result<std::string> text = call.has("json")            ? json_text(view::clocks_json(*info))
                             : call.has("svg") || is_png ? view::clocks_svg(*info)
                                                         : view::clocks_text(*info);
  if (text && is_png) text = png_of(*text);
  if (!text) return text.problem();
  if (output.empty()) {
    std::cout << *text;
    return success();
  }
  return view::write_new_file(output, *text, call.has("overwrite"));
}

namespace {

Status explain_number(const view::RunNumber& number, const Call& call) {
  auto json = view::explain_json(number);
  std::string text = view::explain_text(number);
  if (call.arguments.size() == 2) {
    auto report = open_report(call.arguments[1]);
    if (!report) return report.problem();
    auto value = view::value_of_run(number, report->extras());
    if (std::string(number.name) == view::kWaiting) {
      const auto summary = view::summarize(*report);
      if (!summary) return summary.problem();
      if (summary->knows_waits) value = summary->waiting;
    }
    json["values"] = {{"report", report->file()}, {"value", nullptr}};
    if (value) json["values"]["value"] = *value;
    text += "\nIn " + report->file() + ": " +
            (value ? view::run_number_text(number, *value) : "not known") + "\n";
  }
  if (call.has("json")) {
    print_json(json);
  } else {
    std::cout << text;
  }
  return success();
}

// The metric as the report has it, with the texts of Latecomer, and what the report says of it.
Status explain_in_report(const Call& call) {
  auto report = open_report(call.arguments[1]);
  if (!report) return report.problem();
  const auto& metrics = report->definitions().metrics;
  auto metric = view::find_metric(metrics, call.arguments[0], "latecomer explain");
  auto known = patterns::find_metric(metric ? metric->name : call.arguments[0]);
  if (!metric && !known) return metric.problem();
  if (metric && known) {
    known->display = metric->display;
    known->parent = metric->parent;
    known->unit = metric->unit;
  }
  const patterns::Metric explained = known ? *known : *metric;
  const auto values = view::explain_values(*report, explained);
  if (!values) return values.problem();
  if (call.has("json")) {
    auto json = view::explain_json(metrics, explained);
    json["values"] = view::json_of(*values);
    print_json(json);
  } else {
    std::cout << view::explain_text(metrics, explained) << "\n" << view::text_of(*values);
  }
  return finished(*report);
}

}  // namespace

Status explain(const Call& call) {
  // Two metahosts and all paradigms make all metrics known, including those that need them.
  const std::array<patterns::Metahost, 2> metahosts = {{{0, "0"}, {1, "1"}}};
  auto metrics = patterns::computed_metrics(metahosts, patterns::Paradigms::all());
  if (call.arguments.empty()) {
    std::erase_if(metrics, [](const patterns::Metric& metric) {
      return metric.parent.starts_with("metahost_pairs_");  // one per pair of these two
    });
    if (call.has("json")) {
      print_json(view::list_json(metrics));
    } else {
      std::cout << view::list_text(metrics);
    }
    return success();
  }
  if (const auto* number = view::find_run_number(call.arguments[0])) {
    return explain_number(*number, call);
  }
  if (call.arguments.size() == 2) return explain_in_report(call);
  auto metric = view::find_metric(metrics, call.arguments[0]);
  if (const auto counter = view::counter_metric(call.arguments[0]); !metric && counter) {
    metric = *counter;
  }
  // Pairs of metahosts have names for any ids.
  if (const auto pair = patterns::find_metric(call.arguments[0]); !metric && pair) metric = *pair;
  if (!metric) return metric.problem();
  if (call.has("json")) {
    print_json(view::explain_json(metrics, *metric));
  } else {
    std::cout << view::explain_text(metrics, *metric);
  }
  return success();
}

Status repair(const Call& call) {
  auto words = call.arguments;
  if (call.has("keep-records")) words.insert(words.begin(), "--keep-records");
  return run_program("latecomer-repair", words);
}

Status stuck(const Call& call) {
  auto words = call.arguments;
  if (call.has("json")) words.insert(words.begin(), "--json");
  return run_program("latecomer-stuck", words);
}

Status watch(const Call& call) {
  auto words = call.arguments;
  for (const char* name : {"once", "json", "quiet"}) {
    if (call.has(name)) words.insert(words.begin(), std::string("--") + name);
  }
  for (const char* name : {"interval", "for", "report", "metrics", "wait", "schedule"}) {
    if (call.has(name))
      words.insert(words.begin(), std::string("--") + name + '=' + call.value(name));
  }
  return run_program("latecomer-watch", words);
}

Status collect(const Call& call) {
  const std::string output = call.value("output");
  const auto collected = trace::collect({call.arguments.begin(), call.arguments.end()}, output);
  if (!collected) return collected.problem();
  std::cout << printable(output) << ": " << (collected->records ? "records" : "trace") << " of "
            << view::counted(collected->ranks, "rank") << " from "
            << view::counted(call.arguments.size(), "part")
            << "\nnext: " << (collected->records ? "latecomer repair " : "scan -a ")
            << shell_word(output) << '\n';
  return success();
}

}  // namespace latecomer::cli
