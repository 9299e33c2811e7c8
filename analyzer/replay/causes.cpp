// SPDX-License-Identifier: BSD-3-Clause
// Delays are compared where the waiting locations are hosted; the graph of all waits is followed on
// one process.
#include "analyzer/replay/causes.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "analyzer/causes/delays.hpp"
#include "analyzer/causes/ratio.hpp"
#include "analyzer/causes/wait_graph.hpp"
#include "analyzer/replay/cause_metrics.hpp"
#include "analyzer/replay/performance_impact.hpp"
#include "analyzer/trace/flat_index.hpp"

namespace latecomer::replay {
namespace {

using causes::Chains;
using causes::GraphWait;
using causes::rounded_ratio;
using causes::Wait;
using patterns::kWaitKinds;
using trace::kNone;
using trace::Ticks;

constexpr int kRoot = 0;

// The hosted waits in the order in which they are followed: latest first.
parallel::Bytes own_graph(const causes::SyncPoints& points, const causes::Delays& delays) {
  const auto& waits = points.waits();
  parallel::Bytes out(waits.size() * sizeof(GraphWait));
  auto* to = out.data();
  for (std::size_t w = waits.size(); w-- > 0; to += sizeof(GraphWait)) {
    const Wait& wait = waits[w];
    const auto& delay = delays.of(w);
    const GraphWait in_graph{.event = wait.event,
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
                             .path = wait.path};
    std::memcpy(to, &in_graph, sizeof in_graph);
  }
  return out;
}

// Costs that go to locations anywhere, summed before they travel.
class Costs {
 public:
  void add(std::uint32_t location, std::size_t slot, std::uint32_t call_path, Ticks value) {
    if (value == 0) return;
    const trace::IntKey key{((location * 2 * kWaitKinds.size() + slot) << 32) | call_path};
    const auto next = static_cast<std::uint32_t>(costs_.size());
    const auto at = index_.at(key, next);
    if (at == next) costs_.push_back({location, static_cast<std::uint32_t>(slot), call_path, 0});
    costs_[at].value += value;
  }
  // Collective.
  void book(Booking& booking, const causes::SyncPoints& points, const CauseMetrics& metrics,
            parallel::Processes& processes) const {
    std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
    for (const auto& cost : costs_) {
      packs[static_cast<std::size_t>(points.host_of(cost.location))].put(cost);
    }
    for (const auto& bytes : processes.exchange(take_all(packs))) {
      for (parallel::Unpacker in(bytes); !in.done();) {
        const auto cost = in.get<Cost>();
        const auto& metric = cost.slot < kWaitKinds.size() ? metrics.short_term : metrics.long_term;
        booking.add_up_at(metric[cost.slot % kWaitKinds.size()], points.hosted(cost.location),
                          cost.call_path, cost.value);
      }
    }
  }

