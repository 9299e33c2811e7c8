// SPDX-License-Identifier: BSD-3-Clause
// Fits the replay to the recorded run, then replays it with other durations.
#include "analyzer/predict/prediction.hpp"

#include <algorithm>

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

bool knows_times(const report::Messages& messages) {
  return std::ranges::any_of(messages.sizes, [](const auto& one) { return one.times.has_value(); });
}

}  // namespace

Result<report::Prediction> predict(const Run& run, const replay::ComputationShares& shares,
                                   std::span<const Change> changes, const ChoosePaths& choose,
                                   parallel::Processes& processes) {
  const Booking& booking = run.recorded.booking;
  const auto second = static_cast<double>(booking.definitions.ticks_per_second);
  const auto rates = find_rates(booking, shares, changes, choose, processes);
  if (!rates) return rates.problem();

  WholeRun whole{.topology = &run.topology,
                 .comm_links = slowest_links(booking.definitions, run.topology),
                 .transfers = {},
                 .rate_of_node = {},
                 .shares = rates->shares,
                 .eager_limit = rates->eager_limit};
  if (rates->durations.rates > 0) {
    for (const auto c : booking.tree.from_local) whole.rate_of_node.push_back(rates->of_node[c]);
  }
  report::Prediction out;
  for (const auto& change : changes) out.changes.push_back(change.text);
  if (rates->shares && !knows_times(run.messages)) {
    out.notes.emplace_back(
        "the run shows no latency: no receive waited for a message, so data take no time that "
        "could change");
  }
  for (const auto model : {Model::kLeast, Model::kMean}) {
    whole.transfers = transfer_times(run.messages, second, model);
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
  }
  out.changed_before = static_cast<double>(rates->before) / second;
  out.changed_after = static_cast<double>(rates->after) / second;
  out.changed_call_paths = rates->call_paths;
  out.changed_locations = rates->locations;
  if (rates->sampled) out.sampling_error = rates->error;
  return out;
}

}  // namespace latecomer::predict
