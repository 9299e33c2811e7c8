// SPDX-License-Identifier: BSD-3-Clause
// Random programs as whole runs: with the durations of the run each location ends when it ended, to
// the tick. Faster work never makes a location end later. Any number of processes finds the same.
// LATECOMER_RANDOM_PROGRAMS is the number of programs, instead of 200 (50 on three and more
// processes).
#include <catch2/catch.hpp>
#include <cstdlib>

#include "analyzer/attribution/ideal_network.hpp"
#include "analyzer/predict/whole_replay.hpp"
#include "analyzer/waits/waits.hpp"
#include "tests/replay/random_run.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

using engine::Durations;
using engine::Pace;
using engine::StepReplay;
using trace::Ticks;

// Ends and waits of all locations in one replay.
struct Times {
  std::vector<Ticks> ends, waits;
  std::int64_t dropped = 0;
  bool operator==(const Times&) const = default;

  Times() = default;
  Times(const StepReplay& replay, std::size_t locations) : dropped(replay.dropped()) {
    for (std::uint32_t l = 0; l < locations; ++l) {
      ends.push_back(replay.end(l));
      for (std::size_t g = 0; g < replay::kWaitGroups; ++g) waits.push_back(replay.waits(l, g));
    }
  }
  void share(parallel::Processes& processes, std::size_t locations) {
    ends.resize(locations);
    waits.resize(locations * replay::kWaitGroups);
    processes.sum(ends);
    processes.sum(waits);
    dropped = processes.sum(dropped);
  }
};

// The recorded run, the same replayed again, work twice as fast everywhere, a little faster on one
// location, and half of the latency.
struct Found {
  Times recorded, same, twice, one_faster, near;
  std::vector<Ticks> lasts;

  Found(const RandomRun& run, unsigned seed, parallel::Processes& processes) {
    const auto& definitions = run.definitions();
    const patterns::MetricTree metrics(replay::computed_metrics(definitions));
    const replay::Partition partition(definitions, processes.size());
    trace::CallTree local(definitions.program_region);
    auto mine = run.read(partition.locations_of(definitions, processes.rank()), local);
    replay::MatchedMessages messages(definitions, partition, mine, processes);
    replay::count_instances(definitions, mine, processes);
    const auto tree = trace::unify(local, processes);
    replay::Waits waits(definitions, tree, metrics, run.topology(), partition, mine, {}, processes);
    REQUIRE(waits.find(messages, false));
    waits.points().connect(processes);
    const replay::Recorded recorded_run{waits.booking(), messages, waits.senders(),
                                        waits.unmatched_collectives(), waits.points()};
    replay::WholeRun whole{.topology = &run.topology(),
                           .comm_links = predict::slowest_links(definitions, run.topology()),
                           .transfers = {},
                           .rate_of_node = {},
                           .shares = true,
                           .eager_limit = {}};
    whole.transfers.add(sync::LinkClass::kNode, 1, 3);
    whole.transfers.add(sync::LinkClass::kMetahost, 0, 5);
    whole.transfers.add(sync::LinkClass::kMetahost, 100, 50);
    // All nodes but those of MPI have the one rate.
    for (const auto node : tree.from_local) {
      whole.rate_of_node.push_back(definitions.regions[tree.nodes[node].region].mpi ? trace::kNone
                                                                                    : 0);
    }
    replay::IdealNetwork network(recorded_run, {}, nullptr, processes, &whole);
    auto steps = network.gather(processes);
    const auto locations = definitions.locations.size();
    if (processes.rank() == network.host()) {
      const auto everybody = static_cast<std::uint32_t>(definitions.processes.size());
      StepReplay fit(definitions, everybody, StepReplay::Mode::kFit, std::move(steps));
      fit.finish();
      recorded = {fit, locations};
      steps = fit.take_steps();
      const auto changed = [&](Durations durations) {
        StepReplay replay(definitions, everybody, StepReplay::Mode::kChanged, std::move(steps),
                          std::move(durations));
        replay.finish();
        Times times(replay, locations);
        steps = replay.take_steps();
        return times;
      };
      same = changed({});
      Durations durations{.rates = 1, .of_rate = std::vector<Pace>(locations, {1, 2})};
      twice = changed(durations);
      durations.of_rate.assign(locations, {});
      durations.of_rate[seed % locations] = {9, 10};
      one_faster = changed(durations);
      near = changed({.latency = {1, 2}});
    }
    for (auto* times : {&recorded, &same, &twice, &one_faster, &near}) {
      times->share(processes, locations);
    }
    Ticks first = INT64_MAX;
    for (const auto& events : mine) first = std::min(first, events.first);
    first = processes.min(first);
    lasts.resize(locations);
    for (const auto& events : mine) lasts[events.location] = events.last - first;
    processes.sum(lasts);
  }
};

}  // namespace

TEST_CASE("prediction: random programs") {
  parallel::Processes processes(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  const char* wanted = std::getenv("LATECOMER_RANDOM_PROGRAMS");
  const unsigned programs = wanted != nullptr      ? static_cast<unsigned>(std::atoi(wanted))
                            : processes.size() < 3 ? 200
                                                   : 50;
  Ticks waited = 0, saved = 0;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    INFO("seed " << seed);
    // Wrong clocks, too: the times of a run hold whatever they are.
    const RandomRun run(seed, seed % 4 != 0);
    const Found found(run, seed, alone);
    CHECK(found.recorded.ends == found.lasts);
    CHECK(found.recorded.dropped == 0);
    CHECK(found.same == found.recorded);
    for (std::size_t l = 0; l < found.lasts.size(); ++l) {
      CHECK(found.one_faster.ends[l] <= found.lasts[l]);
      CHECK(found.twice.ends[l] <= found.one_faster.ends[l]);
      CHECK(found.near.ends[l] <= found.lasts[l]);
      saved += found.lasts[l] - found.twice.ends[l];
    }
    for (const auto wait : found.recorded.waits) waited += wait;
    if (processes.size() == 1) continue;
    const Found with_others(run, seed, processes);
    CHECK(with_others.same == found.same);
    CHECK(with_others.twice == found.twice);
    CHECK(with_others.one_faster == found.one_faster);
    CHECK(with_others.near == found.near);
  }
  CHECK(waited > 0);
  CHECK(saved > 0);
}