 private:
  struct Cost {
    std::uint32_t location = 0, slot = 0, call_path = 0;
    Ticks value = 0;
  };
  trace::FlatIndex<trace::IntKey> index_;
  std::vector<Cost> costs_;
};

// What the process that follows the graph tells this one.
struct OwnCauses {
  Chains chains;
  std::vector<causes::PathPart> path;
};

// All waits are followed on one process, where they stay in the memory in which they arrived.
OwnCauses follow(parallel::Bytes own, const causes::GraphTask& task,
                 parallel::Processes& processes) {
  std::vector<parallel::Bytes> out(static_cast<std::size_t>(processes.size()));
  out[kRoot] = std::move(own);
  const auto arrived = processes.exchange(std::move(out));
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
  if (processes.rank() == kRoot) {
    std::vector<std::span<const GraphWait>> parts;
    for (const auto& bytes : arrived) {
      parts.emplace_back(reinterpret_cast<const GraphWait*>(bytes.data()),
                         bytes.size() / sizeof(GraphWait));
    }
    const auto followed = causes::follow(parts, task);
    for (std::size_t p = 0; p < packs.size(); ++p) {
      packs[p].put_all(std::span(followed.chains[p].propagating));
      packs[p].put_all(std::span(followed.chains[p].carried));
      packs[p].put_all(std::span(followed.path));
    }
  }
  const auto answers = processes.exchange(take_all(packs));
  parallel::Unpacker in(answers[kRoot]);
  OwnCauses result;
  in.get_all(result.chains.propagating);
  in.get_all(result.chains.carried);
  in.get_all(result.path);
  return result;
}

// Books what one kind of waits is made of, from the parts that are known.
void book_rest(Booking& booking, const CauseMetrics& metrics, bool compatible) {
  for (std::size_t k = 0; k < kWaitKinds.size(); ++k) {
    if (compatible && !patterns::is_point_to_point(static_cast<patterns::WaitKind>(k))) continue;
    for (std::uint32_t call_path = 0; call_path < booking.tree.nodes.size(); ++call_path) {
      for (std::size_t l = 0; l < booking.mine.size(); ++l) {
        const Ticks wait = metrics.waited(booking, k, l, call_path);
        if (wait == 0) continue;
        booking.add_up_at(metrics.direct[k], l, call_path,
                          wait - booking.value(metrics.indirect[k], l, call_path));
        booking.add_up_at(metrics.terminal[k], l, call_path,
                          wait - booking.value(metrics.propagating[k], l, call_path));
      }
    }
  }
}

void book_costs(Booking& booking, const causes::SyncPoints& points, const causes::Delays& delays,
                const Chains& chains, const CauseMetrics& metrics, parallel::Processes& processes) {
  const auto& waits = points.waits();
  const auto& tree = booking.tree;
  Costs costs;
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    for (std::uint32_t call_path = 0; call_path < tree.nodes.size(); ++call_path) {
      Ticks all = 0;
      for (std::size_t k = 0; k < kWaitKinds.size(); ++k) {
        all += metrics.waited(booking, k, l, call_path);
      }
      booking.add_up_at(metrics.unknown, l, call_path, all);
    }
  }
  auto carried = chains.carried.begin();
  auto propagating = chains.propagating.begin();
  // In the order in which they were followed, as the chains are.
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const std::size_t w = waits.size() - 1 - i;
    const Wait& wait = waits[w];
    if (!wait.costs) continue;
    const auto& delay = delays.of(w);
    const auto k = patterns::index_of(wait.kind);
    const auto node = wait.node;
    const Ticks sum = delay.sum();
    const Ticks explained = std::min(wait.wait, sum);
    Ticks unknown = -explained;
    if (sum > 0) {
      delays.for_each_excess(delay, [&](const causes::Excess& excess) {
        costs.add(wait.cause_location, k, excess.call_path,
                  rounded_ratio(excess.time, explained, sum));
      });
    }
    for (; carried != chains.carried.end() && carried->wait == i; ++carried) {
      if (sum <= 0) unknown += carried->cost;
      delays.for_each_excess(delay, [&](const causes::Excess& excess) {
        costs.add(wait.cause_location, kWaitKinds.size() + patterns::index_of(carried->kind),
                  excess.call_path, rounded_ratio(excess.time, carried->cost, sum));
      });
    }
    booking.add_up(metrics.unknown, wait.location, node, unknown);
    Ticks led_on = 0;
    for (; propagating != chains.propagating.end() && propagating->wait == i; ++propagating) {
      led_on = propagating->time;
    }
    if (points.compatible() && !patterns::is_point_to_point(wait.kind)) continue;
    if (sum > 0) {
      booking.add_up(metrics.indirect[k], wait.location, node,
                     rounded_ratio(delay.waits, explained, sum));
    }
    booking.add_up(metrics.propagating[k], wait.location, node, led_on);
  }
  costs.book(booking, points, metrics, processes);
  book_rest(booking, metrics, points.compatible());
}

}  // namespace

void book_causes(Booking& booking, causes::SyncPoints& points, parallel::Processes& processes) {
  points.connect(processes);
  const CauseMetrics metrics(booking.metrics);
  std::vector<causes::CallPathTimes> times;
  times.reserve(booking.mine.size());
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    times.emplace_back(booking.mine[l], points.of(l));
  }
  const causes::Delays delays(points, times, booking.tree, processes);
  parallel::Bytes graph = own_graph(points, delays);
  const RunLimits limits = run_limits(booking, processes);
  const OwnCauses causes =
      follow(std::move(graph),
             {points.definitions.locations.size(), points.compatible(), limits.end, limits.start},
             processes);
  book_costs(booking, points, delays, causes.chains, metrics, processes);
  book_performance_impact(booking, points, times, causes.path, metrics, processes);
}

}  // namespace latecomer::replay
