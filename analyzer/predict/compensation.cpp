// SPDX-License-Identifier: BSD-3-Clause
// Replays the run without overhead, and gives the events the times that they have there.
#include "analyzer/predict/compensation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "analyzer/clocks/moved_times.hpp"
#include "analyzer/clocks/retime.hpp"
#include "analyzer/overhead/overhead_walk.hpp"
#include "analyzer/predict/times_of_threads.hpp"

namespace latecomer::predict {
namespace {

using engine::CallTimes;
using replay::EventCosts;
using replay::kOverheadKinds;
using replay::MovedTimes;
using replay::NeedingCall;
using replay::OverheadKind;
using replay::OverheadWalk;
using replay::PathCosts;
using trace::Ticks;

static_assert(kOverheadKinds == report::Compensation::kKinds.size());

// What was taken out of the times of some locations, in ticks.
struct Taken {
  std::array<std::int64_t, kOverheadKinds> of_kind{};
  std::int64_t stretches = 0, missing = 0, inside = 0;
};

// The new times of a location. A call that needs others ends when it does in the replay, and the
// overhead between such calls is cut out. `changed` has the calls in the replay.
MovedTimes moved(const trace::LocationEvents& events, const PathCosts& costs,
                 std::span<const NeedingCall> calls, std::span<const CallTimes> changed,
                 Ticks run_begin, Taken& taken) {
  MovedTimes times;
  OverheadWalk walk(events, costs);
  Ticks removed = 0;
  times.add(events.first, events.first);
  const auto pass = [&](Ticks until) {
    walk.go_on_to(until, [&](Ticks begin, Ticks end, OverheadKind kind) {
      removed += end - begin;
      taken.of_kind[static_cast<std::size_t>(kind)] += end - begin;
      ++taken.stretches;
      times.add(end, end - removed);
    });
  };
  for (std::size_t c = 0; c < std::min(calls.size(), changed.size()); ++c) {
    pass(calls[c].begin);
    walk.go_on_to(calls[c].end,
                  [&](Ticks begin, Ticks end, OverheadKind) { taken.inside += end - begin; });
    const Ticks end = run_begin + changed[c].end;
    times.add(calls[c].end, end);
    removed = calls[c].end - end;
  }
  pass(OverheadWalk::kNoMore);
  taken.missing += walk.missing();
  return times;
}

struct Span {
  Ticks first = INT64_MAX, last = INT64_MIN;
};
// The first and the last event of the run. Collective.
Span span_of(const std::vector<trace::LocationEvents>& mine, parallel::Processes& processes) {
  Span span;
  for (const auto& events : mine) {
    if (events.events == 0) continue;
    span.first = std::min(span.first, events.first);
    span.last = std::max(span.last, events.last);
  }
  return {processes.min(span.first), processes.max(span.last)};
}

}  // namespace

report::Compensation compensate(const Run& run, const EventCosts& costs, OverheadMethod method,
                                const replay::Partition& partition,
                                std::vector<trace::LocationEvents>& mine,
                                parallel::Processes& processes) {
  const auto& booking = run.recorded.booking;
  const auto& definitions = booking.definitions;
  const auto second = static_cast<double>(definitions.ticks_per_second);
  const PathCosts of_paths(definitions, booking.tree, costs);
  const Span before = span_of(mine, processes);

  report::Compensation out;
  std::vector<std::vector<NeedingCall>> calls(mine.size());
  std::vector<std::vector<CallTimes>> changed(mine.size());
  if (method == OverheadMethod::kParallel) {
    replay::WholeRun whole;
    whole.topology = &run.topology;
    // A message starts after the overhead of the send's enter.
    whole.transfers =
        transfer_times(run.messages, second, Model::kLeast, costs.mpi >> EventCosts::kFractionBits);
    whole.overhead = &of_paths;
    whole.keeps_calls = true;
    WholeReplay replay(run, whole, processes);
    const auto locations = definitions.locations.size();
    changed = replay.calls({.rates = 1, .of_rate = std::vector<engine::Pace>(locations, {0, 1})},
                           partition);
    calls = replay.needing_calls();
    out.contradictions = replay.recorded().dropped;
  }

  Taken taken;
  auto times = times_of_threads(definitions, mine, [&](std::size_t l) {
    return moved(mine[l], of_paths, calls[l], changed[l], before.first, taken);
  });
  for (std::size_t l = 0; l < mine.size(); ++l) replay::retime(mine[l], times[l]);

  const auto in_seconds = [&](std::int64_t ticks) {
    return static_cast<double>(processes.sum(ticks)) / second;
  };
  out.method = method == OverheadMethod::kLocal ? "local" : "parallel";
  for (std::size_t k = 0; k < kOverheadKinds; ++k) out.taken_out[k] = in_seconds(taken.of_kind[k]);
  out.stretches = processes.sum(taken.stretches);
  out.missing = in_seconds(taken.missing);
  out.inside = in_seconds(taken.inside);
  const Span after = span_of(mine, processes);
  out.recorded = static_cast<double>(std::max<Ticks>(0, before.last - before.first)) / second;
  out.compensated = static_cast<double>(std::max<Ticks>(0, after.last - after.first)) / second;
  const auto per_event = [&](EventCosts::Cost cost) {
    return static_cast<double>(cost) / (1 << EventCosts::kFractionBits) / second;
  };
  out.seconds_per_mpi_event = per_event(costs.mpi);
  out.seconds_per_region_event = per_event(costs.region);
  out.spread = costs.spread;
  return out;
}

}  // namespace latecomer::predict
