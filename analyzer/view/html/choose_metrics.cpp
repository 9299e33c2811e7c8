// SPDX-License-Identifier: BSD-3-Clause
// Chooses metrics. Parents precede their children: a pass down finds descendants, a pass up
// ancestors.
#include "analyzer/view/html/choose_metrics.hpp"

#include "analyzer/view/text/explain.hpp"

namespace latecomer::view {

Result<std::vector<std::uint32_t>> choose_metrics(const report::Report& report,
                                                  const std::vector<std::string>& names) {
  const auto& metrics = report.definitions().metrics;
  std::vector<std::uint32_t> parents;
  for (const auto& metric : metrics) {
    parents.push_back(metric.parent.empty() ? report::kNone : report.find(metric.parent));
  }
  std::vector<bool> wanted(metrics.size());
  for (std::uint32_t m = 0; names.empty() && m < metrics.size(); ++m) {
    wanted[m] = !report.stored(m).hidden;
  }
  for (const auto& name : names) {
    const auto found = find_metric(metrics, name);
    if (!found) {
      return Problem{found.problem().what, "latecomer explain lists all metrics", Exit::kUsage};
    }
    std::vector<bool> below(metrics.size());
    for (std::uint32_t m = 0; m < metrics.size(); ++m) {
      below[m] =
          metrics[m].name == found->name || (parents[m] != report::kNone && below[parents[m]]);
      if (below[m]) wanted[m] = true;
    }
  }
  for (auto m = metrics.size(); m-- > 0;) {
    if (wanted[m] && parents[m] != report::kNone) wanted[parents[m]] = true;
  }
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t m = 0; m < wanted.size(); ++m) {
    if (wanted[m]) chosen.push_back(m);
  }
  return chosen;
}

}  // namespace latecomer::view
