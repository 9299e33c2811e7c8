// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/delay_costs.hpp"

#include <algorithm>

#include "analyzer/causes/ratio.hpp"
#include "analyzer/memory/prefetch.hpp"

namespace latecomer::replay {

using causes::rounded_ratio;
using patterns::kWaitKinds;
using trace::Ticks;

namespace {

// Idle threads are charged where their master is; what nobody explains of it, where they are.
constexpr std::size_t kIdle = patterns::index_of(patterns::WaitKind::kIdleThread);

}  // namespace

DelayCosts::DelayCosts(Booking& booking, const causes::SyncPoints& points,
                       const causes::Delays& delays, const CauseMetrics& metrics)
    : booking_(booking), points_(points), delays_(delays), metrics_(metrics) {
  // All waits, from which those with a known cause are taken off one by one.
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    for (std::uint32_t call_path = 0; call_path < booking.tree.nodes.size(); ++call_path) {
      Ticks all = 0;
      for (std::size_t k = 0; k < kWaitKinds.size(); ++k) {
        if (k != kIdle) all += metrics.waited(booking, k, l, call_path);
      }
      booking.add_up_at(metrics.unknown, l, call_path, all);
    }
  }
}

void DelayCosts::book(std::size_t last, const causes::Chains& chains) {
  const auto& waits = points_.waits();
  auto carried = chains.carried.begin();
  auto propagating = chains.propagating.begin();
  for (; booked_ < last; ++booked_) {
    const auto i = booked_;
    waits.prefetch(waits.size() - 1 - i - memory::kAhead);
    const causes::Wait wait = waits[waits.size() - 1 - i];
    if (!wait.costs) continue;
    const auto& delay = delays_.of(i);
    const auto k = patterns::index_of(wait.kind);
    const auto node = wait.node;
    const Ticks sum = delay.sum();
    const Ticks explained = std::min(wait.wait, sum);
    Ticks unknown = (k == kIdle ? wait.wait : 0) - explained;
    if (sum > 0) {
      delays_.for_each_excess(i, [&](const causes::Excess& excess) {
        add(wait.cause_location, k, excess.call_path, rounded_ratio(excess.time, explained, sum));
      });
    }
    for (; carried != chains.carried.end() && carried->wait == i; ++carried) {
      if (sum <= 0) unknown += carried->cost;
      delays_.for_each_excess(i, [&](const causes::Excess& excess) {
        add(wait.cause_location, kWaitKinds.size() + patterns::index_of(carried->kind),
            excess.call_path, rounded_ratio(excess.time, carried->cost, sum));
      });
    }
    booking_.add_up(metrics_.unknown, wait.location, node, unknown);
    Ticks led_on = 0;
    for (; propagating != chains.propagating.end() && propagating->wait == i; ++propagating) {
      led_on = propagating->time;
    }
    if (!wait.known) continue;
    if (points_.compatible() && !patterns::is_point_to_point(wait.kind)) continue;
    if (sum > 0) {
      booking_.add_up(metrics_.indirect[k], wait.location, node,
                      rounded_ratio(delay.waits, explained, sum));
    }
    booking_.add_up(metrics_.propagating[k], wait.location, node, led_on);
  }
}

void DelayCosts::end(parallel::Processes& processes) {
  send(processes);
  book_rest();
}

void DelayCosts::add(std::uint32_t location, std::size_t slot, std::uint32_t call_path,
                     Ticks value) {
  if (value == 0) return;
  const trace::IntKey key{((location * 2 * kWaitKinds.size() + slot) << 32) | call_path};
  const auto next = static_cast<std::uint32_t>(costs_.size());
  const auto at = index_.at(key, next);
  if (at == next) costs_.push_back({location, static_cast<std::uint32_t>(slot), call_path, 0});
  costs_[at].value += value;
}

void DelayCosts::send(parallel::Processes& processes) {
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
  for (const auto& cost : costs_) {
    packs[static_cast<std::size_t>(points_.host_of(cost.location))].put(cost);
  }
  for (const auto& bytes : processes.exchange(take_all(packs))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto cost = in.get<Cost>();
      const auto& metric = cost.slot < kWaitKinds.size() ? metrics_.short_term : metrics_.long_term;
      booking_.add_up_at(metric[cost.slot % kWaitKinds.size()], points_.hosted(cost.location),
                         cost.call_path, cost.value);
    }
  }
}

// Books what each kind of waits is made of, from the parts that are known.
void DelayCosts::book_rest() {
  for (std::size_t k = 0; k < kWaitKinds.size(); ++k) {
    if (metrics_.direct[k] == patterns::MetricTree::kNone) continue;
    if (points_.compatible() && !patterns::is_point_to_point(static_cast<patterns::WaitKind>(k))) {
      continue;
    }
    for (std::uint32_t call_path = 0; call_path < booking_.tree.nodes.size(); ++call_path) {
      for (std::size_t l = 0; l < booking_.mine.size(); ++l) {
        const Ticks wait = metrics_.waited(booking_, k, l, call_path);
        if (wait == 0) continue;
        booking_.add_up_at(metrics_.direct[k], l, call_path,
                           wait - booking_.value(metrics_.indirect[k], l, call_path));
        booking_.add_up_at(metrics_.terminal[k], l, call_path,
                           wait - booking_.value(metrics_.propagating[k], l, call_path));
      }
    }
  }
}

}  // namespace latecomer::replay
