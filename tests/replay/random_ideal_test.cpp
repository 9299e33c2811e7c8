// SPDX-License-Identifier: BSD-3-Clause
// Random programs on an ideal network. Any number of processes finds what one process finds. On one
// process the result is compared with a list of all dependencies, whose times are raised until
// nothing changes. LATECOMER_RANDOM_PROGRAMS is the number of programs, instead of 400 (75 on three
// and more processes).
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <tuple>

#include "analyzer/attribution/causes.hpp"
#include "analyzer/attribution/efficiency.hpp"
#include "analyzer/report/extras/pop_efficiency.hpp"
#include "analyzer/waits/waits.hpp"
#include "patterns/calls/collective_class.hpp"
#include "tests/replay/random_run.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

using causes::SyncPoint;
using trace::kNone;
using trace::Ticks;

// A call does not end before another call has begun, or ended.
struct Dependency {
  std::uint32_t location = 0, call = 0;
  std::uint32_t on_location = 0, on_call = 0;
  bool on_leave = false;
};

// All dependencies of the run: those that the program guarantees, sends that wait for their
// receives, MPI_Init and MPI_Finalize, and synchronizations that happened as recorded.
std::vector<Dependency> dependencies(const RandomRun& run, const replay::Recorded& recorded) {
  const auto& booking = recorded.booking;
  const auto& mine = booking.mine;
  std::vector<Dependency> all;
  for (const auto& [from, to] : run.guarantees()) {
    const auto& a = mine[from.process];
    const auto& b = mine[to.process];
    if (to.kind == Point::kReceive) {
      all.push_back(
          {to.process, b.receives[to.index].call, from.process, a.sends[from.index].call});
    } else if (to.kind == Point::kEnd) {
      const auto& own = b.collectives[to.index];
      const auto& kind = b.kinds[own.kind];
      const auto c = patterns::collective_class(kind.operation);
      if (c == patterns::CollectiveClass::kFence || c == patterns::CollectiveClass::kWindow ||
          booking.definitions.comms[kind.comm].inter) {
        continue;
      }
      all.push_back({to.process, own.call, from.process, a.collectives[from.index].start});
    }
  }
  recorded.messages.for_each(
      mine, [&](std::uint32_t l, const trace::Message& receive, const replay::SentMessage& send) {
        const auto& sent = mine[send.location].sends[send.index];
        if (sent.other != kNone &&
            recorded.senders.waits_for_receive(send.location, send.index, sent)) {
          all.push_back({send.location, sent.other, l,
                         receive.other == kNone ? receive.call : receive.other});
        }
        return true;
      });
  for (std::uint32_t l = 0; l < mine.size(); ++l) {
    for (std::uint32_t other = 0; other < mine.size(); ++other) {
      all.push_back({l, mine[l].init, other, mine[other].init});
      all.push_back({l, mine[l].finalize, other, mine[other].finalize});
    }
    for (const auto& point : recorded.points.of(l)) {
      if (!patterns::is_as_recorded(point.kind) || point.partner == kNone) continue;
      if (point.role == SyncPoint::Role::kWaiter) {
        const bool on_leave =
            point.kind == patterns::WaitKind::kEarlyWait || point.kind == patterns::WaitKind::kLock;
        all.push_back({l, point.call, point.partner, point.key, on_leave});
      } else if (point.role == SyncPoint::Role::kMeeting) {
        for (std::uint32_t other = 0; other < mine.size(); ++other) {
          for (const auto& own : mine[other].collectives) {
            if (own.kind != trace::Collective::kOpen && own.instance == point.key &&
                mine[other].kinds[own.kind].comm == point.partner) {
              all.push_back({l, point.call, other, own.call});
            }
          }
        }
      }
    }
  }
  return all;
}

// Exclusive times outside of MPI between the enters of consecutive calls, and after the last one.
std::vector<Ticks> work_of(const replay::Booking& booking, std::size_t l) {
  const auto& events = booking.mine[l];
  const auto mpi = booking.metrics.id("mpi");
  std::vector<Ticks> work(events.calls.size() + 1);
  Ticks begin = events.first;
  std::uint32_t node = 0;
  events.timeline.for_each([&](Ticks end, std::uint32_t next) {
    const auto region = booking.tree.nodes[booking.tree.from_local[node]].region;
    const auto& metrics = booking.map.time_of_region[region];
    if (std::ranges::find(metrics, mpi) == metrics.end()) {
      std::size_t c = 0;
      while (c < events.calls.size() && events.calls[c].enter <= begin) ++c;
      work[c] += end - begin;
    }
    begin = end;
    node = next;
  });
  return work;
}

