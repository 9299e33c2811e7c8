// SPDX-License-Identifier: BSD-3-Clause
// Computes the POP efficiencies of the run, its phases and its metahosts.
#include "analyzer/attribution/efficiency.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "archive/layout.hpp"

namespace latecomer::replay {
namespace {

using trace::kNone;
using trace::Ticks;

// Useful time, time in MPI and all time of every location. Collective.
LocationTimes times_of(const Booking& booking, const ProgramPhases& phases,
                       parallel::Processes& processes) {
  const std::size_t locations = booking.definitions.locations.size();
  LocationTimes times;
  times.useful.resize(locations);
  times.outside_mpi.resize(locations);
  const MetricId computation = booking.metrics.id("comp"), mpi = booking.metrics.id("mpi"),
                 all = booking.metrics.id("time");
  const struct {
    MetricId metric;
    std::vector<Ticks>& times;
  } kinds[] = {{computation, times.useful_in}, {mpi, times.in_mpi_in}, {all, times.all_in}};
  for (const auto& kind : kinds) {
    kind.times.resize(phases.call_paths.empty() ? 0 : locations * engine::kPhases);
    for (std::size_t l = 0; l < booking.mine.size(); ++l) {
      const std::size_t location = booking.mine[l].location;
      for (std::uint32_t c = 0; c < booking.tree.nodes.size(); ++c) {
        const Ticks time = booking.value(kind.metric, l, c);
        if (kind.metric == computation) times.useful[location] += time;
        if (kind.metric == all) times.outside_mpi[location] += time;
        if (kind.metric == mpi) times.outside_mpi[location] -= time;
        if (!kind.times.empty()) {
          kind.times[location * engine::kPhases + phases.of_node[c]] += time;
        }
      }
    }
    processes.sum(kind.times);
  }
  processes.sum(times.useful);
  processes.sum(times.outside_mpi);
  return times;
}

// Begin and end of the run; the latest enter and the latest leave of MPI_Init and MPI_Finalize.
struct Run {
  Ticks first = INT64_MAX, last = INT64_MIN;
  Ticks started = INT64_MIN, start_left = INT64_MIN;
  Ticks finished = INT64_MIN, finish_left = INT64_MIN;

  // Run time without the time that MPI itself needed to start and to end.
  [[nodiscard]] Ticks time() const {
    return last - first - std::max<Ticks>(0, start_left - started) -
           std::max<Ticks>(0, finish_left - finished);
  }
};

// Limits of the run over all processes. Collective.
Run run_of(const Booking& booking, parallel::Processes& processes) {
  Run run;
  for (const auto& events : booking.mine) {
    if (events.events == 0) continue;
    run.first = std::min(run.first, events.first);
    run.last = std::max(run.last, events.last);
    const auto take = [&](std::uint32_t call, Ticks& begun, Ticks& left) {
      if (call == kNone) return;
      begun = std::max(begun, events.calls[call].enter);
      left = std::max(left, events.calls[call].leave);
    };
    take(events.init, run.started, run.start_left);
    take(events.finalize, run.finished, run.finish_left);
  }
  run.first = processes.min(run.first);
  for (Ticks* time : {&run.last, &run.started, &run.start_left, &run.finished, &run.finish_left}) {
    *time = processes.max(*time);
  }
  return run;
}

// Nothing if there is nothing to divide by.
std::optional<double> ratio(double part, double whole) {
  if (!(whole > 0)) return {};
  return part / whole;
}

// Useful time of a set of locations.
struct Useful {
  std::size_t locations = 0;
  std::uint32_t largest_location = kNone;
  Ticks sum = 0, largest = 0;

