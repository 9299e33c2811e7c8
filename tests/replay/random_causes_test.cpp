// SPDX-License-Identifier: BSD-3-Clause
// Properties that hold for the causes in every program. Costs add up to the waits that they
// explain. Parts are not larger than the whole. Every wait for a location that was in step has a
// cause. The critical path is as long as the run. The results are the same for every number of
// processes.
//
// On one process everything is computed a second time by brute force. LATECOMER_RANDOM_PROGRAMS is
// the number of programs, instead of 1000 (75 on three and more processes). Half as many programs
// have threads.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "analyzer/attribution/cause_metrics.hpp"
#include "analyzer/attribution/causes.hpp"
#include "analyzer/attribution/computation/delay_reason_booking.hpp"
#include "analyzer/attribution/imbalance_booking.hpp"
#include "analyzer/waits/waits.hpp"
#include "archive/layout.hpp"
#include "tests/replay/brute_force_causes.hpp"
#include "tests/replay/random_run.hpp"
#include "tests/replay/random_threads.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

using trace::Ticks;

// Sums of all values of the hosted locations, and a hash that shows any difference.
struct Sums {
  Sums() = default;
  Sums(replay::Booking& booking, parallel::Processes& processes) {
    const auto& metrics = booking.metrics;
    of_metric.resize(metrics.size());
    for (patterns::MetricId id = 0; id < metrics.size(); ++id) {
      for (std::uint32_t c = 0; c < booking.tree.nodes.size(); ++c) {
        for (std::size_t l = 0; l < booking.mine.size(); ++l) {
          const auto value = booking.value(id, l, c);
          of_metric[id] += value;
          hash += static_cast<std::int64_t>(
              (static_cast<std::uint64_t>(value) * (c * 64 + booking.mine[l].location + 1) *
               0x9e3779b97f4a7c15) >>
              40);
        }
      }
    }
    processes.sum(of_metric);
    hash = processes.sum(hash);
  }
  std::vector<std::int64_t> of_metric;
  std::int64_t hash = 0;
};

// Every part of a wait of one kind is at least 0 and at most the wait.
void check_parts(replay::Booking& booking) {
  const auto& metrics = booking.metrics;
  const replay::CauseMetrics of_kinds(metrics);
  std::int64_t wrong = 0;
  for (std::size_t k = 0; k < patterns::kWaitKindCount; ++k) {
    const auto& names = patterns::wait_kinds()[k];
    if (names.split.empty()) continue;
    if (metrics.id(names.wait) == patterns::MetricTree::kNone) continue;  // no files recorded
    for (const auto part : {metrics.id("mpi_wait_indirect_" + std::string(names.split)),
                            metrics.id("mpi_wait_propagating_" + std::string(names.chain)),
                            metrics.id("mpi_wait_direct_" + std::string(names.split)),
                            metrics.id("mpi_wait_terminal_" + std::string(names.chain))}) {
      for (std::uint32_t c = 0; c < booking.tree.nodes.size(); ++c) {
        for (std::size_t l = 0; l < booking.mine.size(); ++l) {
          const auto value = booking.value(part, l, c);
          if (value < 0 || value > of_kinds.waited(booking, k, l, c)) ++wrong;
        }
      }
    }
  }
  CHECK(wrong == 0);
}

// The metric tree adds up: in each cell the children are not negative and together at most their
// parent.
void check_tree(const replay::Booking& booking) {
  const auto& metrics = booking.metrics;
  std::int64_t wrong = 0;
  std::vector<std::int64_t> children(metrics.size());
  for (std::uint32_t c = 0; c < booking.tree.nodes.size(); ++c) {
    for (std::size_t l = 0; l < booking.mine.size(); ++l) {
      std::ranges::fill(children, 0);
      for (patterns::MetricId id = static_cast<patterns::MetricId>(metrics.size()); id-- > 0;) {
        const auto value = booking.value(id, l, c);
        // The imbalance of the critical path is negative where processes do more than the run
        // takes. That happens in parts that are not on the path at all.
        const bool any_sign = metrics[id].name.find("partition_imbalance") != std::string::npos ||
                              metrics[id].name == "critical_imbalance_impact" ||
                              metrics[id].name.starts_with("performance_impact");
        if (!any_sign && (value < 0 || children[id] > value)) {
          UNSCOPED_INFO(metrics[id].name << " " << value << " < " << children[id]);
          ++wrong;
        }
        if (metrics.parent(id) != patterns::MetricTree::kNone) {
          children[metrics.parent(id)] += value;
        }
      }
    }
  }
  CHECK(wrong == 0);
}

