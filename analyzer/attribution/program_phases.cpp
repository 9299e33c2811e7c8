// SPDX-License-Identifier: BSD-3-Clause
// Chooses the call paths that are shown as phases.
#include "analyzer/attribution/program_phases.hpp"

#include <algorithm>

#include "analyzer/engine/step_replay.hpp"

namespace latecomer::replay {
namespace {

using trace::Ticks;

constexpr int kSmallestShare = 20;  // a phase takes at least one 20th of the time

// Inclusive times by node of the global tree. Collective.
std::vector<Ticks> inclusive_times(const Booking& booking, parallel::Processes& processes) {
  const auto& nodes = booking.tree.nodes;
  const MetricId time = booking.metrics.id("time");
  std::vector<Ticks> times(nodes.size());
  for (std::uint32_t c = 0; c < nodes.size(); ++c) {
    for (std::size_t l = 0; l < booking.mine.size(); ++l) times[c] += booking.value(time, l, c);
  }
  processes.sum(times);
  for (std::size_t c = nodes.size(); c-- > 1;) times[nodes[c].parent] += times[c];
  return times;
}

}  // namespace

// `above` is the function whose callees are examined. While it has only one large callee, the
// search goes on below that one.
ProgramPhases find_phases(const Booking& booking, parallel::Processes& processes) {
  const auto& nodes = booking.tree.nodes;
  // In such traces, code before the first MPI call of a function and after its last one is
  // attributed to other functions.
  if (booking.definitions.call_paths_from_stacks()) {
    return {{}, std::vector<std::uint8_t>(nodes.size())};
  }
  const auto times = inclusive_times(booking, processes);
  const MetricId computation = booking.metrics.id("comp");
  const auto is_function = [&](std::uint32_t c) {
    const auto& metrics = booking.map.time_of_region[nodes[c].region];
    return std::ranges::find(metrics, computation) != metrics.end();
  };
  ProgramPhases phases{{}, std::vector<std::uint8_t>(nodes.size())};
  for (std::uint32_t above = 0; phases.call_paths.empty();) {
    for (std::uint32_t c = above + 1; c < nodes.size(); ++c) {
      if (nodes[c].parent == above && is_function(c) && times[c] >= times[0] / kSmallestShare &&
          times[c] > 0) {
        phases.call_paths.push_back(c);
      }
    }
    if (phases.call_paths.empty()) return phases;
    if (phases.call_paths.size() == 1) {
      above = phases.call_paths.front();
      phases.call_paths.clear();
    }
  }
  if (phases.call_paths.size() >= engine::kPhases) {
    std::ranges::stable_sort(phases.call_paths, std::ranges::greater(),
                             [&](std::uint32_t c) { return times[c]; });
    phases.call_paths.resize(engine::kPhases - 1);
    std::ranges::sort(phases.call_paths);
  }
  for (std::size_t p = 0; p < phases.call_paths.size(); ++p) {
    phases.of_node[phases.call_paths[p]] = static_cast<std::uint8_t>(p + 1);
  }
  for (std::uint32_t c = 1; c < nodes.size(); ++c) {
    if (phases.of_node[c] == 0) phases.of_node[c] = phases.of_node[nodes[c].parent];
  }
  return phases;
}

}  // namespace latecomer::replay
