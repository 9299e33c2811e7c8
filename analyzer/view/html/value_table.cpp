// SPDX-License-Identifier: BSD-3-Clause
// Evaluates a metric for all places. Places of one level of the system share no process, so each
// level is evaluated at once.
#include "analyzer/view/html/value_table.hpp"

#include <algorithm>
#include <cmath>

namespace latecomer::view {
namespace {

using report::formula::Aggregate;
using report::formula::PlaceKind;

// Groups of locations that are columns of the table.
struct Level {
  std::vector<std::uint32_t> group_of;  // location -> group
  std::vector<std::size_t> columns;     // group -> column
  PlaceKind kind = PlaceKind::kNode;
};

// Flags by location: true if its process has others.
std::vector<bool> has_siblings(const report::Definitions& d) {
  std::vector<std::uint32_t> threads(d.processes.size());
  for (const auto& location : d.locations) ++threads[location.process];
  std::vector<bool> siblings;
  for (const auto& location : d.locations) siblings.push_back(threads[location.process] > 1);
  return siblings;
}

std::vector<Level> levels_of(const report::Definitions& d, bool places) {
  std::vector<Level> levels;
  // All processes together.
  levels.push_back({std::vector<std::uint32_t>(d.locations.size(), 0), {0}, PlaceKind::kNode});
  if (!places) return levels;
  // Nodes, one level of their tree after the other.
  std::vector<std::size_t> depth;
  for (const auto& node : d.system) {
    depth.push_back(node.parent == report::kNone ? 0 : depth[node.parent] + 1);
  }
  const auto deepest = depth.empty() ? 0 : *std::ranges::max_element(depth) + 1;
  for (std::size_t level = 0; level < deepest; ++level) {
    Level nodes;
    std::vector<std::uint32_t> group(d.system.size(), report::kNone);
    for (std::uint32_t n = 0; n < d.system.size(); ++n) {
      if (depth[n] < level) continue;
      if (depth[n] > level) {
        group[n] = group[d.system[n].parent];
        continue;
      }
      group[n] = static_cast<std::uint32_t>(nodes.columns.size());
      nodes.columns.push_back(1 + n);
    }
    for (const auto& location : d.locations) {
      nodes.group_of.push_back(group[d.processes[location.process].node]);
    }
    levels.push_back(std::move(nodes));
  }
  // Processes.
  Level processes;
  processes.kind = PlaceKind::kProcess;
  for (const auto& location : d.locations) processes.group_of.push_back(location.process);
  for (std::size_t p = 0; p < d.processes.size(); ++p) {
    processes.columns.push_back(1 + d.system.size() + p);
  }
  levels.push_back(std::move(processes));
  // Threads of processes with several threads.
  Level threads;
  threads.kind = PlaceKind::kLocation;
  const std::size_t first = 1 + d.system.size() + d.processes.size();
  for (const bool thread : has_siblings(d)) {
    const auto group = static_cast<std::uint32_t>(threads.columns.size());
    threads.group_of.push_back(thread ? group : report::kNone);
    if (thread) threads.columns.push_back(first + group);
  }
  if (!threads.columns.empty()) levels.push_back(std::move(threads));
  return levels;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

}  // namespace

std::size_t places_of(const report::Definitions& d) {
  const auto siblings = has_siblings(d);
  return d.system.size() + d.processes.size() +
         static_cast<std::size_t>(std::ranges::count(siblings, true));
}

ValueTable value_table(report::Report& report, std::uint32_t metric, bool places) {
  const auto& d = report.definitions();
  const auto call_paths = static_cast<std::uint32_t>(d.call_paths.size());
  ValueTable table;
  table.columns = 1 + (places ? places_of(d) : 0);
  const auto levels = levels_of(d, places);
  std::vector<Aggregate> aggregates;
  for (const auto& level : levels) {
    aggregates.push_back(report.aggregate(level.group_of, level.columns.size(), level.kind));
  }
  const auto evaluated = [&](auto&& evaluate) {
    std::vector<double> row(table.columns);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto values = evaluate(aggregates[i]);
      for (std::size_t g = 0; g < values.size(); ++g) row[levels[i].columns[g]] = values[g];
    }
    return row;
  };
  const auto add = [&](std::uint32_t number, std::vector<double> row,
                       const std::vector<double>& known) {
    if (!same(row, known)) table.rows.push_back({number, std::move(row)});
  };
  const std::vector<double> zeros(table.columns);
  std::vector<std::vector<std::uint32_t>> called(d.regions.size());
  std::vector<OwnRow> own_rows;
  for (std::uint32_t c = 0; c < call_paths; ++c) {
    called[d.call_paths[c].region].push_back(c);
    auto all = evaluated([&](Aggregate& a) { return a.at(metric, c, true); });
    auto own = evaluated([&](Aggregate& a) { return a.at(metric, c, false); });
    if (!same(own, all)) own_rows.push_back({call_paths + c, std::move(own)});
    add(c, std::move(all), zeros);
  }
  for (auto& row : own_rows) table.rows.push_back(std::move(row));
  for (std::uint32_t r = 0; r < called.size(); ++r) {
    if (called[r].size() < 2) continue;
    const auto first = called[r].front();
    add(2 * call_paths + r,
        evaluated([&](Aggregate& a) { return a.over(metric, called[r], false); }),
        evaluated([&](Aggregate& a) { return a.at(metric, first, false); }));
  }
  return table;
}

}  // namespace latecomer::view
