// SPDX-License-Identifier: BSD-3-Clause
// Reads clock offsets, which the archive stores for every reader, and errors and latencies from its
// properties.
#include "analyzer/inspect/read_clocks.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "analyzer/trace/archive_reader.hpp"
#include "analyzer/trace/definitions/clock_measurements.hpp"
#include "archive/layout.hpp"
#include "sync/clock_tree.hpp"
#include "sync/latency.hpp"

namespace latecomer::cli {
namespace {

// The lowest rank that reads the same clock, as stated in the archive. Without a statement, the
// lowest rank of the same node with the same offsets, as long as the ranks are consecutive.
std::uint32_t leader_of(const trace::ArchiveReader& archive, std::uint32_t rank) {
  const auto& d = archive.definitions();
  if (const auto named = trace::clock_of(d, rank)) return *named;
  std::uint32_t leader = rank;
  const auto offsets = [&](std::uint32_t r) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> out;
    if (d.processes[r].locations.empty()) return out;
    for (const auto& o : archive.clock_offsets(d.processes[r].locations[0])) {
      out.emplace_back(o.time, o.offset);
    }
    return out;
  };
  while (leader > 0 && d.processes[leader - 1].node == d.processes[rank].node &&
         offsets(leader - 1) == offsets(rank)) {
    --leader;
  }
  return leader;
}

std::string metahost_name(const trace::Definitions& d, std::int64_t id) {
  for (const auto& metahost : d.metahosts) {
    if (metahost.id == id) return metahost.name;
  }
  return std::to_string(id);
}

// The error in nanoseconds at a time, limited to the times of measurements: the outer offsets of an
// archive may lie far outside the run.
double error_while_measured(const sync::Correction& correction, std::uint64_t time) {
  if (correction.bounds.empty()) return 0;
  return static_cast<double>(correction.error(std::clamp(
      static_cast<std::int64_t>(time), correction.bounds.front().at, correction.bounds.back().at)));
}

}  // namespace

Result<view::ClockInfo> read_clocks(const std::filesystem::path& experiment) {
  auto archive = trace::ArchiveReader::open(experiment);
  if (!archive) return archive.problem();
  const auto& d = archive->definitions();
  std::vector<std::uint32_t> locations(d.locations.size());
  std::iota(locations.begin(), locations.end(), 0U);
  archive->select(locations);

  view::ClockInfo info;
  info.program = d.program;
  const auto scheme = d.properties.find(layout::kPropertyClockScheme);
  if (scheme != d.properties.end()) info.scheme = scheme->second;
  const auto measured = trace::measurements_of(d);
  std::set<std::uint32_t> moments;
  for (const auto& m : measured) moments.insert(m.moment);
  info.moments = static_cast<std::uint32_t>(moments.size());
  const auto corrections = sync::corrections(
      measured, sync::scheme_of_name(info.scheme).value_or(sync::Scheme::kHierarchical));

  std::map<std::uint32_t, view::ClockInfo::Clock> clocks;
  for (std::uint32_t rank = 0; rank < d.processes.size(); ++rank) {
    const std::uint32_t leader = leader_of(*archive, rank);
    auto& clock = clocks[leader];
    clock.ranks.push_back(rank);
    if (clock.ranks.size() > 1) continue;
    const auto& process = d.processes[rank];
    clock.leader = leader;
    clock.node = process.node == trace::kNone ? "" : d.system[process.node].name;
    clock.metahost = d.metahosts[process.metahost].name;
    if (rank == 0 || process.locations.empty()) continue;
    const auto seconds = [&](auto ticks) {
      return static_cast<double>(ticks) / static_cast<double>(d.ticks_per_second);
    };
    const auto& offsets = archive->clock_offsets(process.locations[0]);
    const auto found = corrections.clocks.find(leader);
    for (const auto& o : offsets) {
      const double error = found == corrections.clocks.end()
                               ? -1
                               : error_while_measured(found->second, o.time) * 1e-9;
      clock.points.push_back({seconds(o.time - offsets.front().time), seconds(o.offset), error});
    }
  }
  for (auto& [leader, clock] : clocks) info.clocks.push_back(std::move(clock));

  const auto latencies = d.properties.find(layout::kPropertyLatencies);
  if (latencies != d.properties.end()) {
    for (const auto& l :
         sync::parse_latencies(latencies->second).value_or(std::vector<sync::Latency>{})) {
      info.latencies.push_back(
          {metahost_name(d, l.a), metahost_name(d, l.b), static_cast<double>(l.minimum) * 1e-9});
    }
  }
  return info;
}

}  // namespace latecomer::cli
