// SPDX-License-Identifier: BSD-3-Clause
// Splits the ideal replay into rounds and passes the steps of all locations to one process.
#include "analyzer/attribution/ideal_network.hpp"

#include <algorithm>
#include <utility>

namespace latecomer::replay {
namespace {

using engine::Step;
using trace::kNone;
using trace::Ticks;

constexpr std::size_t kCallsOfRound = std::size_t{1} << 18;  // calls of one process

// Marks MPI functions and nodes below them. Parents precede their children in the tree.
IdealNetwork::MpiNodes mpi_nodes(const Booking& booking) {
  const MetricId metric = booking.metrics.id("mpi");
  const auto& tree = booking.tree;
  std::vector<std::uint8_t> mpi(tree.nodes.size()), inside(tree.nodes.size());
  for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
    const auto& metrics = booking.map.time_of_region[tree.nodes[node].region];
    mpi[node] = std::ranges::find(metrics, metric) != metrics.end() ? 1 : 0;
    const auto parent = tree.nodes[node].parent;
    if (parent < node) inside[node] = mpi[parent] | inside[parent];
  }
  const auto local = [&](const std::vector<std::uint8_t>& of_global) {
    std::vector<std::uint8_t> of;
    for (const auto node : tree.from_local) of.push_back(of_global[node]);
    return of;
  };
  return {local(mpi), local(inside)};
}

// The first call of a location that begins after the given time.
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

// Adds the beginning of a location. Threads of a process are hosted together, the first one before
// the others. Threads without calls of MPI need no other location and are needed by none. In a
// whole run they begin when they began.
void begin(std::vector<IdealSteps>& steps, const Booking& booking, std::uint32_t l, Ticks run_begin,
           bool whole) {
  const auto& events = booking.mine[l];
  const auto main = booking.definitions.processes[booking.rank_of(l)].locations.front();
  if (events.events == 0) return;
  const Ticks since = events.first - run_begin;
  if (events.location == main) return steps[l].begin(nullptr, since, since);
  if (events.calls.empty()) {
    if (whole) steps[l].begin(nullptr, since, since);
    return;
  }
  std::uint32_t m = l;
  while (m > 0 && booking.mine[m].location != main) --m;
  const auto next = first_after(booking.mine[m], events.first);
  if (booking.mine[m].location != main || next == 0) {
    return steps[l].begin(nullptr, since, since);
  }
  const Step after = steps[m].mark(next - 1);
  steps[l].begin(&after, events.first - booking.mine[m].calls[next - 1].leave, since);
}

}  // namespace

// The replay is possible only if all numbers fit into steps. The ideal network also needs MPI_Init
// of all processes.
IdealNetwork::IdealNetwork(const Recorded& recorded, std::vector<std::uint8_t> phase_of_node,
                           const Progress& progress, parallel::Processes& processes,
                           const WholeRun* whole)
    : recorded_(recorded),
      phase_of_node_(std::move(phase_of_node)),
      mpi_nodes_(mpi_nodes(recorded.booking)),
      progress_(progress),
      host_(processes.least(static_cast<std::int64_t>(recorded.points.waits().size()))),
      whole_(whole != nullptr) {
  const auto& definitions = recorded.booking.definitions;
  const auto& mine = recorded.booking.mine;
  std::vector<std::int64_t> counts(2);
  Ticks first = INT64_MAX;
  for (const auto& events : mine) {
    if (events.init != kNone) ++counts[0];
    if (events.finalize != kNone) ++counts[1];
    if (events.events != 0) first = std::min(first, events.first);
    calls_ += events.calls.size();
  }
  first = processes.min(first);
  processes.sum(counts);
  const auto everybody = static_cast<std::int64_t>(definitions.processes.size());
  const bool fits =
      definitions.locations.size() <= Step::kLargest && definitions.comms.size() < Step::kLargest;
  possible_ = (whole_ || counts[0] == everybody) && fits;
  if (!possible_) return;

  rounds_ =
      static_cast<std::size_t>(processes.max(static_cast<std::int64_t>(calls_))) / kCallsOfRound +
      1;
  steps_.reserve(mine.size());
  for (std::uint32_t l = 0; l < mine.size(); ++l) {
    steps_.emplace_back(recorded_, l,
                        IdealSteps::Nodes{phase_of_node_, mpi_nodes_.functions, mpi_nodes_.inside},
                        counts[0] == everybody, counts[1] == everybody, whole);
    begin(steps_, recorded.booking, l, first, whole_);
  }
  if (processes.rank() == host_ && !whole_) {
    replay_.emplace(definitions, static_cast<std::uint32_t>(everybody));
  }
}

void IdealNetwork::tell(parallel::Packer& to) {
  const auto& mine = recorded_.booking.mine;
  if (possible_ && round_ < rounds_) {
    ++round_;
    for (std::size_t l = 0; l < steps_.size(); ++l) {
      told_.clear();
      steps_[l].tell(mine[l].calls.size() * round_ / rounds_, by_call_, told_);
      if (told_.empty()) continue;
      to.put(mine[l].location);
      to.put_all(std::span<const Step>(told_));
    }
  }
  to.put(kNone);  // end of the list
}

void IdealNetwork::take(parallel::Unpacker& from) {
  for (auto location = from.get<std::uint32_t>(); location != kNone;
       location = from.get<std::uint32_t>()) {
    replay_->add(location, from);
  }
}

void IdealNetwork::replay() {
  if (replay_) replay_->run();
}

engine::StepReplay::Steps IdealNetwork::gather(parallel::Processes& processes) {
  engine::StepReplay::Steps steps(recorded_.booking.definitions.locations.size());
  while (possible_ && round_ < rounds_) {
    std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
    tell(packs[static_cast<std::size_t>(host_)]);
    for (const auto& bytes : processes.exchange(take_all(packs))) {
      if (processes.rank() != host_) break;
      parallel::Unpacker in(bytes);
      for (auto l = in.get<std::uint32_t>(); l != kNone; l = in.get<std::uint32_t>()) {
        in.append_all(steps[l]);
      }
    }
    if (progress_) progress_(Work::kIdealNetwork, calls_ * round_ / rounds_, calls_);
  }
  return steps;
}

// Only the host has results; sums over all processes distribute them.
std::optional<IdealRun> IdealNetwork::finish(parallel::Processes& processes) {
  if (!possible_) return std::nullopt;
  const bool is_host = processes.rank() == host_;
  while (round_ < rounds_) {
    std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
    tell(packs[static_cast<std::size_t>(host_)]);
    for (const auto& bytes : processes.exchange(take_all(packs))) {
      if (!is_host) break;
      parallel::Unpacker in(bytes);
      take(in);
    }
    replay();
    if (progress_) progress_(Work::kIdealNetwork, calls_ * round_ / rounds_, calls_);
  }
  const auto locations = recorded_.booking.definitions.locations.size();
  IdealRun run;
  run.ends.resize(locations);
  run.waits.resize(locations * engine::kPhases);
  if (is_host) {
    replay_->finish();
    run.dropped = replay_->dropped();
    for (std::uint32_t l = 0; l < locations; ++l) {
      run.ends[l] = replay_->end(l);
      for (std::size_t p = 0; p < engine::kPhases; ++p) {
        run.waits[l * engine::kPhases + p] = replay_->waits(l, p);
      }
    }
  }
  processes.sum(run.ends);
  processes.sum(run.waits);
  run.dropped = processes.sum(run.dropped);
  return run;
}

}  // namespace latecomer::replay
