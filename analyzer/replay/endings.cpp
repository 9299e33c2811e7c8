// SPDX-License-Identifier: BSD-3-Clause
// Finds the processes that stopped before MPI_Finalize, and the end of the run.
#include "analyzer/replay/endings.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "archive/layout.hpp"

namespace latecomer::replay {
namespace {

using report::Ending;

// Place at which the events of a process stop before MPI_Finalize.
struct Place {
  std::uint32_t rank = 0;
  Ending::State state = Ending::State::kUnknown;
  std::uint32_t node = 0;  // node of the global call tree; 0: none
  trace::Ticks since = 0;
};

bool is_known_unfinished(const trace::Definitions& definitions) {
  const auto found = definitions.properties.find(layout::kPropertyUnfinished);
  return found != definitions.properties.end() && found->second != "0";
}

// Fills `place`; false if the process need not be named.
bool find_place(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
                const trace::LocationEvents& events, Place& place) {
  const auto& location = definitions.locations[events.location];
  const auto& stop = events.stop;
  place.rank = location.process;
  if (location.thread != 0) return false;
  if (events.events == 0) {  // a missing file is reported elsewhere
    return events.opened && location.events == 0 && is_known_unfinished(definitions);
  }
  if (!events.complete || !stop.unfinished()) return false;
  using enum Ending::State;
  place.state = stop.aborted                            ? kAborted
                : lost_records(definitions, place.rank) ? kNotStored
                : stop.exited                           ? kExited
                : stop.mpi_node != 0                    ? kInCall
                                                        : kOutside;
  place.node = stop.mpi_node != 0 && place.state != kNotStored ? tree.from_local[stop.mpi_node] : 0;
  place.since = stop.since;
  return true;
}

std::vector<std::string> path_of(const trace::Definitions& definitions,
                                 const trace::GlobalCallTree& tree, std::uint32_t node) {
  std::vector<std::string> path;
  for (; node != trace::kNone; node = tree.nodes[node].parent) {
    path.push_back(definitions.regions[tree.nodes[node].region].name);
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace

bool lost_records(const trace::Definitions& definitions, std::uint32_t rank) {
  return definitions.processes[rank].properties.contains(layout::kPropertyRecordsLost);
}

trace::Ticks end_of_run(const trace::Definitions& definitions,
                        const std::vector<trace::LocationEvents>& mine,
                        parallel::Processes& processes) {
  trace::Ticks end = 0;
  for (const auto& events : mine) {
    if (events.events > 0) end = std::max({end, events.last, events.stop.accounted});
  }
  end = processes.max(end);
  // A damaged number must not extend the run to centuries.
  constexpr std::uint64_t kSecondsAtMost = 366ULL * 24 * 3600;
  const bool credible = definitions.trace_length / definitions.ticks_per_second < kSecondsAtMost;
  if (is_known_unfinished(definitions) && credible) {
    end = std::max(end, static_cast<trace::Ticks>(definitions.trace_length));
  }
  return end;
}

std::vector<Ending> endings(const trace::Definitions& definitions,
                            const trace::GlobalCallTree& tree,
                            const std::vector<trace::LocationEvents>& mine, trace::Ticks first,
                            parallel::Processes& processes) {
  parallel::Packer pack;
  for (const auto& events : mine) {
    Place place;
    if (find_place(definitions, tree, events, place)) pack.put(place);
  }
  std::vector<Place> places;
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker part(bytes); !part.done();) places.push_back(part.get<Place>());
  }
  std::ranges::sort(places, {}, &Place::rank);
  std::map<std::pair<Ending::State, std::uint32_t>, std::vector<Place>> groups;
  for (const auto& place : places) groups[{place.state, place.node}].push_back(place);

  std::vector<Ending> out;
  for (const auto& [key, members] : groups) {
    Ending& ending = out.emplace_back();
    ending.state = key.first;
    if (key.second != 0) ending.call_path = path_of(definitions, tree, key.second);
    for (const auto& place : members) ending.ranks.push_back(static_cast<int>(place.rank));
    if (ending.state == Ending::State::kUnknown) continue;
    const auto since = std::ranges::min(members, {}, &Place::since).since - first;
    ending.since = static_cast<double>(since) / static_cast<double>(definitions.ticks_per_second);
  }
  std::ranges::stable_sort(
      out, {}, [](const Ending& ending) { return std::pair(ending.state, ending.ranks.front()); });
  return out;
}

}  // namespace latecomer::replay