// The reasons of delays are the delay costs, divided further: exactly the same sum in each cell.
void check_reasons(const replay::Booking& booking) {
  const auto& metrics = booking.metrics;
  const replay::CauseMetrics causes(metrics);
  const auto root = metrics.id("delay_reasons");
  std::int64_t wrong = 0;
  for (std::uint32_t c = 0; c < booking.tree.nodes.size(); ++c) {
    for (std::size_t l = 0; l < booking.mine.size(); ++l) {
      if (booking.value(root, l, c) != causes.delay_costs(booking, l, c)) ++wrong;
      std::int64_t reasons = 0;
      for (patterns::MetricId id = 0; id < metrics.size(); ++id) {
        if (metrics.parent(id) == root) reasons += booking.value(id, l, c);
      }
      if (reasons != booking.value(root, l, c)) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

// The definitions of an archive in which samples and the kernel tell of computation.
trace::Definitions telling(trace::Definitions definitions) {
  definitions.properties[layout::kPropertySamples] = "1";
  definitions.sample_clocks = {{.period = 100}, {.period = 100, .in_kernel = true}};
  definitions.counters = {{.name = layout::kMetricPreempted, .is_sum = true, .is_time = true},
                          {.name = layout::kMetricBlocked, .is_sum = true, .is_time = true}};
  for (auto& region : definitions.regions) region.computation = region.name == "work";
  return definitions;
}

// Makes up what was told of a location: one half of the stretches of computation has times without
// a core, now and then more than it is long, and some have a sample. The same on every process.
void tell(trace::LocationEvents& events, const trace::CallTree& tree,
          const trace::Definitions& definitions) {
  using trace::StretchCounter;
  std::mt19937_64 random(events.location);
  events.sampled.clear();
  Ticks begin = events.first;
  std::uint32_t node = 0;
  std::map<std::uint32_t, std::uint32_t> places;  // by node
  events.timeline.for_each([&](Ticks end, std::uint32_t next) {
    const auto before = std::exchange(node, next);
    const Ticks time = end - std::exchange(begin, end);
    if (time <= 0 || !definitions.regions[tree.nodes()[before].region].computation) return;
    const auto part = [&] { return static_cast<Ticks>(random() % 1000) * time / 700; };
    if (random() % 2 == 0) {
      if (random() % 2 == 0) {
        events.stretches.push_back({end, before, StretchCounter::kPreempted, part()});
      }
      events.stretches.push_back({end, before, StretchCounter::kBlocked, part()});
    }
    // Threads without any sample may not have been sampled.
    if (random() % 4 == 0 || events.sampled.empty()) {
      const auto place =
          places.emplace(before, static_cast<std::uint32_t>(events.sampled.size())).first->second;
      if (place == events.sampled.size()) {
        events.sampled.push_back({.node = before, .at = before});
      }
      events.sampled[place].weight += 100;
      ++events.sampled[place].count;
      events.sample_times.push_back({end - time / 2, place, random() % 3 == 0 ? 1U : 0U});
    }
  });
}

// No wait in a call is longer than the call. No wait in tests is longer than the whole streak. No
// wait in probes is longer than all probes at the call path since the last one that was waited in.
void check_calls(const replay::Booking& booking, const causes::SyncPoints& points) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<Ticks, Ticks>> of_calls;
  for (const auto& wait : points.waits()) {
    if (!wait.costs || !wait.known || wait.kind == patterns::WaitKind::kIdleThread) continue;
    // The ends of barriers and taskwaits are moments. Their waits lie before, in the time of the
    // construct, as check_tree() shows.
    const auto& whole = booking.mine[wait.location].calls[wait.call];
    if (patterns::is_of_threads(wait.kind) && whole.enter == whole.leave) continue;
    auto& [here, polled] = of_calls[{wait.location, wait.call}];
    here += wait.wait - wait.polled;
    polled += wait.polled;
  }
  const replay::Polls polls(booking, false);
  std::int64_t wrong = 0;
  std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> from;  // by call path
  for (const auto& [key, waited] : of_calls) {
    const auto& call = booking.mine[key.first].calls[key.second];
    if (waited.first < 0 || waited.first > call.leave - call.enter) ++wrong;
    Ticks row = polls.whole(key.first, key.second);
    if (booking.kind_of(call) == patterns::CallKind::kProbeNow) {
      auto& first = from[{key.first, call.node}];
      for (; first < key.second; ++first) {
        const auto& other = booking.mine[key.first].calls[first];
        if (other.node == call.node) row += other.leave - other.enter;
      }
      ++first;
    }
    if (waited.second < 0 || waited.second > row) ++wrong;
  }
  for (const auto& wait : points.waits()) {
    if (wait.known) continue;
    const auto& call = booking.mine[wait.location].calls[wait.call];
    const auto known = of_calls.find({wait.location, wait.call});
    const Ticks here = wait.wait + (known == of_calls.end() ? 0 : known->second.first);
    if (wait.wait <= 1 || here > call.leave - call.enter) ++wrong;
  }
  CHECK(wrong == 0);
}

// All booked values match the definitions except for rounding: half a tick for each part, and as
// much for each wait that it came through.
void check_by_brute_force(const replay::Booking& booking, const causes::SyncPoints& points,
                          parallel::Processes& alone) {
  const BruteForceCauses expected(booking, points, replay::run_limits(booking, alone));
  const replay::CauseMetrics metrics(booking.metrics);
  const auto waits = static_cast<long double>(points.waits().size());
  std::int64_t wrong = 0;
  const auto compare = [&](const BruteForceCauses::Cells& cells, const auto& metric_of,
                           std::size_t kinds, long double tolerance) {
    for (std::size_t k = 0; k < kinds; ++k) {
      if (metric_of(k) == patterns::MetricTree::kNone) continue;
      for (std::uint32_t l = 0; l < booking.mine.size(); ++l) {
        for (std::uint32_t c = 0; c < booking.tree.nodes.size(); ++c) {
          const auto cell = cells.find({k, l, c});
          const auto value = cell == cells.end() ? BruteForceCauses::Value{} : cell->second;
          const auto found = static_cast<long double>(booking.value(metric_of(k), l, c));
          if (std::abs(found - value.time) > tolerance * value.parts) {
            UNSCOPED_INFO(booking.metrics[metric_of(k)].name
                          << " location " << l << " call path " << c << ": "
                          << static_cast<Ticks>(found) << ", not "
                          << static_cast<double>(value.time));
            ++wrong;
          }
        }
      }
    }
  };
  constexpr auto kKinds = patterns::kWaitKindCount;
  compare(
      expected.short_term, [&](auto k) { return metrics.short_term[k]; }, kKinds, 0.501L);
  compare(
      expected.indirect, [&](auto k) { return metrics.indirect[k]; }, kKinds, 0.501L);
  compare(
      expected.propagating, [&](auto k) { return metrics.propagating[k]; }, kKinds, 0.501L);
  compare(
      expected.long_term, [&](auto k) { return metrics.long_term[k]; }, kKinds,
      std::min(8.0L, 0.5L * waits));
  // Each part is rounded as the costs are, and twice more when it is divided.
  for (const auto& [reason, cells] :
       {std::pair("delay_preempted", &expected.preempted), {"delay_blocked", &expected.blocked}}) {
    compare(
        *cells, [&, id = booking.metrics.id(reason)](auto) { return id; }, 1,
        2.0L + std::min(8.0L, 0.5L * waits));
  }
  compare(
      expected.path, [&](auto) { return metrics.critical_path; }, 1, 0);
  CHECK(wrong == 0);
  CHECK(expected.unexplained == 0);
}

// Results of an analysis on the given processes.
struct Found {
  // `holes`: some calls are treated as if their other side were not in the trace.
  template <typename Run>
  Found(const Run& run, bool holes, parallel::Processes& processes)
      : definitions(telling(run.definitions())), metrics(replay::computed_metrics(definitions)) {
    const replay::Partition partition(definitions, processes.size());
    trace::CallTree local(definitions.program_region);
    auto mine = run.read(partition.locations_of(definitions, processes.rank()), local);
    for (auto& events : mine) tell(events, local, definitions);
    replay::MatchedMessages messages(definitions, partition, mine, processes);
    replay::count_instances(definitions, mine, processes);
    const auto tree = trace::unify(local, processes);
    replay::Waits waits(definitions, tree, metrics, run.topology(), partition, mine, {}, processes);
    REQUIRE(waits.find(messages, false));
    auto& booking = waits.booking();
    for (std::size_t l = 0; holes && l < mine.size(); ++l) {
      for (std::uint32_t c = 0; c < mine[l].calls.size(); ++c) {
        const auto region = booking.region_of(mine[l].calls[c]);
        const bool ends = c == mine[l].init || c == mine[l].finalize;
        if (!definitions.regions[region].name.starts_with("MPI_") || ends) continue;
        if ((mine[l].location + c * 5) % 7 != 0) continue;
        waits.points().add_without_partner(l, c);
        ++holes_found;
      }
    }
    holes_found = processes.sum(holes_found);
    waits.points().connect(processes);
    const auto delay_parts =
        replay::book_causes(booking, waits.points(), nullptr, nullptr, processes);
    const replay::ComputationShares shares(booking);
    replay::book_delay_reasons(booking, replay::ComputationParts(booking, shares), delay_parts,
                               processes);
    check_reasons(booking);
    check_parts(booking);
    replay::book_imbalance(booking, processes);
    check_tree(booking);
    check_calls(booking, waits.points());
    if (processes.size() == 1) check_by_brute_force(booking, waits.points(), processes);
    sums = Sums(booking, processes);
    count = processes.sum(static_cast<std::int64_t>(waits.points().waits().size()));
    Ticks begin = INT64_MIN, end = INT64_MIN;
    for (const auto& events : mine) {
      if (events.init == trace::kNone) continue;
      begin = std::max(begin, events.calls[events.init].enter);
      end = std::max(end, events.calls[events.finalize].enter);
    }
    run_time = processes.max(end) - processes.max(begin);
  }
  [[nodiscard]] std::int64_t total(std::string_view name) const {
    const auto id = metrics.id(name);
    return id == patterns::MetricTree::kNone ? 0 : sums.of_metric[id];
  }

  const trace::Definitions definitions;
  const patterns::MetricTree metrics;
  Sums sums;
  std::int64_t count = 0;  // of waits
  std::int64_t holes_found = 0;
  Ticks run_time = 0;
};

unsigned programs_for(const parallel::Processes& processes) {
  const char* wanted = std::getenv("LATECOMER_RANDOM_PROGRAMS");
  if (wanted != nullptr) return static_cast<unsigned>(std::atoi(wanted));
  return processes.size() < 3 ? 1000 : 75;
}

// Checks that hold whichever processes analyze the run; `f(found)` checks more.
template <typename Run, typename F>
void check_sums(const Run& run, bool holes, parallel::Processes& processes,
                parallel::Processes& alone, F&& f) {
  const Found found(run, holes, processes);
  if (processes.size() > 1) {
    const Found same(run, holes, alone);
    CHECK(found.sums.of_metric == same.sums.of_metric);
    CHECK(found.sums.hash == same.sums.hash);
  }
  std::int64_t all_waits = 0, of_processes = 0;
  for (std::size_t k = 0; k < patterns::kWaitKindCount; ++k) {
    const auto& names = patterns::wait_kinds()[k];
    const auto waits = found.total(names.wait) + (names.also.empty() ? 0 : found.total(names.also));
    all_waits += waits;
    if (!patterns::is_of_threads(static_cast<patterns::WaitKind>(k))) of_processes += waits;
  }
  // The tolerance is a tick for each rounded number: a wait is divided among a few call paths.
  CHECK(std::abs(found.total("delay") - all_waits) <= 20 * found.count + 1);
  CHECK(found.total("waitstates_direct_vs_indirect") == of_processes);
  CHECK(found.total("waitstates_propagating_vs_terminal") == of_processes);
  CHECK(found.total("critical_path") == found.run_time);
  f(found, all_waits);
}

}  // namespace

TEST_CASE("causes of random programs") {
  parallel::Processes processes(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  const unsigned programs = programs_for(processes);
  std::int64_t waited = 0, indirect = 0, polled = 0, late_receivers = 0;
  std::int64_t unknown = 0, unknown_with_holes = 0;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    INFO("seed " << seed);
    check_sums(RandomRun(seed, true), seed % 2 == 0, processes, alone,
               [&](const Found& found, auto all_waits) {
                 waited += all_waits;
                 polled += found.total("polling_latesender") + found.total("polling_latereceiver");
                 late_receivers += found.total("mpi_latereceiver");
                 indirect += found.total("mpi_wait_indirect");
                 (found.holes_found > 0 ? unknown_with_holes : unknown) +=
                     found.total("delay_unknown");
               });
  }
  CHECK(waited > 0);
  CHECK(indirect > 0);
  CHECK(polled > 0);
  CHECK(late_receivers > 0);
  CHECK(unknown_with_holes > unknown);
  // The unknown rest are waits without a common past and waits for several others in one call.
  CHECK(unknown * 100 < waited);
}

TEST_CASE("causes of random programs with threads") {
  parallel::Processes processes(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  const unsigned programs = (programs_for(processes) + 1) / 2;
  std::map<std::string, std::int64_t> costs;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    INFO("seed " << seed);
    check_sums(RandomThreads(seed), seed % 4 == 0, processes, alone, [&](const Found& found, auto) {
      for (const char* kind : {"ompbarrier", "omptask", "omptaskwait", "ompidle", "omplock"}) {
        const std::string name = "delay_" + std::string(kind);
        for (const auto& cost : {name, name + "_longterm"}) costs[cost] += found.total(cost);
      }
      costs["known"] += found.total("delay_omp");
      costs["unknown"] += found.total("delay_unknown");
    });
  }
  for (const auto& [name, cost] : costs) {
    INFO(name);
    CHECK(cost > 0);
  }
  CHECK(costs["unknown"] < costs["known"]);
}
