// SPDX-License-Identifier: BSD-3-Clause
// Reads the same totals from a report and from its JSON export.
#include "analyzer/view/check/run_values.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "analyzer/report/extras/extras.hpp"
#include "analyzer/report/extras/read_json.hpp"
#include "analyzer/view/metrics/export.hpp"
#include "analyzer/view/summary/report_notes.hpp"
#include "analyzer/view/summary/wait_states.hpp"
#include "analyzer/view/text/run_numbers.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::view {
namespace {

// Adds values that are not metrics, and refuses reports that do not describe a run.
Status finish(RunValues& run, const report::Definitions& definitions,
              const nlohmann::json& document) {
  const auto extras = report::extras_from_json(document);
  for (const auto& note : extras.quality) run.notes.push_back(sentence(note));
  const auto& operation = extras.origin.name;
  if (operation == "diff") {
    return Problem{run.source + " is a difference of two reports, not a run",
                   "give the report of a run; latecomer check --baseline BEFORE ... compares it"};
  }
  const auto time = run.metrics.find("time");
  if (time != run.metrics.end() && !(time->second.total > 0)) {
    return Problem{run.source + " has no recorded time: there is nothing to check",
                   "latecomer show " + shell_word(run.source) + " shows what was recorded"};
  }
  // Latecomer's reports are complete, unless they are parts or unions of others.
  run.has_all = document.contains("schema_version") && operation != "cut" && operation != "merge" &&
                !extras.only_watched();
  run.tells = extras.tells;
  run.waits_at_least = extras.waits_at_least;
  const auto parts = wait_states_of(definitions);
  for (const auto& number : run_numbers()) {
    RunValues::Value value{number.display, number.unit, 0};
    if (number.name == std::string(kWaiting)) {
      if (parts.empty() && !run.has_all) continue;
      for (const auto m : parts) {
        const auto found = run.metrics.find(definitions.metrics[m].name);
        if (found != run.metrics.end()) value.total += found->second.total;
      }
    } else if (const auto known = value_of_run(number, extras)) {
      value.total = *known;
    } else {
      continue;
    }
    run.metrics.emplace(number.name, value);
  }
  return success();
}

}  // namespace

Result<RunValues> run_values(report::Report& report) {
  const auto& d = report.definitions();
  const auto& extras = report.extras();
  RunValues run;
  run.source = report.file();
  run.program = extras.program.name;
  run.ranks = d.processes.size();
  run.partial = extras.partial;
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    const auto& stored = report.stored(m);
    if (stored.hidden || !report.why_no_values(m).empty()) continue;
    // A metric that cannot be summed has one value for the whole report.
    if (!report.adds_up(m)) {
      const double ratio = report.total(m);
      if (std::isnan(ratio)) continue;
      run.metrics.emplace(d.metrics[m].name,
                          RunValues::Value{d.metrics[m].display, stored.unit, ratio});
      continue;
    }
    const auto values = report.values(m);
    if (!values) return values.problem();
    double total = 0;
    for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
      const auto row = (*values)->row(c);
      total += std::accumulate(row.begin(), row.end(), 0.0);
    }
    run.metrics.emplace(d.metrics[m].name,
                        RunValues::Value{d.metrics[m].display, stored.unit, total});
  }
  if (const auto status = finish(run, d, report.document()); !status) return status.problem();
  return run;
}

Result<RunValues> run_values(const nlohmann::json& exported, const std::string& source) {
  const Problem wrong = {
      source + " is not what `latecomer json` prints",
      "write it: latecomer json EXPERIMENT -o " + shell_word(source) + " --overwrite"};
  try {
    // A real number may exceed every integer type, so only integers are read.
    const auto version = report::count_in(exported.at("schema_version"));
    if (!version) return wrong;
    if (*version != kExportVersion) {
      return Problem{
          source + " was written by another version of latecomer json",
          "write it again: latecomer json EXPERIMENT -o " + shell_word(source) + " --overwrite"};
    }
    RunValues run;
    run.source = source;
    const auto& context = exported.at("context");
    run.program = context.at("program").at("name").get<std::string>();
    const auto ranks = report::count_in(context.at("ranks"));
    if (!ranks) return wrong;
    run.ranks = *ranks;
    run.partial = context.at("partial").get<bool>();
    report::Definitions definitions;
    for (const auto& metric : exported.at("metrics")) {
      patterns::Metric one;
      one.name = metric.at("name").get<std::string>();
      one.display = metric.at("display_name").get<std::string>();
      if (metric.at("parent").is_string()) one.parent = metric.at("parent").get<std::string>();
      const auto unit = metric.at("unit").get<std::string>();
      one.unit = unit == "sec" ? patterns::Unit::kSeconds : patterns::Unit::kOccurrences;
      // The export contains the totals of metrics that cannot be summed.
      const auto total = metric.value("total", nlohmann::json());
      const bool no_total = metric.contains("total") && total.is_null();
      if (!no_total) {
        run.metrics.emplace(
            one.name,
            RunValues::Value{one.display, unit, total.is_number() ? total.get<double>() : 0});
      }
      definitions.metrics.push_back(std::move(one));
    }
    for (const auto& row : exported.at("values")) {
      auto& total = run.metrics.at(row.at("metric").get<std::string>()).total;
      for (const auto& value : row.at("values")) total += value.get<double>();
    }
    const auto& document = report::member(exported, "extras");
    if (const auto status = finish(run, definitions, document); !status) return status.problem();
    return run;
  } catch (const nlohmann::json::exception&) {
    return wrong;
  } catch (const std::out_of_range&) {
    return wrong;
  }
}

}  // namespace latecomer::view
