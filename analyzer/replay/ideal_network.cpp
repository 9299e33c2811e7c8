// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/ideal_network.hpp"

#include <algorithm>
#include <utility>

namespace latecomer::replay {
namespace {

using causes::Step;
using trace::kNone;
using trace::Ticks;

constexpr int kRoot = 0;
constexpr std::size_t kCallsOfRound = std::size_t{1} << 18;  // of a process

std::vector<bool> mpi_nodes(const Booking& booking) {
  const MetricId mpi = booking.metrics.id("mpi");
  std::vector<bool> nodes;
  for (const auto node : booking.tree.from_local) {
    const auto& metrics = booking.map.time_of_region[booking.tree.nodes[node].region];
    nodes.push_back(std::ranges::find(metrics, mpi) != metrics.end());
  }
  return nodes;
}

// The first call of a location that begins after a moment.
std::uint32_t first_after(const trace::LocationEvents& events, Ticks time) {
  std::uint32_t low = 0, high = static_cast<std::uint32_t>(events.calls.size());
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    if (events.calls[middle].enter <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// When a location begins. Threads of a process are hosted together, the first one before the
// others; threads without calls of MPI need nobody, and nobody needs them.
void begin(std::vector<IdealSteps>& steps, const Booking& booking, std::uint32_t l,
           Ticks run_begin) {
  const auto& events = booking.mine[l];
  const auto main = booking.definitions.processes[booking.rank_of(l)].locations.front();
  if (events.events == 0) return;
  if (events.location == main) return steps[l].begin(nullptr, events.first - run_begin);
  if (events.calls.empty()) return;
  std::uint32_t m = l;
  while (m > 0 && booking.mine[m].location != main) --m;
  const auto next = first_after(booking.mine[m], events.first);
  if (booking.mine[m].location != main || next == 0) {
    return steps[l].begin(nullptr, events.first - run_begin);
  }
  const Step after = steps[m].mark(next - 1);
  steps[l].begin(&after, events.first - booking.mine[m].calls[next - 1].leave);
}

// In rounds of bounded size: while the root replays one, the others put the next one together.
void send_steps(std::vector<IdealSteps>& steps, const std::vector<trace::LocationEvents>& mine,
                causes::IdealReplay* replay, const Progress& progress,
                parallel::Processes& processes) {
  std::size_t calls = 0;
  for (const auto& events : mine) calls += events.calls.size();
  const auto most = static_cast<std::size_t>(processes.max(static_cast<std::int64_t>(calls)));
  const std::size_t rounds = most / kCallsOfRound + 1;
  memory::Vector<Step> told;
  for (std::size_t round = 1; round <= rounds; ++round) {
    std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
    for (std::size_t l = 0; l < steps.size(); ++l) {
      told.clear();
      steps[l].tell(mine[l].calls.size() * round / rounds, told);
      if (told.empty()) continue;
      packs[kRoot].put(mine[l].location);
      packs[kRoot].put_all(std::span<const Step>(told));
    }
    for (const auto& bytes_of : processes.exchange(take_all(packs))) {
      for (parallel::Unpacker in(bytes_of); !in.done();) {
        const auto location = in.get<std::uint32_t>();
        in.get_all(told);
        if (replay != nullptr) replay->add(location, told);
      }
    }
    if (replay != nullptr) replay->run();
    if (progress) progress(Work::kIdealNetwork, calls * round / rounds, calls);
  }
}

}  // namespace

std::optional<IdealRun> replay_on_ideal_network(const Recorded& recorded,
                                                std::span<const std::uint8_t> phase_of_node,
                                                const Progress& progress,
                                                parallel::Processes& processes) {
  const auto& definitions = recorded.booking.definitions;
  const auto& mine = recorded.booking.mine;
  std::vector<std::int64_t> counts(2);
  Ticks first = INT64_MAX;
  for (const auto& events : mine) {
    if (events.init != kNone) ++counts[0];
    if (events.finalize != kNone) ++counts[1];
    if (events.events != 0) first = std::min(first, events.first);
  }
  first = processes.min(first);
  processes.sum(counts);
  const auto everybody = static_cast<std::int64_t>(definitions.processes.size());
  const bool fits =
      definitions.locations.size() <= Step::kLargest && definitions.comms.size() < Step::kLargest;
  if (counts[0] != everybody || !fits) return std::nullopt;

  const auto mpi = mpi_nodes(recorded.booking);
  std::vector<IdealSteps> steps;
  steps.reserve(mine.size());
  for (std::uint32_t l = 0; l < mine.size(); ++l) {
    steps.emplace_back(recorded, l, IdealSteps::Nodes{phase_of_node, mpi}, counts[1] == everybody);
    begin(steps, recorded.booking, l, first);
  }
  std::optional<causes::IdealReplay> replay;
  if (processes.rank() == kRoot) {
    replay.emplace(definitions, static_cast<std::uint32_t>(everybody));
  }
  send_steps(steps, mine, replay ? &*replay : nullptr, progress, processes);
  IdealRun run;
  run.ends.resize(definitions.locations.size());
  run.waits.resize(definitions.locations.size() * causes::kPhases);
  if (replay) {
    replay->finish();
    run.dropped = replay->dropped();
    for (std::uint32_t l = 0; l < definitions.locations.size(); ++l) {
      run.ends[l] = replay->end(l);
      for (std::size_t p = 0; p < causes::kPhases; ++p) {
        run.waits[l * causes::kPhases + p] = replay->waits(l, p);
      }
    }
  }
  processes.sum(run.ends);
  processes.sum(run.waits);
  run.dropped = processes.sum(run.dropped);
  return run;
}

}  // namespace latecomer::replay
