// SPDX-License-Identifier: BSD-3-Clause
// Fits the replay to the recorded run, then replays it with other durations.
#include "analyzer/predict/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace latecomer::predict {
namespace {

using engine::StepReplay;
using replay::Booking;
using replay::WholeRun;
using trace::Ticks;

enum class Model { kLeast, kMean };

replay::TransferTimes transfer_times(const report::Messages& messages, double second, Model model) {
  replay::TransferTimes times;
  for (const auto& one : messages.sizes) {
    if (!one.times) continue;
    const auto link = one.link == std::string_view("node")       ? sync::LinkClass::kNode
                      : one.link == std::string_view("metahost") ? sync::LinkClass::kMetahost
                                                                 : sync::LinkClass::kExternal;
    const double seconds = model == Model::kLeast ? one.times->shortest : one.times->mean;
    times.add(link, one.from_bytes, std::llround(seconds * second));
  }
  return times;
}

// Ends and waits of all locations; the same on every process.
struct Replayed {
  std::vector<Ticks> ends;
  std::vector<Ticks> waits;  // location x wait group
  std::int64_t dropped = 0;
};

struct BeforeAndAfter {
  Replayed before, after;
};

void keep(const StepReplay& from, std::size_t locations, Replayed& to) {
  to.ends.resize(locations);
  to.waits.resize(locations * replay::kWaitGroups);
  for (std::uint32_t l = 0; l < locations; ++l) {
    to.ends[l] = from.end(l);
    for (std::size_t g = 0; g < replay::kWaitGroups; ++g) {
      to.waits[l * replay::kWaitGroups + g] = from.waits(l, g);
    }
  }
  to.dropped = from.dropped();
}

// Collective.
BeforeAndAfter replay_with(const Run& run, const WholeRun& whole, const engine::Durations& changed,
                           parallel::Processes& processes) {
  const Booking& booking = run.recorded.booking;
  const auto& definitions = booking.definitions;
  const auto locations = definitions.locations.size();
  const auto everybody = static_cast<std::uint32_t>(definitions.processes.size());
  replay::IdealNetwork network(run.recorded, {}, run.progress, processes, &whole);
  auto steps = network.gather(processes);
  BeforeAndAfter out;
  for (auto* one : {&out.before, &out.after}) {
    one->ends.resize(locations);
    one->waits.resize(locations * replay::kWaitGroups);
  }
  if (processes.rank() == network.host()) {
    StepReplay fit(definitions, everybody, StepReplay::Mode::kFit, std::move(steps));
    fit.finish();
    keep(fit, locations, out.before);
    StepReplay after(definitions, everybody, StepReplay::Mode::kChanged, fit.take_steps(), changed);
    after.finish();
    keep(after, locations, out.after);
  }
  for (auto* one : {&out.before, &out.after}) {
    processes.sum(one->ends);
    processes.sum(one->waits);
    one->dropped = processes.sum(one->dropped);
  }
  return out;
}

// Time of the last end. Threads that call no MPI end when they ended, whatever changes, so only
// their process tells.
Ticks end_of(const std::vector<Ticks>& ends, const std::vector<bool>& counts) {
  Ticks end = 0;
  for (std::size_t l = 0; l < ends.size(); ++l) {
    if (counts[l]) end = std::max(end, ends[l]);
  }
  return end;
}

// True for locations that need others or are needed by them, or are the first of their process.
// Collective.
std::vector<bool> locations_that_count(const Booking& booking, parallel::Processes& processes) {
  const auto& definitions = booking.definitions;
  std::vector<std::int64_t> counts(definitions.locations.size());
  for (const auto& events : booking.mine) {
    const auto& process = definitions.processes[definitions.locations[events.location].process];
    if (events.location == process.locations.front() || !events.sends.empty() ||
        !events.receives.empty() || !events.collectives.empty()) {
      counts[events.location] = 1;
    }
  }
  processes.sum(counts);
  std::vector<bool> out;
  for (const auto count : counts) out.push_back(count > 0);
  return out;
}

void add_waits(const Booking& booking, const BeforeAndAfter& runs, double second,
               report::Prediction& to) {
  const auto& locations = booking.definitions.locations;
  const auto at = [&](const Replayed& run, std::size_t l, std::size_t g) {
    return static_cast<double>(run.waits[l * replay::kWaitGroups + g]) / second;
  };
  for (std::size_t g = 1; g < replay::kWaitGroups; ++g) {
    Ticks before = 0, after = 0;
    for (std::size_t l = 0; l < locations.size(); ++l) {
      before += runs.before.waits[l * replay::kWaitGroups + g];
      after += runs.after.waits[l * replay::kWaitGroups + g];
    }
    if (before == 0 && after == 0) continue;
    const auto& metric = booking.metrics[booking.map[replay::kStateOfGroup[g]].base];
    to.by_state.push_back({metric.name, 0, static_cast<double>(before) / second,
                           static_cast<double>(after) / second});
  }
  for (std::uint32_t rank = 0; rank < booking.definitions.processes.size(); ++rank) {
    to.by_rank.push_back({"", rank, 0, 0});
  }
  for (std::size_t l = 0; l < locations.size(); ++l) {
    auto& rank = to.by_rank[locations[l].process];
    for (std::size_t g = 1; g < replay::kWaitGroups; ++g) {
      rank.before += at(runs.before, l, g);
      rank.after += at(runs.after, l, g);
    }
  }
}

}  // namespace

Result<report::Prediction> predict(const Run& run, std::span<const Change> changes,
                                   const ChoosePaths& choose, parallel::Processes& processes) {
  const Booking& booking = run.recorded.booking;
  const auto second = static_cast<double>(booking.definitions.ticks_per_second);
  const auto rates = find_rates(booking, changes, choose, processes);
  if (!rates) return rates.problem();

  WholeRun whole{.topology = &run.topology,
                 .transfers = {},
                 .rate_of_node = {},
                 .shares = rates->shares,
                 .eager_limit = rates->eager_limit};
  if (rates->durations.rates > 0) {
    for (const auto c : booking.tree.from_local) whole.rate_of_node.push_back(rates->of_node[c]);
  }
  const auto counts = locations_that_count(booking, processes);
  report::Prediction out;
  for (const auto& change : changes) out.changes.push_back(change.text);
  for (const auto model : {Model::kLeast, Model::kMean}) {
    whole.transfers = transfer_times(run.messages, second, model);
    const auto runs = replay_with(run, whole, rates->durations, processes);
    const double after = static_cast<double>(end_of(runs.after.ends, counts)) / second;
    if (model == Model::kMean) {
      out.least = std::min(out.predicted, after);
      out.most = std::max(out.predicted, after);
      continue;
    }
    out.recorded = static_cast<double>(end_of(runs.before.ends, counts)) / second;
    out.predicted = after;
    out.contradictions = runs.before.dropped;
    add_waits(booking, runs, second, out);
  }
  out.changed_before = static_cast<double>(rates->before) / second;
  out.changed_after = static_cast<double>(rates->after) / second;
  out.changed_call_paths = rates->call_paths;
  out.changed_locations = rates->locations;
  return out;
}

}  // namespace latecomer::predict
