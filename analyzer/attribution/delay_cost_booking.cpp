// SPDX-License-Identifier: BSD-3-Clause
// Sums delay costs by cause and call path, and books them where the causes are hosted.
#include "analyzer/attribution/delay_cost_booking.hpp"

#include <algorithm>

#include "analyzer/memory/prefetch.hpp"
#include "analyzer/memory/ratio.hpp"

namespace latecomer::replay {

using memory::rounded_ratio;
using patterns::kWaitKindCount;
using trace::Ticks;

namespace {

// Idle threads are charged where their master is. Unexplained idle time is charged to the threads.
constexpr std::size_t kIdle = patterns::index_of(patterns::WaitKind::kIdleThread);

}  // namespace

DelayCosts::DelayCosts(Booking& booking, const causes::SyncPoints& points,
                       const causes::Delays& delays, const CauseMetrics& metrics)
    : booking_(booking), points_(points), delays_(delays), metrics_(metrics) {
  // Starts with all waits as unknown; waits with a known cause are subtracted one by one.
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    for (std::uint32_t call_path = 0; call_path < booking.tree.nodes.size(); ++call_path) {
      Ticks all = 0;
      for (std::size_t k = 0; k < kWaitKindCount; ++k) {
        if (k != kIdle) all += metrics.waited(booking, k, l, call_path);
      }
      booking.add_up_at(metrics.unknown, l, call_path, all);
    }
  }
}

// Books waits from number booked_ to `last`. `chains` is sorted by wait, so its lists are read
// along.
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
    const auto location = points_.mine[wait.location].location;
    const auto call_path = booking_.tree.from_local[wait.node];
    const Ticks sum = delay.sum();
    const Ticks explained = std::min(wait.wait, sum);
    Ticks unknown = (k == kIdle ? wait.wait : 0) - explained;
    if (sum > 0) add_costs(i, wait.cause_location, kShort + k, explained);
    for (; carried != chains.carried.end() && carried->wait == i; ++carried) {
      if (sum <= 0) unknown += carried->cost;
      add_costs(i, wait.cause_location, kLong + patterns::index_of(carried->kind), carried->cost);
    }
    add(location, kUnknown, call_path, unknown);
    Ticks led_on = 0;
    for (; propagating != chains.propagating.end() && propagating->wait == i; ++propagating) {
      led_on = propagating->time;
    }
    if (!wait.known) continue;
    if (points_.compatible() && !patterns::is_point_to_point(wait.kind)) continue;
    if (sum > 0) {
      add(location, kIndirect + k, call_path, rounded_ratio(delay.waits, explained, sum));
    }
    add(location, kPropagating + k, call_path, led_on);
  }
}

DelayParts DelayCosts::end(parallel::Processes& processes) {
  send(processes);
  book_rest();
  return send_parts(processes);
}

inline DelayCosts::Row& DelayCosts::row_of(std::uint32_t location, std::size_t slot,
                                           std::uint32_t call_path) {
  const std::uint32_t in_slot = call_path / kInRow;
  const auto next = static_cast<std::uint32_t>(rows_.size());
  const auto at = index_.at(trace::IntKey{((location * kSlots + slot) << 32) | in_slot}, next);
  if (at == next) [[unlikely]] {
    rows_.push_back({location, static_cast<std::uint32_t>(slot), in_slot * kInRow, {}});
  }
  return rows_[at];
}

// Distributes a cost over call paths, in proportion to what the cause of the wait did longer than
// the waiter.
inline void DelayCosts::add_costs(std::size_t wait, std::uint32_t location, std::size_t slot,
                                  Ticks cost) {
  const Ticks sum = delays_.of(wait).sum();
  std::uint32_t first = trace::kNone;
  Ticks* sums = nullptr;
  delays_.for_each_excess(wait, [&](const causes::Excess& excess, const causes::ExcessParts* parts,
                                    std::span<const causes::ExcessPlace> places) {
    const std::uint32_t at = excess.call_path % kInRow;
    if (excess.call_path - at != first) {
      first = excess.call_path - at;
      sums = row_of(location, slot, excess.call_path).sums.data();
    }
    const Ticks charged = rounded_ratio(excess.time, cost, sum);
    sums[at] += charged;
    if (parts != nullptr) [[unlikely]]
      add_parts(location, excess.call_path, *parts, places, charged, cost, sum);
  });
}

void DelayCosts::add_parts(std::uint32_t location, std::uint32_t call_path,
                           const causes::ExcessParts& parts,
                           std::span<const causes::ExcessPlace> places, Ticks charged, Ticks cost,
                           Ticks sum) {
  const auto next = static_cast<std::uint32_t>(parts_.size());
  const auto at = parts_index_.at(trace::IntKey{(std::uint64_t{location} << 32) | call_path}, next);
  if (at == next) parts_.push_back({location, call_path, {}});
  auto& all = parts_[at].all;
  causes::add_charged(all.sums, parts, charged, cost, sum);
  for (const auto& [place, compared] : places) {
    causes::add_charged(all.places[place], compared, cost, sum);
  }
}

patterns::MetricId DelayCosts::metric_of(std::uint32_t slot) const {
  const auto kind = slot % kKinds;
  if (slot < kLong) return metrics_.short_term[kind];
  if (slot < kIndirect) return metrics_.long_term[kind];
  if (slot < kPropagating) return metrics_.indirect[kind];
  return slot < kUnknown ? metrics_.propagating[kind] : metrics_.unknown;
}

void DelayCosts::send(parallel::Processes& processes) {
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
  for (const Row& row : rows_) {
    auto& pack = packs[static_cast<std::size_t>(points_.host_of(row.location))];
    for (std::uint32_t i = 0; i < kInRow; ++i) {
      if (row.sums[i] != 0) pack.put(Cost{row.location, row.slot, row.first + i, row.sums[i]});
    }
  }
  rows_ = {};
  for (const auto& bytes : processes.exchange(take_all(packs))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto cost = in.get<Cost>();
      booking_.add_up_at(metric_of(cost.slot), points_.hosted(cost.location), cost.call_path,
                         cost.value);
    }
  }
}

DelayParts DelayCosts::send_parts(parallel::Processes& processes) {
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
  for (const Parts& parts : parts_) {
    auto& pack = packs[static_cast<std::size_t>(points_.host_of(parts.location))];
    pack.put(parts.location);
    pack.put(parts.call_path);
    pack.put(parts.all.sums);
    std::vector<causes::ExcessPlace> places;
    for (const auto& [place, compared] : parts.all.places) places.push_back({place, compared});
    pack.put_all(std::span<const causes::ExcessPlace>(places));
  }
  parts_ = {};
  DelayParts all(booking_.mine.size());
  for (const auto& bytes : processes.exchange(take_all(packs))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto location = points_.hosted(in.get<std::uint32_t>());
      DelayPart& part = all[location][in.get<std::uint32_t>()];
      causes::add(part.sums, in.get<causes::ExcessParts>());
      std::vector<causes::ExcessPlace> places;
      in.get_all(places);
      for (const auto& [place, compared] : places) causes::add(part.places[place], compared);
    }
  }
  return all;
}

// Books the remaining part of each kind of waits, given the parts that are known.
void DelayCosts::book_rest() {
  for (std::size_t k = 0; k < kWaitKindCount; ++k) {
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
