// SPDX-License-Identifier: BSD-3-Clause
// Sums over all call paths and locations of a report.
#include "analyzer/view/summary/report_sums.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace latecomer::view {

ReportSums::ReportSums(report::Report& report)
    : report_(report),
      d_(report.definitions()),
      is_difference_(report.extras().origin.name == "diff"),
      has_ranks_(report.extras().origin.name.empty() || report.extras().origin.ranks.empty()) {
  if (!has_ranks_) return;
  for (const auto& process : d_.processes) place(process);
}

Totals ReportSums::totals(const std::string& metric) {
  Totals sums;
  sums.call_paths.resize(d_.call_paths.size());
  sums.locations.resize(d_.locations.size());
  const auto values = report_.values(report_.find(metric));
  if (!values) {
    problem_ = values.problem();
    return sums;
  }
  for (std::uint32_t c = 0; c < d_.call_paths.size(); ++c) {
    const auto row = (*values)->row(c);
    for (std::size_t l = 0; l < row.size(); ++l) {
      sums.call_paths[c] += row[l];
      sums.locations[l] += row[l];
    }
    sums.all += sums.call_paths[c];
  }
  return sums;
}

void ReportSums::place(const report::Process& process) {
  std::string metahost;
  auto node = process.node;
  for (auto above = node; above < d_.system.size(); above = d_.system[above].parent) {
    if (d_.system[above].class_name == "machine") metahost = d_.system[above].name;
  }
  places_.add(process.rank, node < d_.system.size() ? d_.system[node].name : "", metahost);
}

std::vector<Summary::RankShare> ReportSums::by_rank(std::span<const double> locations) const {
  if (!has_ranks_) return {};  // the only column is not a rank
  std::map<std::uint32_t, double> sums;
  for (std::size_t l = 0; l < locations.size(); ++l) {
    if (counts(locations[l])) sums[d_.processes[d_.locations[l].process].rank] += locations[l];
  }
  std::vector<Summary::RankShare> ranks;
  for (const auto& [rank, seconds] : sums) ranks.push_back({rank, seconds});
  std::stable_sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) {
    return std::abs(a.seconds) > std::abs(b.seconds);
  });
  return ranks;
}

std::string given_name(const std::string& location) {
  constexpr std::string_view kThread = "Thread ", kMany = " one after another)";
  const auto begin = location.find(" ("), end = location.find(')', begin);
  if (!location.starts_with(kThread) || end == std::string::npos) return "";
  if (begin != location.find_first_not_of("0123456789", kThread.size())) return "";
  const std::string in_parentheses = location.substr(begin + 2, end - begin - 1);
  return in_parentheses.ends_with(kMany) ? "" : in_parentheses.substr(0, in_parentheses.size() - 1);
}

std::vector<Summary::ThreadShare> ReportSums::by_thread(std::span<const double> locations) const {
  if (!has_ranks_) return {};
  std::vector<Summary::ThreadShare> threads;
  for (std::size_t l = 0; l < locations.size(); ++l) {
    if (!counts(locations[l])) continue;
    const auto& location = d_.locations[l];
    threads.push_back({d_.processes[location.process].rank, location.thread, locations[l],
                       given_name(location.name)});
  }
  std::ranges::stable_sort(threads, std::greater{},
                           [](const auto& share) { return std::abs(share.seconds); });
  return threads;
}

}  // namespace latecomer::view