  void add(std::uint32_t location, Ticks time) {
    ++locations;
    sum += time;
    if (largest_location != kNone && time <= largest) return;
    largest = time;
    largest_location = location;
  }
  [[nodiscard]] double mean() const {
    return static_cast<double>(sum) / static_cast<double>(std::max<std::size_t>(locations, 1));
  }
  [[nodiscard]] report::Efficiency::Ratios efficiencies(Ticks run_time) const {
    const auto most = static_cast<double>(largest), run = static_cast<double>(run_time);
    return {.parallel = ratio(mean(), run),
            .load_balance = ratio(mean(), most),
            .communication = ratio(most, run)};
  }
};

// The values that need the run on an ideal network.
report::Efficiency::Ideal ideal_of(Ticks useful, Ticks ideal, Ticks run_time, double second) {
  ideal = std::clamp(ideal, useful, run_time);
  return {.run_time = static_cast<double>(ideal) / second,
          .serialization = ratio(static_cast<double>(useful), static_cast<double>(ideal)),
          .transfer = ratio(static_cast<double>(ideal), static_cast<double>(run_time))};
}

// The efficiencies of processes and of their threads; nothing if each process has one thread.
std::optional<report::Efficiency::Hybrid> hybrid_of(const trace::Definitions& definitions,
                                                    const LocationTimes& times, Ticks run_time) {
  struct Process {
    std::uint32_t threads = 0, first = kNone;  // number of threads; the location of the first one
    Ticks largest = 0;                         // useful time of a thread
  };
  std::vector<Process> processes(definitions.processes.size());
  for (std::uint32_t l = 0; l < times.useful.size(); ++l) {
    const auto& location = definitions.locations[l];
    Process& process = processes[location.process];
    ++process.threads;
    process.largest = std::max(process.largest, times.useful[l]);
    if (process.first == kNone || location.thread < definitions.locations[process.first].thread) {
      process.first = l;
    }
  }
  if (std::ranges::none_of(processes, [](const Process& one) { return one.threads > 1; }))
    return {};
  double useful = 0, outside = 0, most_outside = 0, busiest = 0, threads = 0;  // sums, one maximum
  for (const Ticks time : times.useful) useful += static_cast<double>(time);
  for (const Process& one : processes) {
    if (one.threads == 0) continue;
    const auto own = static_cast<double>(times.outside_mpi[one.first]);
    threads += one.threads;
    outside += own * one.threads;
    most_outside = std::max(most_outside, own);
    busiest += static_cast<double>(one.largest) * one.threads;
  }
  const auto run = static_cast<double>(run_time);
  return report::Efficiency::Hybrid{
      .processes = {.parallel = ratio(outside / threads, run),
                    .load_balance = ratio(outside / threads, most_outside),
                    .communication = ratio(most_outside, run)},
      .threads = {.parallel = ratio(useful, outside),
                  .load_balance = ratio(useful, busiest),
                  .synchronization = ratio(busiest, outside)}};
}

// The efficiencies of each phase, whose run time is the longest time of a location in it.
std::vector<report::Efficiency::Phase> phases_of(const Booking& booking,
                                                 const ProgramPhases& phases,
                                                 const LocationTimes& times,
                                                 const std::optional<IdealRun>& ideal) {
  const auto second = static_cast<double>(booking.definitions.ticks_per_second);
  std::vector<report::Efficiency::Phase> out;
  for (std::size_t p = 1; p <= phases.call_paths.size(); ++p) {
    Useful useful;
    Ticks longest = 0, longest_ideal = 0;
    for (std::uint32_t l = 0; l < times.useful.size(); ++l) {
      const std::size_t at = l * engine::kPhases + p;
      useful.add(l, times.useful_in[at]);
      longest = std::max(longest, times.all_in[at]);
      if (!ideal) continue;
      const Ticks alone = times.all_in[at] - times.in_mpi_in[at];
      longest_ideal = std::max(longest_ideal, alone + ideal->waits[at]);
    }
    if (longest <= 0) continue;
    auto& one = out.emplace_back();
    one.ratios = useful.efficiencies(longest);
    one.call_path = phases.call_paths[p - 1];
    one.name = booking.definitions.regions[booking.tree.nodes[one.call_path].region].name;
    one.run_time = static_cast<double>(longest) / second;
    if (ideal) one.ideal = ideal_of(useful.largest, longest_ideal, longest, second);
  }
  return out;
}

}  // namespace

Efficiency::Efficiency(const Recorded& recorded, const Progress& progress,
                       parallel::Processes& processes)
    : recorded_(recorded) {
  const Booking& booking = recorded.booking;
  std::int64_t missing = 0;  // stretches of a location's time of which nothing is known
  for (const auto& events : booking.mine) {
    for (const auto quality : {trace::Quality::kRecordingPauses, trace::Quality::kMissingLocations,
                               trace::Quality::kTruncatedLocations}) {
      missing += events.quality[quality];
    }
  }
  const Run run = run_of(booking, processes);
  // The efficiencies need all of the time. Nothing is known of a process while it does not record,
  // in calls that are left out, or after the end of a cut file.
  const auto& properties = booking.definitions.properties;
  const auto left_out = properties.find(layout::kPropertyTimeLeftOut);
  const bool complete = left_out == properties.end() || left_out->second != "true";
  if (!complete || processes.sum(missing) != 0 || run.first >= run.last) return;
  run_time_ = run.time();
  phases_ = find_phases(booking, processes);
  times_ = times_of(booking, phases_, processes);
  std::vector<std::uint8_t> phase_of_node;
  for (const auto global : booking.tree.from_local) {
    phase_of_node.push_back(phases_.of_node[global]);
  }
  ideal_.emplace(recorded, std::move(phase_of_node), progress, processes);
}

std::optional<report::Efficiency> Efficiency::result(parallel::Processes& processes) {
  if (!ideal_) return {};
  const auto ideal = ideal_->finish(processes);
  const auto& definitions = recorded_.booking.definitions;
  const auto second = static_cast<double>(definitions.ticks_per_second);
  Useful all;
  std::vector<Useful> metahosts(definitions.metahosts.size());
  for (std::uint32_t l = 0; l < times_.useful.size(); ++l) {
    all.add(l, times_.useful[l]);
    metahosts[definitions.processes[definitions.locations[l].process].metahost].add(
        l, times_.useful[l]);
  }
  const Ticks run_time = std::max(run_time_, all.largest);
  report::Efficiency out;
  out.ratios = all.efficiencies(run_time);
  out.run_time = static_cast<double>(run_time) / second;
  const auto& busiest = definitions.locations[all.largest_location];
  out.useful = {.mean = all.mean() / second,
                .largest = static_cast<double>(all.largest) / second,
                .rank = busiest.process,
                .thread = busiest.thread};
  if (ideal) {
    out.ideal = ideal_of(all.largest, std::ranges::max(ideal->ends), run_time, second);
    out.contradictions = ideal->dropped;
  }
  out.hybrid = hybrid_of(definitions, times_, run_time);
  out.phases = phases_of(recorded_.booking, phases_, times_, ideal);
  for (std::size_t m = 0; metahosts.size() > 1 && m < metahosts.size(); ++m) {
    out.metahosts.push_back({definitions.metahosts[m].name, metahosts[m].efficiencies(run_time)});
  }
  return out;
}

}  // namespace latecomer::replay
