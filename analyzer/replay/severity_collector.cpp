// SPDX-License-Identifier: BSD-3-Clause
// Booking: the formulas are in patterns/, the communication is in messages and collectives.
#include "analyzer/replay/severity_collector.hpp"

#include "patterns/barrier_wait.hpp"
#include "patterns/collective_class.hpp"
#include "patterns/late_sender.hpp"
#include "patterns/wait_nxn.hpp"

namespace latecomer::replay {

using patterns::MetricTree;
using trace::Call;
using trace::Ticks;

SeverityCollector::SeverityCollector(const trace::Definitions& definitions,
                                     const trace::GlobalCallTree& tree, const MetricTree& metrics,
                                     const std::vector<trace::LocationEvents>& mine,
                                     bool scalasca_compatible)
    : definitions_(definitions),
      tree_(tree),
      metrics_(metrics),
      mine_(mine),
      scalasca_compatible_(scalasca_compatible),
      map_(metrics, definitions),
      severities_(metrics.size(), tree.nodes.size(), mine.size()),
      quality_(mine.size()) {}

void SeverityCollector::add_up(MetricId metric, std::size_t location, std::uint32_t node,
                               std::int64_t value) {
  for (; metric != MetricTree::kNone; metric = metrics_.parent(metric)) {
    severities_.add(metric, tree_.from_local[node], location, value);
  }
}

void SeverityCollector::add_times_and_counts() {
  for (std::size_t l = 0; l < mine_.size(); ++l) {
    const auto& events = mine_[l];
    for (std::uint32_t node = 0; node < events.time.size(); ++node) {
      const std::uint32_t global = tree_.from_local[node];
      const std::uint32_t region = tree_.nodes[global].region;
      severities_.add(map_.visits, global, l, events.visits[node]);
      for (const auto metric : map_.time_of_region[region]) {
        severities_.add(metric, global, l, events.time[node]);
      }
    }
    add_counts(l);
    add_grid_times(l);
  }
}

void SeverityCollector::add_counts(std::size_t l) {
  const auto& events = mine_[l];
  // Summed per node first: there are many more messages than call paths.
  struct Counts {
    std::int64_t sync = 0, data = 0, bytes = 0;
  };
  struct NodeCounts {
    Counts sent, received;
    std::int64_t syncs = 0, exchanges = 0, sources = 0, destinations = 0, out = 0, in = 0;
  };
  std::vector<NodeCounts> nodes(events.time.size());
  const auto count = [&](const trace::Message& m, Counts NodeCounts::*which) {
    if (m.peer == trace::kNone) return;  // cancelled, or never completed
    Counts& counts = nodes[events.calls[m.call].node].*which;
    ++(m.bytes == 0 ? counts.sync : counts.data);
    counts.bytes += static_cast<std::int64_t>(m.bytes);
  };
  for (const auto& m : events.sends) count(m, &NodeCounts::sent);
  for (const auto& m : events.receives) count(m, &NodeCounts::received);
  for (const auto& own : events.collectives) {
    if (own.kind == trace::Collective::kOpen) continue;
    const auto& kind = events.kinds[own.kind];
    if (kind.nonblocking && scalasca_compatible_) continue;  // the base does not know them
    NodeCounts& c = nodes[events.calls[own.call].node];
    ++(kind.sent == 0 ? (kind.received == 0 ? c.syncs : c.destinations)
                      : (kind.received == 0 ? c.sources : c.exchanges));
    c.out += static_cast<std::int64_t>(kind.sent);
    c.in += static_cast<std::int64_t>(kind.received);
  }
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    const NodeCounts& c = nodes[node];
    const std::pair<MetricId, std::int64_t> values[] = {
        {map_.syncs_send, c.sent.sync},     {map_.comms_send, c.sent.data},
        {map_.bytes_sent, c.sent.bytes},    {map_.syncs_recv, c.received.sync},
        {map_.comms_recv, c.received.data}, {map_.bytes_rcvd, c.received.bytes},
        {map_.syncs_coll, c.syncs},         {map_.comms_cxch, c.exchanges},
        {map_.comms_csrc, c.sources},       {map_.comms_cdst, c.destinations},
        {map_.bytes_cout, c.out},           {map_.bytes_cin, c.in}};
    for (const auto& [metric, value] : values) add_up(metric, l, node, value);
  }
}

