// SPDX-License-Identifier: BSD-3-Clause
// Weighs places by the delay costs of their call path and location.
#include "analyzer/view/summary/reason_places.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/view/words/longer_text.hpp"

namespace latecomer::view {
namespace {

// Seconds of each place at a call path and location.
using Places = std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::string, double>>;

Places blocked_places(const report::Results& results) {
  Places places;
  for (const auto& one : results.longer_computation) {
    auto& here = places[{one.call_path, one.location}];
    double known = 0;
    for (const auto& call : one.blocked) {
      here[place_of_call(call)] += call.seconds;
      known += call.seconds;
    }
    here[""] += std::max(0.0, one.not_computing.blocked - known);
  }
  return places;
}

Places files(const report::Results& results) {
  Places places;
  for (const auto& use : results.file_uses) {
    places[{use.call_path, use.location}][use.file.substr(use.file.rfind('/') + 1)] +=
        use.seconds();
  }
  return places;
}

}  // namespace

std::string place_of_reason(report::Report& report, const std::string& metric) {
  constexpr double kMost = 0.5, kNearlyAll = 0.9;
  const bool is_file = metric == "delay_in_files";
  if (!report.extras().results || (!is_file && metric != "delay_blocked")) return "";
  const auto id = report.find(metric);
  if (id == report::kNone) return "";
  const auto values = report.values(id);
  if (!values) return "";
  const Places places =
      is_file ? files(*report.extras().results) : blocked_places(*report.extras().results);
  double all = 0;
  std::map<std::string, double> costs;
  for (std::uint32_t c = 0; c < report.definitions().call_paths.size(); ++c) {
    const auto row = (*values)->row(c);
    for (std::uint32_t l = 0; l < row.size(); ++l) {
      if (!(row[l] > 0)) continue;
      all += row[l];
      const auto here = places.find({static_cast<std::uint32_t>(report.call_path_ids()[c]), l});
      if (here == places.end()) continue;
      double whole = 0;
      for (const auto& [place, seconds] : here->second) whole += seconds;
      if (!(whole > 0)) continue;
      for (const auto& [place, seconds] : here->second) {
        costs[place] += row[l] * seconds / whole;
      }
    }
  }
  costs.erase("");
  const auto most = std::ranges::max_element(costs, {}, [](const auto& one) { return one.second; });
  if (most == costs.end() || !(most->second >= kMost * all)) return "";
  const std::string mostly = most->second >= kNearlyAll * all ? "" : "mostly ";
  return is_file ? " (" + mostly + most->first + ")" : " " + mostly + "in " + most->first;
}

}  // namespace latecomer::view
