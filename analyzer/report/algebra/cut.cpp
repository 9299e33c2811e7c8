// SPDX-License-Identifier: BSD-3-Clause
// Cuts a report: maps each call path to the call path that receives its values, or to none.
#include "analyzer/report/algebra/cut.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "analyzer/report/algebra/keep_formulas.hpp"

namespace latecomer::report {
namespace {

bool is_set(const std::vector<bool>& flags, std::size_t i) { return i < flags.size() && flags[i]; }
bool any(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), true) != flags.end();
}

// The member latecomer.json of the part: keys that nobody here knows are kept, too. If call paths
// are removed, only the keys that describe the run are kept. The others are not true for a part of
// the call paths.
nlohmann::json document_of(const Report& report, const Cut& cut, const Definitions& left) {
  constexpr std::array<const char*, 9> kOfTheRun = {"schema_version", "program", "run",
                                                    "quality",        "endings", "partial",
                                                    "settings",       "tells",   "waits_at_least"};
  const auto& all = report.document();
  if (!all.is_object()) return all;
  nlohmann::json extras = all;
  extras.erase("statistics");  // refers to call paths by their old numbers
  if (any(cut.roots) || any(cut.pruned)) {
    extras = nlohmann::json::object();
    for (const char* key : kOfTheRun) {
      if (all.contains(key)) extras[key] = all[key];
    }
  } else if (extras.contains("time_slices") && extras["time_slices"].is_object() &&
             extras["time_slices"].contains("metrics")) {
    auto& slices = extras["time_slices"]["metrics"];
    auto kept = nlohmann::json::object();
    for (const auto& metric : left.metrics) {
      if (slices.is_object() && slices.contains(metric.name)) {
        kept[metric.name] = slices[metric.name];
      }
    }
    slices = std::move(kept);
  }
  if (report.lost_values()) extras["partial"] = true;
  extras["operation"] = {{"name", "cut"}, {"inputs", {report.file()}}};
  return extras;
}

}  // namespace

Result<Combined> cut(Report& report, const Cut& cut) {
  std::array<Report*, 1> reports = {&report};
  auto matching = match(reports);
  if (!matching) return matching.problem();
  const auto& d = report.definitions();
  auto& out = matching->definitions;

  // Call paths. Parents come before their children, so the target of the caller is already known.
  auto& map = matching->inputs[0].call_paths;
  std::vector<CallPath> kept;
  const bool roots = any(cut.roots);
  std::vector<std::uint32_t> target(d.call_paths.size(), kNone);
  std::vector<bool> gone(d.call_paths.size());  // pruned, or below a pruned call path
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    const auto parent = d.call_paths[c].parent;
    const auto above = parent == kNone ? kNone : target[parent];
    gone[c] = is_set(cut.pruned, c) || (parent != kNone && gone[parent]);
    if (gone[c]) {
      target[c] = above;
      continue;
    }
    if (roots && above == kNone && !is_set(cut.roots, c)) continue;
    target[c] = static_cast<std::uint32_t>(kept.size());
    kept.push_back({above, out.call_paths[map[c]].region});
  }
  if (kept.empty()) {
    return Problem{"nothing is left of " + report.file(), "give --root or --prune another pattern",
                   Exit::kUsage};
  }
  out.call_paths = std::move(kept);
  std::vector<std::uint32_t> metrics_left;

  // Metrics: the ancestors of a wanted metric stay, all others that are not wanted go.
  std::vector<bool> wanted(out.metrics.size(), !any(cut.metrics));
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    if (is_set(cut.metrics, m) && matching->inputs[0].metrics[m] != kNone) {
      wanted[matching->inputs[0].metrics[m]] = true;
    }
  }
  // Children come after their parents: one pass from the end marks all ancestors.
  for (auto m = out.metrics.size(); m-- > 0;) {
    if (!wanted[m]) continue;
    for (std::size_t p = 0; p < m; ++p) {
      if (!out.metrics[m].parent.empty() && out.metrics[p].name == out.metrics[m].parent) {
        wanted[p] = true;
      }
    }
  }
  Combined result;
  result.definitions = out;
  result.definitions.metrics.clear();
  // Values move to the call path that `target` names; values without a target are dropped.
  for (std::uint32_t m = 0; m < out.metrics.size(); ++m) {
    if (!wanted[m]) continue;
    const auto& in = matching->inputs[0].metrics;
    const auto source = static_cast<std::uint32_t>(std::find(in.begin(), in.end(), m) - in.begin());
    const auto values = report.values(source);
    if (!values) return values.problem();
    MetricValues moved(out.call_paths.size(), d.locations.size());
    for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
      const auto row = (*values)->row(c);
      if (row.empty() || target[c] == kNone) continue;
      const auto to = moved.make_row(target[c]);
      for (std::size_t l = 0; l < row.size(); ++l) to[l] += row[l];
    }
    result.definitions.metrics.push_back(out.metrics[m]);
    result.units.push_back(matching->units[m]);
    result.values.push_back(std::move(moved));
  }
  std::vector<bool> formulas;  // flags of the wanted metrics; empty: all
  if (any(cut.metrics)) {
    formulas = cut.metrics;
    formulas.resize(d.metrics.size());
  }
  auto places = matching->inputs;
  places[0].call_paths = target;
  const auto left_out = keep_formulas(reports, result, places, formulas);
  if (!left_out) return left_out.problem();
  result.notes = matching->notes;
  note_left_out(*matching, *left_out, result);
  if (auto document = document_of(report, cut, result.definitions); !document.is_null()) {
    result.definitions.document = std::make_shared<const nlohmann::json>(std::move(document));
  }
  return result;
}

}  // namespace latecomer::report
