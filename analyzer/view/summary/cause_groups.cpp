// SPDX-License-Identifier: BSD-3-Clause
// Builds the tree of the call paths without repetitions.
#include "analyzer/view/summary/cause_groups.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analyzer/view/text/call_path_text.hpp"

namespace latecomer::view {
namespace {

constexpr std::size_t kLongestCycle = 8;  // functions that call each other in turn

void add(report::LongerComputation& to, const report::LongerComputation& one) {
  to.delay_costs += one.delay_costs;
  to.page_faults += one.page_faults;
  auto& parts = to.not_computing;
  parts.preempted += one.not_computing.preempted;
  parts.blocked += one.not_computing.blocked;
  parts.kernel += one.not_computing.kernel;
  parts.off_processor += one.not_computing.off_processor;
  to.lines.insert(to.lines.end(), one.lines.begin(), one.lines.end());
  to.blocked.insert(to.blocked.end(), one.blocked.begin(), one.blocked.end());
}

}  // namespace

CauseGroups::CauseGroups(const report::Definitions& definitions) : definitions_(definitions) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;  // by parent and region
  groups_.reserve(definitions.call_paths.size());
  for (const auto& call_path : definitions.call_paths) {
    const auto parent =
        call_path.parent == report::kNone ? report::kNone : groups_[call_path.parent];
    const bool on_file = is_file_call(definitions.regions[call_path.region]);
    const auto region = on_file ? kFiles : call_path.region;
    auto node = repeated(parent, region);
    if (node == report::kNone) {
      const auto next = static_cast<std::uint32_t>(nodes_.size());
      const auto [at, is_new] = known.emplace(std::pair(parent, region), next);
      if (is_new) nodes_.push_back({parent, region});
      node = at->second;
    }
    groups_.push_back(node);
  }
}

// The node that the region leads back to, if the functions up to it are called a second time in a
// row; else kNone.
std::uint32_t CauseGroups::repeated(std::uint32_t parent, std::uint32_t region) const {
  // The region and its callers, from the innermost on; nodes[0] does not exist.
  std::array<std::uint32_t, 2 * kLongestCycle> regions{}, nodes{};
  regions[0] = region;
  nodes[0] = report::kNone;
  std::size_t count = 1;
  for (auto at = parent; at != report::kNone && count < regions.size(); at = nodes_[at].parent) {
    regions[count] = nodes_[at].region;
    nodes[count++] = at;
  }
  for (std::size_t cycle = 1; 2 * cycle <= count; ++cycle) {
    if (std::equal(regions.begin(), regions.begin() + cycle, regions.begin() + cycle)) {
      return nodes[cycle];
    }
  }
  return report::kNone;
}

std::vector<std::string> CauseGroups::names(std::span<const std::uint32_t> call_paths) const {
  if (call_paths.size() == 1) return call_path_names(definitions_, call_paths.front());
  std::vector<std::string> names;
  auto at = of(call_paths.front());
  const auto region = definitions_.call_paths[call_paths.front()].region;
  const bool is_one = std::ranges::all_of(
      call_paths, [&](auto c) { return definitions_.call_paths[c].region == region; });
  if (nodes_[at].region == kFiles && is_one) names.push_back(definitions_.regions[region].name);
  for (; at != report::kNone; at = nodes_[at].parent) {
    if (nodes_[at].region == kFiles) continue;
    names.push_back(definitions_.regions[nodes_[at].region].name);
  }
  std::ranges::reverse(names);
  return names;
}

bool is_file_call(const report::Region& region) {
  return region.paradigm != "mpi" && region.role.starts_with("file io");
}

std::vector<LongerInGroup> longer_in_groups(const report::Report& report,
                                            const CauseGroups& groups) {
  std::vector<LongerInGroup> out;
  if (!report.extras().results) return out;
  const auto& ids = report.call_path_ids();
  for (const auto& one : report.extras().results->longer_computation) {
    const auto path = std::ranges::find(ids, one.call_path);
    const auto within = std::ranges::find(ids, one.within);
    if (path == ids.end() || within == ids.end() ||
        one.location >= report.definitions().locations.size()) {
      continue;
    }
    LongerInGroup next{one, 0, static_cast<std::uint32_t>(path - ids.begin()),
                       static_cast<std::uint32_t>(within - ids.begin())};
    next.group = groups.of(next.call_path);
    const auto known = std::ranges::find_if(out, [&](const LongerInGroup& other) {
      return other.group == next.group && other.longer.location == one.location;
    });
    if (known == out.end()) {
      out.push_back(std::move(next));
      continue;
    }
    // Lines in several functions have no function in common but that of the cause.
    if (groups.of(known->within) != groups.of(next.within)) known->within = known->call_path;
    add(known->longer, one);
  }
  std::ranges::stable_sort(out, std::greater{},
                           [](const LongerInGroup& one) { return one.longer.delay_costs; });
  return out;
}

}  // namespace latecomer::view