void SeverityCollector::add_grid_times(std::size_t l) {
  if (definitions_.metahosts.size() < 2) return;
  for (const auto& call : mine_[l].calls) {
    if (call.crosses_metahosts == 0) continue;
    const std::uint32_t global = tree_.from_local[call.node];
    for (const auto metric : map_.grid_of_region[tree_.nodes[global].region]) {
      severities_.add(metric, global, l, call.leave - call.enter);
    }
  }
}

std::uint32_t SeverityCollector::metahost_of(std::size_t location) const {
  const auto process = definitions_.locations[mine_[location].location].process;
  return definitions_.processes[process].metahost;
}

void SeverityCollector::add_wait(const WaitMetrics& metrics, std::size_t location, const Call& call,
                                 Ticks wait, std::uint32_t cause, bool grid) {
  if (wait <= 0) return;
  const std::uint32_t global = tree_.from_local[call.node];
  severities_.add(metrics.base, global, location, wait);
  if (!grid || metrics.grid == MetricTree::kNone) return;
  severities_.add(metrics.grid, global, location, wait);
  const auto causing = definitions_.processes[cause].metahost;
  const auto pair = metahost_of(location) * definitions_.metahosts.size() + causing;
  add_up(metrics.pairs[pair], location, call.node, wait);
}

// A call that completes several receives books its largest wait once; ties go to the lowest rank.
void SeverityCollector::on_message(std::size_t location, const trace::Message& receive,
                                   const SentMessage& send) {
  if (send.time > receive.time) quality_[location].add(trace::Quality::kReversedMessages);
  const Call& call = mine_[location].calls[receive.call];
  const auto region = tree_.nodes[tree_.from_local[call.node]].region;
  if (map_.kind_of_region[region] == patterns::CallKind::kTest) return;
  const Ticks wait = patterns::late_sender(call.enter, call.leave, send.enter);
  if (wait <= 0) return;
  if (receiving_ != location) {
    book_late_senders();
    receiving_ = location;
    late_senders_.assign(mine_[location].calls.size(), {});
  }
  auto& largest = late_senders_[receive.call];
  if (wait > largest.wait || (wait == largest.wait && send.source < largest.cause)) {
    largest = {wait, send.source};
  }
}

void SeverityCollector::book_late_senders() {
  for (std::size_t c = 0; c < late_senders_.size(); ++c) {
    const auto& [wait, cause] = late_senders_[c];
    if (wait <= 0) continue;
    const bool grid = definitions_.processes[cause].metahost != metahost_of(receiving_);
    add_wait(map_.late_sender, receiving_, mine_[receiving_].calls[c], wait, cause, grid);
  }
  late_senders_.clear();
}

void SeverityCollector::on_collective(std::size_t location, const trace::Collective& own,
                                      const CollectiveSummary& all) {
  const auto& kind = mine_[location].kinds[own.kind];
  const bool grid = definitions_.comms[kind.comm].spans_metahosts;
  if (kind.nonblocking || definitions_.comms[kind.comm].inter) return;
  const Call& call = mine_[location].calls[own.call];
  switch (patterns::collective_class(kind.operation)) {
    case patterns::CollectiveClass::kBarrier:
      if (own.end < all.latest_begin) {
        quality_[location].add(trace::Quality::kReversedCollectives);
      }
      add_wait(map_.barrier_wait, location, call,
               patterns::barrier_wait(own.begin, own.end, all.latest_begin), all.latest_rank, grid);
      break;
    case patterns::CollectiveClass::kNToN:
      if (kind.received == 0 || all.latest_sender_rank == trace::kNone) break;
      if (own.end < all.latest_sender_begin) {
        quality_[location].add(trace::Quality::kReversedCollectives);
      }
      add_wait(map_.wait_nxn, location, call,
               patterns::wait_nxn(own.begin, own.end, all.latest_sender_begin),
               all.latest_sender_rank, grid);
      break;
    default:
      break;
  }
}

}  // namespace latecomer::replay
