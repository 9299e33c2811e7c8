// SPDX-License-Identifier: BSD-3-Clause
// Sorts what was told by call path.
#include "analyzer/causes/time_parts.hpp"

namespace latecomer::causes {
namespace {

using trace::StretchCounter;
using trace::Ticks;

// Sums wrap around in damaged archives only.
std::int64_t amount(std::uint64_t sum) {
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(sum));
}

// Variance of a sample that stands for a time, in square microseconds.
std::int64_t variance_of_one(std::int64_t nanoseconds) {
  constexpr double kMost = 1e12;
  const double microseconds = 1e-3 * static_cast<double>(nanoseconds);
  return static_cast<std::int64_t>(std::min(kMost, microseconds * microseconds));
}

// Cuts the waits off times without a core inside calls. A call waits first, for as long as its
// waits together, and then goes on. Ask in the order of time.
//
//   call from 2 to 12, waits of 4 and 1    no core from 5 to 10: from 7 on, 3
class OutsideWaits {
 public:
  OutsideWaits(const trace::LocationEvents& events, Points points)
      : calls_(events.calls), points_(points) {}

  [[nodiscard]] Ticks part_of(const trace::CountedStretch& stretch) {
    while (call_ + 1 < calls_.size() && calls_[call_ + 1].enter <= stretch.time) ++call_;
    if (call_ >= calls_.size()) return stretch.value;
    const trace::Call call = calls_[call_];
    if (call.node != stretch.node || stretch.time < call.enter || stretch.time > call.leave) {
      return stretch.value;
    }
    while (point_ < points_.size() && points_[point_].call < call_) ++point_;
    Ticks waits = 0;
    for (auto i = point_; i < points_.size() && points_[i].call == call_; ++i) {
      waits = trace::advanced(waits, points_[i].wait);
    }
    const Ticks own = trace::difference(stretch.time, trace::advanced(call.enter, waits));
    return std::clamp<Ticks>(own, 0, stretch.value);
  }

 private:
  const decltype(trace::LocationEvents::calls)& calls_;
  const Points points_;
  std::size_t call_ = 0, point_ = 0;
};

}  // namespace

TimeParts::TimeParts(const trace::LocationEvents& events, const trace::Definitions& definitions,
                     Points points) {
  const auto& samples = events.sample_times;
  const auto& stretches = events.stretches;
  const auto& calls = events.blocked_times;
  if (samples.empty() && stretches.empty() && calls.empty()) return;
  index_.assign(events.time.size(), trace::kNone);
  for (const auto& one : events.sampled) {
    places_.push_back({Place::Kind::kSampled, one.at, one.region, one.source, trace::kNone});
  }
  for (const auto& one : events.blocked) {
    places_.push_back({Place::Kind::kBlocked, one.at, one.region, one.source, one.function});
  }
  for (const auto& one : samples) {
    // A sample whose period is not known tells nothing of times.
    const auto clock =
        one.clock == trace::kNone ? trace::SampleClock() : definitions.sample_clocks[one.clock];
    const std::uint64_t in_kernel = clock.in_kernel ? clock.period : 0;
    if (clock.period == 0) continue;
    Node& to = node(events.sampled[one.place].node);
    to.samples.add(one.time, {clock.period - in_kernel, in_kernel});
    to.of_samples.push_back({one.place, amount(clock.period)});
  }
  const auto first_call = static_cast<std::uint32_t>(events.sampled.size());
  for (const auto& one : calls) {
    Node& to = node(events.blocked[one.place].node);
    to.calls.add(one.time, {});
    to.of_calls.push_back({first_call + one.place, amount(one.nanoseconds)});
  }
  OutsideWaits outside(events, points);
  for (const auto& one : stretches) {
    const bool is_time =
        one.counter == StretchCounter::kPreempted || one.counter == StretchCounter::kBlocked;
    const auto value = static_cast<std::uint64_t>(is_time ? outside.part_of(one) : one.value);
    Node& to = node(one.node);
    switch (one.counter) {
      case StretchCounter::kPreempted:
        to.without_core.add(one.time, {value, 0});
        break;
      case StretchCounter::kBlocked:
        to.without_core.add(one.time, {0, value});
        break;
      case StretchCounter::kInstructions:
        to.counted.add(one.time, {value, 0});
        break;
      case StretchCounter::kPageFaults:
        to.counted.add(one.time, {0, value});
        break;
      case StretchCounter::kNone:
        break;
    }
  }
  std::vector<Ticks> times;
  times.reserve(samples.size() + stretches.size() + calls.size());
  for (const auto& one : samples) times.push_back(one.time);
  for (const auto& one : stretches) times.push_back(one.time);
  for (const auto& one : calls) times.push_back(one.time);
  std::ranges::sort(times);
  for (const Ticks time : times) all_.add(time, {});
}

TimeParts::Node& TimeParts::node(std::uint32_t number) {
  if (number >= index_.size()) index_.resize(number + std::size_t{1}, trace::kNone);
  if (index_[number] == trace::kNone) {
    index_[number] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }
  return nodes_[index_[number]];
}

TimePart TimeParts::of(const Node& node, Ticks from, Ticks to) {
  TimePart part;
  if (from >= to) return part;
  if (!node.without_core.empty()) {
    const auto sums =
        node.without_core.between(node.without_core.until(from), node.without_core.until(to));
    part.preempted = amount(sums[0]);
    part.blocked = amount(sums[1]);
  }
  if (!node.samples.empty()) {
    const auto first = node.samples.until(from), last = node.samples.until(to);
    const auto sums = node.samples.between(first, last);
    part.user = amount(sums[0]);
    part.kernel = amount(sums[1]);
    part.samples = static_cast<std::int64_t>(last - first);
  }
  if (!node.counted.empty()) {
    const auto sums = node.counted.between(node.counted.until(from), node.counted.until(to));
    part.instructions = amount(sums[0]);
    part.page_faults = amount(sums[1]);
  }
  return part;
}

std::vector<ToldPlace> TimeParts::places_at(std::uint32_t node, Ticks from, Ticks to) const {
  std::vector<ToldPlace> out;
  if (node >= index_.size() || index_[node] == trace::kNone || from >= to) return out;
  const Node& of = nodes_[index_[node]];
  std::vector<Named> named;
  for (auto i = of.samples.until(from), end = of.samples.until(to); i < end; ++i) {
    named.push_back(of.of_samples[i]);
  }
  for (auto i = of.calls.until(from), end = of.calls.until(to); i < end; ++i) {
    named.push_back(of.of_calls[i]);
  }
  std::ranges::sort(named, {}, &Named::place);
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (i == 0 || named[i].place != named[i - 1].place) out.push_back({places_[named[i].place]});
    ToldPlace& to_place = out.back();
    to_place.nanoseconds = trace::advanced(to_place.nanoseconds, named[i].nanoseconds);
    if (to_place.place.kind == Place::Kind::kSampled) {
      to_place.variance += variance_of_one(named[i].nanoseconds);
    }
  }
  return out;
}

}  // namespace latecomer::causes