// Times at which the locations end on an ideal network. All times begin at 0 and are raised as far
// as work and dependencies require, until none changes.
std::vector<Ticks> ends_by_brute_force(const RandomRun& run, const replay::Recorded& recorded) {
  const auto& booking = recorded.booking;
  const auto& mine = booking.mine;
  const auto all = dependencies(run, recorded);
  Ticks first = INT64_MAX;
  for (const auto& events : mine) first = std::min(first, events.first);
  std::vector<std::vector<Ticks>> work, enter(mine.size()), leave(mine.size());
  for (std::size_t l = 0; l < mine.size(); ++l) {
    work.push_back(work_of(booking, l));
    // A location that begins later than the others has that time as work.
    work[l][0] += mine[l].first - first;
    enter[l].resize(mine[l].calls.size());
    leave[l].resize(mine[l].calls.size());
  }
  for (bool changed = true; changed;) {
    changed = false;
    const auto raise = [&](Ticks& time, Ticks least) {
      if (time >= least) return;
      time = least;
      changed = true;
    };
    for (std::size_t l = 0; l < mine.size(); ++l) {
      for (std::size_t c = 0; c < enter[l].size(); ++c) {
        raise(enter[l][c], (c == 0 ? 0 : leave[l][c - 1]) + work[l][c]);
        raise(leave[l][c], enter[l][c]);
      }
    }
    for (const auto& d : all) {
      raise(leave[d.location][d.call], (d.on_leave ? leave : enter)[d.on_location][d.on_call]);
    }
  }
  std::vector<Ticks> ends;
  for (std::size_t l = 0; l < mine.size(); ++l) ends.push_back(leave[l].back() + work[l].back());
  return ends;
}

nlohmann::json json_of(const std::optional<report::Efficiency>& efficiency) {
  report::JsonWriter out;
  if (!efficiency) return nullptr;
  write(out, *efficiency);
  return nlohmann::json::parse(out.take());
}

// Results of an analysis on the given processes.
struct Found {
  Found(const RandomRun& run, parallel::Processes& processes) {
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
    const replay::Recorded recorded{waits.booking(), messages, waits.senders(),
                                    waits.unmatched_collectives(), waits.points()};
    // The replay runs once beside the causes and once alone.
    replay::Efficiency beside(recorded, nullptr, processes);
    (void)replay::book_causes(waits.booking(), waits.points(), beside.ideal_network(), nullptr,
                              processes);
    efficiency = json_of(beside.result(processes));
    const std::vector<std::uint8_t> phases(tree.from_local.size(), 3);
    const auto found = replay::IdealNetwork(recorded, phases, nullptr, processes).finish(processes);
    REQUIRE(found);
    ideal = *found;
    const auto alone = replay::Efficiency(recorded, nullptr, processes).result(processes);
    CHECK(json_of(alone) == efficiency);
    if (processes.size() == 1) expected = ends_by_brute_force(run, recorded);
  }
  replay::IdealRun ideal;
  nlohmann::json efficiency;
  std::vector<Ticks> expected;
};

}  // namespace

TEST_CASE("ideal network: random programs") {
  parallel::Processes processes(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  const char* wanted = std::getenv("LATECOMER_RANDOM_PROGRAMS");
  const unsigned programs = wanted != nullptr      ? static_cast<unsigned>(std::atoi(wanted))
                            : processes.size() < 3 ? 400
                                                   : 75;
  Ticks waited = 0;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    INFO("seed " << seed);
    const RandomRun run(seed, true);
    const Found found(run, alone);
    CHECK(found.ideal.dropped == 0);
    CHECK(found.ideal.ends == found.expected);
    for (std::size_t i = 0; i < found.ideal.waits.size(); ++i) {
      if (i % engine::kPhases != 3) CHECK(found.ideal.waits[i] == 0);
      waited += found.ideal.waits[i];
    }
    for (const char* part : {"serialization", "transfer"}) {
      CHECK(found.efficiency[part] <= 1);
      CHECK(found.efficiency[part] > 0);
    }
    if (processes.size() == 1) continue;
    const Found same(run, processes);
    CHECK(same.ideal.ends == found.ideal.ends);
    CHECK(same.ideal.waits == found.ideal.waits);
    CHECK(same.efficiency == found.efficiency);
  }
  CHECK(waited > 0);
}
