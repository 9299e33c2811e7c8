// SPDX-License-Identifier: BSD-3-Clause
// Books times and counts per call path of the hosted locations.
#include "analyzer/booking/times_and_counts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "patterns/calls/collective_class.hpp"

namespace latecomer::replay {
namespace {

constexpr MetricId kNoMetric = patterns::MetricTree::kNone;

// True for collective calls that synchronize but do not communicate data themselves.
bool is_on_window_or_file(const trace::CollectiveKind& kind) {
  const auto type = patterns::collective_class(kind.operation);
  return type == patterns::CollectiveClass::kWindow || type == patterns::CollectiveClass::kFence ||
         type == patterns::CollectiveClass::kFile;
}

bool is_neighborhood(const trace::CollectiveKind& kind) {
  return patterns::collective_class(kind.operation) == patterns::CollectiveClass::kNeighborhood;
}

void book_counts(Booking& booking, std::size_t l, bool scalasca_compatible) {
  const auto& map = booking.map;
  const auto& events = booking.mine[l];
  // Counts are summed per node first, since there are many more messages than call paths.
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
    ++(m.size == 0 ? counts.sync : counts.data);
    counts.bytes += static_cast<std::int64_t>(events.bytes(m));
  };
  events.sends.for_each([&](const trace::Message& m) { count(m, &NodeCounts::sent); });
  events.receives.for_each([&](const trace::Message& m) { count(m, &NodeCounts::received); });
  events.collectives.for_each([&](const trace::Collective& own) {
    if (own.kind == trace::Collective::kOpen) return;
    const auto& kind = events.kinds[own.kind];
    // Scalasca does not know these operations.
    if (scalasca_compatible && (kind.nonblocking || is_neighborhood(kind))) return;
    if (is_on_window_or_file(kind)) return;  // counted by book_one_sided(), or no communication
    NodeCounts& c = nodes[events.calls[own.call].node];
    ++(kind.sent == 0 ? (kind.received == 0 ? c.syncs : c.destinations)
                      : (kind.received == 0 ? c.sources : c.exchanges));
    c.out += static_cast<std::int64_t>(kind.sent);
    c.in += static_cast<std::int64_t>(kind.received);
  });
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    const NodeCounts& c = nodes[node];
    const std::pair<MetricId, std::int64_t> values[] = {
        {map.syncs_send, c.sent.sync},     {map.comms_send, c.sent.data},
        {map.bytes_sent, c.sent.bytes},    {map.syncs_recv, c.received.sync},
        {map.comms_recv, c.received.data}, {map.bytes_rcvd, c.received.bytes},
        {map.syncs_coll, c.syncs},         {map.comms_cxch, c.exchanges},
        {map.comms_csrc, c.sources},       {map.comms_cdst, c.destinations},
        {map.bytes_cout, c.out},           {map.bytes_cin, c.in}};
    for (const auto& [metric, value] : values) booking.add_up(metric, l, node, value);
  }
}

// Scalasca does not know these metrics.
void book_one_sided(Booking& booking, std::size_t l) {
  const auto& map = booking.map;
  const auto& events = booking.mine[l];
  const auto& definitions = booking.definitions;
  const auto count = [&](std::uint32_t call, std::size_t partners) {
    booking.add(map.pairwise, l, events.calls[call].node, static_cast<std::int64_t>(partners));
  };
  const auto is_fence = [](const trace::CollectiveKind& kind) {
    return patterns::collective_class(kind.operation) == patterns::CollectiveClass::kFence;
  };
  if (std::ranges::any_of(events.kinds, is_fence)) {
    for (const auto& own : events.collectives) {
      if (own.kind == trace::Collective::kOpen || !is_fence(events.kinds[own.kind])) continue;
      count(own.call, definitions.comms[events.kinds[own.kind].comm].size());
    }
  }
  for (const auto& step : events.window_events) {
    if (step.is_epoch()) count(step.call, definitions.groups[step.other].size());
  }
  for (std::uint32_t node = 0; node < events.transferred.size(); ++node) {
    const auto& t = events.transferred[node];
    booking.add_up(map.puts, l, node, t.puts);
    booking.add_up(map.gets, l, node, t.gets);
    booking.add_up(map.atomics, l, node, t.atomics);
    booking.add_up(map.bytes_put, l, node, t.sent);
    booking.add_up(map.bytes_get, l, node, t.received);
  }
}

// Scalasca does not know records of files.
void book_file_bytes(Booking& booking, std::size_t l) {
  const auto& map = booking.map;
  const auto& moved = booking.mine[l].file_bytes;
  for (std::uint32_t node = 0; node < moved.size(); ++node) {
    const auto region = booking.tree.nodes[booking.tree.from_local[node]].region;
    const auto& [read, written] = map.file_bytes[map.is_collective_file_region[region] ? 1 : 0];
    booking.add_up(read, l, node, moved[node].read);
    booking.add_up(written, l, node, moved[node].written);
  }
}

// Time of calls that cross metahosts.
void book_grid_times(Booking& booking, std::size_t l) {
  if (booking.definitions.metahosts.size() < 2) return;
  const auto& events = booking.mine[l];
  std::vector<trace::Ticks> times(events.time.size());  // per node, since there are many more calls
  events.calls.for_each([&](const trace::Call& call) {
    if (call.crosses_metahosts) times[call.node] += call.leave - call.enter;
  });
  for (std::uint32_t node = 0; node < times.size(); ++node) {
    if (times[node] != 0) booking.add_grid_time(l, node, times[node]);
  }
}

}  // namespace

void book_times_and_counts(Booking& booking, bool scalasca_compatible) {
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    const auto& events = booking.mine[l];
    for (std::uint32_t node = 0; node < events.time.size(); ++node) {
      const auto region = booking.tree.nodes[booking.tree.from_local[node]].region;
      booking.add(booking.map.visits, l, node, events.visits[node]);
      for (const auto metric : booking.map.counts_of_region[region]) {
        booking.add(metric, l, node, events.visits[node]);
      }
      for (const auto metric : booking.map.time_of_region[region]) {
        booking.add(metric, l, node, events.time[node]);
      }
      const bool polls = booking.definitions.regions[region].test ||
                         (!scalasca_compatible &&
                          booking.map.kind_of_region[region] == patterns::CallKind::kProbeNow);
      if (polls && booking.map.polling != kNoMetric) {
        booking.add(booking.map.polling, l, node, events.time[node]);
      }
    }
    book_counts(booking, l, scalasca_compatible);
    if (!scalasca_compatible) book_one_sided(booking, l);
    if (!scalasca_compatible) book_file_bytes(booking, l);
    book_grid_times(booking, l);
  }
}

}  // namespace latecomer::replay
