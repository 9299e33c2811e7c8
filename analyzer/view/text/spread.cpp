// SPDX-License-Identifier: BSD-3-Clause
// Describes the distribution of time over many ranks by metahosts, nodes, or the number of ranks.
#include "analyzer/view/text/spread.hpp"

#include <algorithm>
#include <numeric>

#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

constexpr std::size_t kFewRanks = 100;
constexpr double kLargeShare = 0.01;  // share of a rank above which its name is worth printing
constexpr std::size_t kNamed = 3;     // places that are named

}  // namespace

std::size_t RankPlaces::place(std::vector<Place>& places,
                              std::map<std::string, std::size_t>& by_name, const std::string& key,
                              const std::string& name) {
  const auto [at, is_new] = by_name.emplace(key, places.size());
  if (is_new) places.push_back({name, 0});
  ++places[at->second].ranks;
  return at->second;
}

void RankPlaces::add(std::uint32_t rank, const std::string& node, const std::string& metahost) {
  if (of_rank_.contains(rank)) return;
  const auto m = place(metahosts_, metahost_by_name_, metahost, metahost);
  const auto n = place(nodes_, node_by_name_, std::to_string(m) + ' ' + node, node);
  of_rank_[rank] = {n, m};
}

std::string RankPlaces::uncommon(const std::vector<Place>& places,
                                 const std::vector<double>& seconds, double all, std::size_t ranks,
                                 double times, double least) {
  if (places.size() < 2) return "";
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](auto p) { return seconds[p]; });
  std::string text;
  double named = 0;
  for (std::size_t i = 0; i < std::min(kNamed, order.size()); ++i) {
    const auto p = order[i];
    const double usual = static_cast<double>(places[p].ranks) / static_cast<double>(ranks);
    if (seconds[p] < times * usual * all || seconds[p] < 0.01 * all) break;
    text += (text.empty() ? "" : ", ") + places[p].name + " " + percent(seconds[p], all, 0) + "%";
    named += seconds[p];
  }
  return named >= least * all ? text : "";
}

std::string RankPlaces::spread(std::span<const RankShare> shares) const {
  const double all =
      std::accumulate(shares.begin(), shares.end(), 0.0,
                      [](double sum, const RankShare& one) { return sum + one.seconds; });
  // Differences may be negative; shares of them mean nothing.
  const bool positive = std::ranges::all_of(shares, [](const auto& s) { return s.seconds >= 0; });
  if (ranks() <= kFewRanks || shares.empty() || !positive || !(all > 0) ||
      shares.front().seconds >= kLargeShare * all) {
    return "";
  }
  std::vector<double> on_node(nodes_.size()), on_metahost(metahosts_.size());
  for (const auto& [rank, seconds] : shares) {
    const auto at = of_rank_.find(rank);
    if (at == of_rank_.end()) continue;
    on_node[at->second.node] += seconds;
    on_metahost[at->second.metahost] += seconds;
  }
  if (auto text = uncommon(metahosts_, on_metahost, all, ranks(), 1.2, 0.5); !text.empty()) {
    return text;
  }
  if (auto text = uncommon(nodes_, on_node, all, ranks(), 2, 0.1); !text.empty()) {
    return (text.find(", ") == std::string::npos ? "node " : "nodes ") + text;
  }
  // No place has more than its part, so the number of ranks describes the distribution.
  const double mean = all / static_cast<double>(shares.size());
  if (shares.front().seconds <= 2 * mean) return "evenly over " + counted(shares.size(), "rank");
  double sum = 0;
  std::size_t half = 0;
  while (half < shares.size() && sum < 0.5 * all) sum += shares[half++].seconds;
  return "half of it on " + with_commas(half) + " of " + counted(ranks(), "rank");
}

}  // namespace latecomer::view
