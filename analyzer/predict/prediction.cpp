// SPDX-License-Identifier: BSD-3-Clause
// Fits the replay to the recorded run, then replays it with other durations.
#include "analyzer/predict/prediction.hpp"

#include <algorithm>
#include <cstdint>

#include "analyzer/attribution/recorded_time.hpp"
#include "analyzer/predict/moved_ranks.hpp"
#include "analyzer/predict/times_of_threads.hpp"

namespace latecomer::predict {
namespace {

using replay::Booking;
using replay::WholeRun;
using trace::Ticks;

void add_waits(const Booking& booking, const Replayed& recorded, const Replayed& changed,
               double second, report::Prediction& to) {
  const auto& locations = booking.definitions.locations;
  const auto at = [&](const Replayed& run, std::size_t l, std::size_t g) {
    return static_cast<double>(run.waits[l * replay::kWaitGroups + g]) / second;
  };
  for (std::size_t g = 1; g < replay::kWaitGroups; ++g) {
    Ticks before = 0, after = 0;
    for (std::size_t l = 0; l < locations.size(); ++l) {
      before += recorded.waits[l * replay::kWaitGroups + g];
      after += changed.waits[l * replay::kWaitGroups + g];
    }
    if (before == 0 && after == 0) continue;
    // No wait state: the time until all processes were in MPI_Init.
    const bool init = static_cast<replay::WaitGroup>(g) == replay::WaitGroup::kInit;
    const auto& metric = booking.metrics[booking.map[replay::kStateOfGroup[g]].base];
    to.by_state.push_back({init ? report::Prediction::kUntilInit : metric.name, 0,
                           static_cast<double>(before) / second,
                           static_cast<double>(after) / second});
  }
  for (std::uint32_t rank = 0; rank < booking.definitions.processes.size(); ++rank) {
    to.by_rank.push_back({"", rank, 0, 0});
  }
  for (std::size_t l = 0; l < locations.size(); ++l) {
    auto& rank = to.by_rank[locations[l].process];
    for (std::size_t g = 1; g < replay::kWaitGroups; ++g) {
      rank.before += at(recorded, l, g);
      rank.after += at(changed, l, g);
    }
  }
}

// The new times of a location. Calls that need others are where they are in the replay. Between
// them each stretch takes as long as its rate says.
replay::MovedTimes moved(const trace::LocationEvents& events, const WholeRun& whole,
                         const engine::Durations& durations,
                         std::span<const replay::NeedingCall> calls,
                         std::span<const engine::CallTimes> changed, Ticks run_begin) {
  using engine::Step;
  replay::MovedTimes times;
  replay::RecordedTime recorded(events, whole.rate_of_node);
  memory::Vector<Step> steps;
  Ticks at = events.first, now = events.first;
  times.add(at, now);
  const auto pass = [&](Ticks until) {
    steps.clear();
    recorded.go_on_to(until, steps);
    std::uint32_t rate = 0;
    for (const Step& step : steps) {
      if (step.kind() == Step::Kind::kRate) rate = step.b();
      if (step.kind() != Step::Kind::kWork) continue;
      at += step.ticks();
      const bool rated = step.phase() == Step::kRated;
      now = trace::advanced(
          now, rated ? durations.pace(events.location, rate).of(step.ticks()) : step.ticks());
      times.add(at, now);
    }
  };
  for (std::size_t c = 0; c < std::min(calls.size(), changed.size()); ++c) {
    pass(calls[c].begin);
    times.add(calls[c].begin, run_begin + changed[c].begin);
    times.add(calls[c].end, run_begin + changed[c].end);
    recorded.skip_to(calls[c].end);
    at = calls[c].end;
    now = run_begin + changed[c].end;
  }
  pass(events.last);
  return times;
}

// The new times by hosted location. Collective.
std::vector<replay::MovedTimes> changed_times(const Booking& booking, const WholeRun& whole,
                                              WholeReplay& replay,
                                              const engine::Durations& durations,
                                              const replay::Partition& partition,
                                              parallel::Processes& processes) {
  const auto changed = replay.calls(durations, partition);
  const auto& calls = replay.needing_calls();
  Ticks first = INT64_MAX;
  for (const auto& events : booking.mine) {
    if (events.events != 0) first = std::min(first, events.first);
  }
  first = processes.min(first);
  return times_of_threads(booking.definitions, booking.mine, [&](std::size_t l) {
    return moved(booking.mine[l], whole, durations, calls[l], changed[l], first);
  });
}

bool knows_times(const report::Messages& messages) {
  return std::ranges::any_of(messages.sizes, [](const auto& one) { return one.times.has_value(); });
}

}  // namespace

Result<Predicted> predict(const Run& run, const replay::ComputationShares& shares,
                          std::span<const Change> changes, const ChoosePaths& choose,
                          const replay::Partition& partition, parallel::Processes& processes) {
  const Booking& booking = run.recorded.booking;
  const auto second = static_cast<double>(booking.definitions.ticks_per_second);
  const auto rates = find_rates(booking, shares, changes, choose, processes);
  if (!rates) return rates.problem();

  const auto moved = move_ranks(run, changes, processes);
  if (!moved) return moved.problem();
  WholeRun whole{.topology = &run.topology,
                 .comm_links = slowest_links(booking.definitions, run.topology),
                 .transfers = {},
                 .rate_of_node = {},
                 .shares = rates->shares,
                 .eager_limit = rates->eager_limit};
  if (rates->durations.rates > 0) {
    for (const auto c : booking.tree.from_local) whole.rate_of_node.push_back(rates->of_node[c]);
  }
  if (*moved) {
    whole.moved = &(*moved)->topology;
    whole.moved_comm_links = slowest_links(booking.definitions, *whole.moved);
  }
  Predicted predicted;
  report::Prediction& out = predicted.prediction;
  for (const auto& change : changes) out.changes.push_back(change.text);
  if (*moved) out.notes = (*moved)->notes;
  if (rates->shares && !knows_times(run.messages)) {
    out.notes.emplace_back(
        "the run shows no latency: no receive waited for a message, so data take no time that "
        "could change");
  }
  for (const auto model : {Model::kLeast, Model::kMean}) {
    whole.transfers = transfer_times(run.messages, second, model);
    whole.keeps_calls = model == Model::kLeast;
    WholeReplay replay(run, whole, processes);
    const Replayed changed = replay.with(rates->durations);
    const double after = static_cast<double>(replay.end(changed)) / second;
    if (model == Model::kMean) {
      out.least = std::min(out.predicted, after);
      out.most = std::max(out.predicted, after);
      continue;
    }
    out.recorded = static_cast<double>(replay.end(replay.recorded())) / second;
    out.predicted = after;
    out.contradictions = replay.recorded().dropped;
    add_waits(booking, replay.recorded(), changed, second, out);
    predicted.times = changed_times(booking, whole, replay, rates->durations, partition, processes);
  }
  out.changed_before = static_cast<double>(rates->before) / second;
  out.changed_after = static_cast<double>(rates->after) / second;
  out.changed_call_paths = rates->call_paths;
  out.changed_locations = rates->locations;
  if (rates->sampled) out.sampling_error = rates->error;
  if (rates->moved > 0) out.moved_work = static_cast<double>(rates->moved) / second;
  return predicted;
}

}  // namespace latecomer::predict
