// SPDX-License-Identifier: BSD-3-Clause
// Computes what waits cost. Delays are compared where the waiting locations are hosted; the graph
// of all waits is followed on one process. Both go from the end of the run to its start, so only
// what lies between the two has to be kept. Questions of one round are answered in the next one.
// Processes therefore meet only once per round, and those with more work in one part of a round may
// catch up in another part.
#include "analyzer/attribution/causes.hpp"

#include <optional>
#include <utility>

#include "analyzer/attribution/cause_metrics.hpp"
#include "analyzer/attribution/delay_cost_booking.hpp"
#include "analyzer/attribution/performance_impact.hpp"
#include "analyzer/booking/counters.hpp"
#include "analyzer/causes/delays.hpp"
#include "analyzer/causes/time_parts.hpp"
#include "analyzer/causes/wait_graph.hpp"

namespace latecomer::replay {
namespace {

using causes::GraphWait;

// The waits of the last batch, as the graph needs them.
memory::Vector<GraphWait> last_waits(const causes::SyncPoints& points,
                                     const causes::Delays& delays) {
  const auto batch = delays.last_batch();
  const auto first = delays.found() - batch.size();
  memory::Vector<GraphWait> waits(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const causes::Wait& wait = batch[i];
    const auto& delay = delays.of(first + i);
    waits[i] = {.event = wait.event,
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
                .seen_late = wait.seen_late()};
  }
  return waits;
}

// Packs the results of the graph for another process.
void tell(causes::WaitGraph& graph, std::size_t process, parallel::Packer& to) {
  const causes::Chains chains = graph.take(process);
  to.put(graph.done());
  to.put<std::uint64_t>(graph.followed(process));
  to.put_all(std::span(chains.propagating));
  to.put_all(std::span(chains.carried));
}

// Chooses the process that holds the graph: the one with the fewest waits of its own. The process
// that replays the ideal run is left out if possible, since the replay takes longer.
int root_of(const causes::SyncPoints& points, const IdealNetwork* beside,
            parallel::Processes& processes) {
  const auto waits = static_cast<std::int64_t>(points.waits().size());
  const bool busy = beside != nullptr && processes.size() > 1 && processes.rank() == beside->host();
  return processes.least(busy ? INT64_MAX : waits);
}

// Computes and books all costs of waits. Returns the critical path.
std::vector<causes::PathPart> follow_waits(const causes::SyncPoints& points, causes::Delays& delays,
                                           DelayCosts& costs, const causes::GraphTask& task,
                                           IdealNetwork* beside, const Progress& progress,
                                           parallel::Processes& processes) {
  const auto n = static_cast<std::size_t>(processes.size());
  const auto root = static_cast<std::size_t>(root_of(points, beside, processes));
  std::optional<causes::WaitGraph> graph;
  if (static_cast<std::size_t>(processes.rank()) == root) graph.emplace(n, task);
  const bool replays = beside != nullptr && processes.rank() == beside->host();
  if (beside != nullptr) {
    beside->divide_into(static_cast<std::size_t>(
        processes.max(static_cast<std::int64_t>(causes::Delays::batches(points.waits().size())))));
  }
  std::vector<parallel::Bytes> told;
  // Parts of a message, in order: waits for the graph, results of the walk, answers, steps,
  // questions. The questions stay unread until the next round.
  std::vector<parallel::Unpacker> in;
  for (bool done = false; !done;) {
    std::vector<parallel::Packer> packs(n);
    memory::Vector<GraphWait> waits = last_waits(points, delays);
    const bool more = delays.found() < points.waits().size();
    if (!graph) {
      packs[root].put(more);
      packs[root].put_all(std::span<const GraphWait>(waits));
    }
    for (std::size_t p = 0; graph && p < n; ++p) tell(*graph, p, packs[p]);
    for (std::size_t p = 0; p < in.size(); ++p) delays.answer(in[p], packs[p]);
    if (beside != nullptr) beside->tell(packs[static_cast<std::size_t>(beside->host())]);
    delays.ask(packs, processes.rank());
    if (progress) progress(Work::kCauses, delays.found(), points.waits().size());

    in.clear();  // all questions are answered
    told.clear();
    told = processes.exchange(take_all(packs));
    in = std::vector<parallel::Unpacker>(told.begin(), told.end());
    for (std::size_t p = 0; graph && p < n; ++p) {
      if (p == root) {
        graph->add(p, std::move(waits), more);  // NOLINT(bugprone-use-after-move): once per round
        continue;
      }
      const bool more_there = in[p].get<bool>();
      memory::Vector<GraphWait> waits_there;
      in[p].get_all(waits_there);
      graph->add(p, std::move(waits_there), more_there);
    }
    done = in[root].get<bool>();
    const auto followed = in[root].get<std::uint64_t>();
    causes::Chains chains;
    in[root].get_all(chains.propagating);
    in[root].get_all(chains.carried);
    delays.compare_all(in, processes.rank());
    costs.book(followed, chains);
    delays.forget(followed);
    if (graph) graph->follow();
    for (std::size_t p = 0; replays && p < n; ++p) beside->take(in[p]);
    if (replays) beside->replay();
  }
  std::vector<causes::PathPart> path;
  parallel::Bytes bytes;
  if (graph) {
    parallel::Packer pack;
    pack.put_all(std::span<const causes::PathPart>(path = graph->path()));
    bytes = pack.take();
  }
  processes.broadcast(bytes, static_cast<int>(root));
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

DelayParts book_causes(Booking& booking, causes::SyncPoints& points, IdealNetwork* beside,
                       const Progress& progress, parallel::Processes& processes) {
  const CauseMetrics metrics(booking.metrics);
  std::vector<causes::CallPathTimes> times;
  times.reserve(booking.mine.size());
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    times.emplace_back(booking.mine[l], points.to_be_placed(l));
  }

  std::vector<causes::TimeParts> told;
  const bool tells = tells_of_computation(booking.definitions);
  for (std::size_t l = 0; tells && l < booking.mine.size(); ++l) {
    told.emplace_back(booking.mine[l], booking.definitions, points.of(l));
  }

  causes::Delays delays(points, times, booking.tree, tells ? &told : nullptr);
  DelayCosts costs(booking, points, delays, metrics);
  const RunLimits limits = run_limits(booking, processes);
  const auto path = follow_waits(
      points, delays, costs,
      {points.definitions.locations.size(), points.compatible(), limits.end, limits.start}, beside,
      progress, processes);

  DelayParts parts = costs.end(processes);
  book_performance_impact(booking, points, times, path, metrics, processes);
  return parts;
}

}  // namespace latecomer::replay
