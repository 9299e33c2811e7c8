// SPDX-License-Identifier: BSD-3-Clause
// Prints runs of different sizes as a table, the laws of their call paths, and a prediction.
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "analyzer/view/scaling/scaling.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

constexpr std::size_t kPathColumns = 40;

std::string percentage(std::optional<double> ratio) {
  return ratio ? percent(*ratio, 1, 0) + " %" : "-";
}

std::string error_text(double error) {
  if (error < 0.0005) return "less than 0.1 %";
  return percent(error, 1, error < 0.1 ? 1 : 0) + " %";
}

std::string law_text(const std::optional<FittedLaw>& law) {
  return law ? law->best.growth() + ", ± " + error_text(law->best.error) : "no law fits";
}

std::string range_text(double predicted, const LawRange& range) {
  const auto least = duration_text(range.least), most = duration_text(range.most);
  return duration_text(predicted) + (least == most ? "" : " (" + least + " to " + most + ")");
}

using Row = std::function<std::string(const ScalingRun&)>;

std::string runs_table(const Scaling& scaling) {
  Table table("l" + std::string(scaling.runs.size(), 'r'));
  const auto add = [&](const std::string& name, const Row& cell) {
    std::vector<std::string> row = {name};
    for (const auto& run : scaling.runs) row.push_back(cell(run));
    table.add(std::move(row));
  };
  add("ranks", [](const auto& run) { return std::to_string(run.ranks); });
  add("run time", [](const auto& run) { return duration_text(run.run_time); });
  add("speed-up", [&](const auto& run) {
    return fixed(speed_up(scaling, static_cast<double>(run.ranks), run.run_time), 2);
  });
  add("parallel efficiency", [](const auto& run) { return percentage(run.efficiency); });
  add("  load balance", [](const auto& run) { return percentage(run.load_balance); });
  add("  communication", [](const auto& run) { return percentage(run.communication); });
  add("    serialization", [](const auto& run) { return percentage(run.serialization); });
  add("    transfer", [](const auto& run) { return percentage(run.transfer); });
  add("computation scaling", [](const auto& run) { return percentage(run.computation_scaling); });
  return table.text();
}

std::string paths_table(const Scaling& scaling, std::size_t top) {
  std::vector<std::vector<std::string>> names;
  const auto shown = std::min(top, scaling.paths.size());
  for (std::size_t i = 0; i < shown; ++i) names.push_back(scaling.paths[i].names);
  const auto texts = short_call_paths(names, std::vector(shown, kPathColumns));
  const bool laws = scaling.run_time || std::ranges::any_of(scaling.paths, [](const auto& path) {
                      return path.law.has_value();
                    });
  Table table("l" + std::string(scaling.runs.size(), 'r') + (laws ? "rrl" : "r"));
  std::vector<std::string> head = {"call path, per rank"};
  for (const auto& run : scaling.runs) head.push_back(std::to_string(run.ranks));
  if (laws) head.push_back(std::to_string(scaling.next) + " (pred.)");
  head.emplace_back("if ideal");
  if (laws) head.emplace_back("law");
  table.add(std::move(head));
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& path = scaling.paths[i];
    if (!(path.predicted > path.ideal)) continue;
    std::vector<std::string> row = {texts[i]};
    for (const double seconds : path.seconds) {
      row.push_back(seconds > 0 ? duration_text(seconds) : "-");
    }
    if (laws) row.push_back(path.law ? duration_text(path.predicted) : "-");
    row.push_back(duration_text(path.ideal));
    if (laws) row.push_back(law_text(path.law));
    table.add(std::move(row));
  }
  return table.rows() > 1 ? table.text() : "";
}

nlohmann::ordered_json json_of(const std::optional<FittedLaw>& law) {
  if (!law) return nullptr;
  const auto& best = law->best;
  return {{"a", best.a},       {"b", best.b},         {"error", best.error},
          {"logs", best.logs}, {"power", best.power}, {"text", best.growth()}};
}

nlohmann::ordered_json json_of(std::optional<double> ratio) {
  return ratio ? nlohmann::ordered_json(*ratio) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string scaling_text(const Scaling& scaling, std::size_t top) {
  std::string text =
      scaling.runs.front().program + ": " + counted(scaling.runs.size(), "run") + ", " +
      (scaling.strong ? "strong scaling: all runs do the same work"
                      : "weak scaling: each rank has the same work in all runs") +
      (scaling.guessed ? " (as the computation looks)" : "") + "\n\n" + runs_table(scaling);
  if (scaling.run_time) {
    text += "\nrun time:   " + law_text(scaling.run_time) + "\n";
    text += "prediction: " + range_text(scaling.predicted, scaling.range) + " on " +
            counted(scaling.next, "rank") + "\n";
  }
  const auto paths = paths_table(scaling, top);
  if (paths.empty()) {
    text += "\nno call path loses against ideal scaling\n";
  } else {
    text += "\nCall paths that lose most against ideal scaling (without what they call):\n" + paths;
  }
  for (const auto& note : scaling.notes) {
    text += "\n" + wrapped("note: " + note, "", text_width());
  }
  return text;
}

// Keys are in the order of their bytes.
nlohmann::ordered_json scaling_json(const Scaling& scaling) {
  using json = nlohmann::ordered_json;
  json paths = json::array(), runs = json::array();
  for (const auto& path : scaling.paths) {
    json one = {{"call_path", path.names},
                {"ideal", path.ideal},
                {"law", json_of(path.law)},
                {"loss", path.loss()}};
    if (path.law) {
      one["predicted"] = {
          {"least", path.range.least}, {"most", path.range.most}, {"seconds", path.predicted}};
    }
    one["seconds"] = path.seconds;
    paths.push_back(std::move(one));
  }
  for (const auto& run : scaling.runs) {
    runs.push_back({{"communication", json_of(run.communication)},
                    {"computation", run.computation},
                    {"computation_scaling", json_of(run.computation_scaling)},
                    {"load_balance", json_of(run.load_balance)},
                    {"parallel_efficiency", json_of(run.efficiency)},
                    {"program", run.program},
                    {"ranks", run.ranks},
                    {"report", run.file},
                    {"run_time", run.run_time},
                    {"serialization", json_of(run.serialization)},
                    {"speed_up", speed_up(scaling, static_cast<double>(run.ranks), run.run_time)},
                    {"transfer", json_of(run.transfer)}});
  }
  json out = {{"call_paths", paths}, {"next_ranks", scaling.next}, {"notes", scaling.notes}};
  json run_time = {{"law", json_of(scaling.run_time)}};
  if (scaling.run_time) {
    run_time["predicted"] = {{"least", scaling.range.least},
                             {"most", scaling.range.most},
                             {"seconds", scaling.predicted}};
    if (scaling.predicted > 0) {
      run_time["predicted"]["speed_up"] =
          speed_up(scaling, static_cast<double>(scaling.next), scaling.predicted);
    }
  }
  out["run_time"] = std::move(run_time);
  out["runs"] = std::move(runs);
  out["scaling"] = scaling.strong ? "strong" : "weak";
  out["scaling_is_guessed"] = scaling.guessed;
  out["schema_version"] = 1;
  return out;
}

}  // namespace latecomer::view
