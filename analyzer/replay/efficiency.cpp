// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/efficiency.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "archive/layout.hpp"

namespace latecomer::replay {
namespace {

using nlohmann::json;
using trace::kNone;
using trace::Ticks;

// Useful times of all locations. Collective.
std::vector<Ticks> useful_times(const Booking& booking, parallel::Processes& processes) {
  std::vector<Ticks> useful(booking.definitions.locations.size());
  const MetricId computation = booking.metrics.id("comp");
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    Ticks& own = useful[booking.mine[l].location];
    for (std::uint32_t c = 0; c < booking.tree.nodes.size(); ++c) {
      own += booking.value(computation, l, c);
    }
  }
  processes.sum(useful);
  return useful;
}

// Begin and end of the run; when the last process began and left MPI_Init, and MPI_Finalize.
struct Run {
  Ticks first = INT64_MAX, last = INT64_MIN;
  Ticks started = INT64_MIN, start_left = INT64_MIN;
  Ticks finished = INT64_MIN, finish_left = INT64_MIN;

  // Without what MPI itself needed to start and to end.
  [[nodiscard]] Ticks time() const {
    return last - first - std::max<Ticks>(0, start_left - started) -
           std::max<Ticks>(0, finish_left - finished);
  }
};

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

// What of the critical path is no MPI. Collective.
struct Path {
  Ticks length = 0, outside_mpi = 0;
};

Path path_of(const Booking& booking, parallel::Processes& processes) {
  const MetricId path = booking.metrics.id("critical_path");
  const MetricId mpi = booking.metrics.id("mpi");
  std::vector<Ticks> sums(2);
  for (std::uint32_t c = 0; c < booking.tree.nodes.size(); ++c) {
    const auto& metrics = booking.map.time_of_region[booking.tree.nodes[c].region];
    const bool in_mpi = std::ranges::find(metrics, mpi) != metrics.end();
    for (std::size_t l = 0; l < booking.mine.size(); ++l) {
      const Ticks time = booking.value(path, l, c);
      sums[0] += time;
      if (!in_mpi) sums[1] += time;
    }
  }
  processes.sum(sums);
  return {sums[0], sums[1]};
}

json ratio(double part, double whole) { return whole > 0 ? json(part / whole) : json(nullptr); }

// Of some locations.
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
  [[nodiscard]] json efficiencies(Ticks run_time) const {
    const auto most = static_cast<double>(largest), run = static_cast<double>(run_time);
    return {{"parallel", ratio(mean(), run)},
            {"load_balance", ratio(mean(), most)},
            {"communication", ratio(most, run)}};
  }
};

}  // namespace

json efficiency_json(const Booking& booking, parallel::Processes& processes) {
  const auto& definitions = booking.definitions;
  const auto useful = useful_times(booking, processes);
  const Run run = run_of(booking, processes);
  const Path path = path_of(booking, processes);
  std::int64_t pauses = 0;
  for (const auto& events : booking.mine) {
    pauses += events.quality[trace::Quality::kRecordingPauses];
  }
  // What a process does while it does not record, or in calls left out, may be anything.
  const auto left_out = definitions.properties.find(layout::kPropertyTimeLeftOut);
  if (left_out != definitions.properties.end() && left_out->second == "true") return nullptr;
  if (processes.sum(pauses) != 0 || run.first >= run.last) return nullptr;
  const auto second = static_cast<double>(definitions.ticks_per_second);

  Useful all;
  std::vector<Useful> metahosts(definitions.metahosts.size());
  for (std::uint32_t l = 0; l < useful.size(); ++l) {
    all.add(l, useful[l]);
    metahosts[definitions.processes[definitions.locations[l].process].metahost].add(l, useful[l]);
  }
  const Ticks run_time = std::max(run.time(), all.largest);
  json out = all.efficiencies(run_time);
  out["run_time"] = static_cast<double>(run_time) / second;
  const auto& busiest = definitions.locations[all.largest_location];
  out["useful"] = {{"mean", all.mean() / second},
                   {"largest", static_cast<double>(all.largest) / second},
                   {"rank", busiest.process},
                   {"thread", busiest.thread}};
  if (path.length > 0) {
    // What came before MPI was started is not on the path.
    const Ticks ideal =
        std::clamp(path.outside_mpi + run.started - run.first, all.largest, run_time);
    out["ideal_run_time"] = static_cast<double>(ideal) / second;
    out["serialization"] = ratio(static_cast<double>(all.largest), static_cast<double>(ideal));
    out["transfer"] = ratio(static_cast<double>(ideal), static_cast<double>(run_time));
  } else {
    out["ideal_run_time"] = out["serialization"] = out["transfer"] = nullptr;
  }
  out["metahosts"] = json::array();
  for (std::size_t m = 0; metahosts.size() > 1 && m < metahosts.size(); ++m) {
    json one = metahosts[m].efficiencies(run_time);
    one["name"] = definitions.metahosts[m].name;
    out["metahosts"].push_back(std::move(one));
  }
  return out;
}

}  // namespace latecomer::replay
