// SPDX-License-Identifier: BSD-3-Clause
// Delays are compared where the waiting locations are hosted; the graph of all waits is followed on
// one process. Both go from the end of the run to its start, so only what lies between the two has
// to be kept.
#include "analyzer/replay/causes.hpp"

#include <optional>
#include <utility>

#include "analyzer/causes/delays.hpp"
#include "analyzer/causes/wait_graph.hpp"
#include "analyzer/replay/cause_metrics.hpp"
#include "analyzer/replay/delay_costs.hpp"
#include "analyzer/replay/performance_impact.hpp"

namespace latecomer::replay {
namespace {

using causes::GraphWait;

constexpr int kRoot = 0;

// The waits of the last batch.
memory::Vector<GraphWait> part_of_graph(const causes::SyncPoints& points,
                                        const causes::Delays& delays) {
  const auto waits = delays.last_batch();
  const auto first = delays.found() - waits.size();
  memory::Vector<GraphWait> out;
  out.reserve(waits.size());
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const causes::Wait& wait = waits[i];
    const auto& delay = delays.of(first + i);
    out.push_back({.event = wait.event,
                   .leave = wait.leave,
                   .wait = wait.wait,
                   .sum = delay.sum(),
                   .location = points.mine[wait.location].location,
                   .call = wait.call,
                   .point = wait.point,
                   .cause_location = wait.cause_location,
                   .cause_call = wait.cause_call,
                   .first = delay.waits > 0 ? delay.first : 0,
                   .last = delay.waits > 0 ? delay.last : 0,
                   .kind = wait.kind,
                   .costs = wait.costs,
                   .path = wait.path,
                   .seen_late = wait.seen_late()});
  }
  return out;
}

// To the root: the next part of the graph, and whether there is more.
void tell(const memory::Vector<GraphWait>& waits, bool more, parallel::Packer& to) {
  to.put(more);
  to.put_all(std::span(waits));
}

// What the root answers to each process.
std::vector<parallel::Bytes> answers_of(causes::WaitGraph& graph, std::size_t processes) {
  std::vector<parallel::Bytes> answers;
  for (std::size_t p = 0; p < processes; ++p) {
    parallel::Packer pack;
    const causes::Chains chains = graph.take(p);
    pack.put(graph.done());
    pack.put<std::uint64_t>(graph.followed(p));
    pack.put_all(std::span(chains.propagating));
    pack.put_all(std::span(chains.carried));
    answers.push_back(pack.take());
  }
  return answers;
}

// All that waits cost. Returns the critical path.
std::vector<causes::PathPart> follow_waits(const causes::SyncPoints& points, causes::Delays& delays,
                                           DelayCosts& costs, const causes::GraphTask& task,
                                           IdealNetwork* beside, const Progress& progress,
                                           parallel::Processes& processes) {
  const auto n = static_cast<std::size_t>(processes.size());
  std::optional<causes::WaitGraph> graph;
  if (processes.rank() == kRoot) graph.emplace(n, task);
  const bool replays = beside != nullptr && processes.rank() == beside->host();
  if (beside != nullptr) {
    beside->divide_into(static_cast<std::size_t>(
        processes.max(static_cast<std::int64_t>(delays.batches(points.waits().size())))));
  }
  for (bool done = false; !done;) {
    delays.find_next(processes);

    std::vector<parallel::Packer> packs(n);
    tell(part_of_graph(points, delays), delays.found() < points.waits().size(), packs[kRoot]);
    if (progress) progress(Work::kCauses, delays.found(), points.waits().size());
    if (beside != nullptr) beside->tell(packs[static_cast<std::size_t>(beside->host())]);
    auto arrived = processes.exchange(take_all(packs));
    for (std::size_t p = 0; p < n; ++p) {
      parallel::Unpacker in(arrived[p]);
      if (graph) {
        const bool more = in.get<bool>();
        memory::Vector<GraphWait> waits;
        in.get_all(waits);
        graph->add(p, std::move(waits), more);
      }
      if (replays) beside->take(in);
      arrived[p] = {};  // what has been unpacked would lie there twice
    }
    if (graph) graph->follow();
    if (replays) beside->replay();

    const auto answers =
        processes.exchange(graph ? answers_of(*graph, n) : std::vector<parallel::Bytes>(n));
    parallel::Unpacker in(answers[kRoot]);
    done = in.get<bool>();
    const auto followed = in.get<std::uint64_t>();
    causes::Chains chains;
    in.get_all(chains.propagating);
    in.get_all(chains.carried);
    costs.book(followed, chains);
    delays.forget(followed);
  }
  costs.end(processes);
  std::vector<causes::PathPart> path;
  parallel::Bytes bytes;
  if (graph) {
    parallel::Packer pack;
    pack.put_all(std::span<const causes::PathPart>(path = graph->path()));
    bytes = pack.take();
  }
  processes.broadcast(bytes, kRoot);
  parallel::Unpacker(bytes).get_all(path);
  return path;
}

}  // namespace

void add_without_partner(causes::SyncPoints& points, const UnmatchedMessages& messages,
                         const UnmatchedCollectives& collectives) {
  for (const auto* list : {&messages.sends, &messages.receives, &messages.edge_receives,
                           &collectives.calls, &collectives.at_edges}) {
    for (const auto& one : *list) points.add_without_partner(one.location, one.call);
  }
}

void book_causes(Booking& booking, causes::SyncPoints& points, IdealNetwork* beside,
                 const Progress& progress, parallel::Processes& processes) {
  const CauseMetrics metrics(booking.metrics);
  std::vector<causes::CallPathTimes> times;
  times.reserve(booking.mine.size());
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    times.emplace_back(booking.mine[l], points.to_be_placed(l));
  }

  causes::Delays delays(points, times, booking.tree);
  DelayCosts costs(booking, points, delays, metrics);
  const RunLimits limits = run_limits(booking, processes);
  const auto path = follow_waits(
      points, delays, costs,
      {points.definitions.locations.size(), points.compatible(), limits.end, limits.start}, beside,
      progress, processes);

  book_performance_impact(booking, points, times, path, metrics, processes);
}

}  // namespace latecomer::replay
