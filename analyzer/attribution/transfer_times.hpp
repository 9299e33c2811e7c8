// SPDX-License-Identifier: BSD-3-Clause
// The time that a message takes, by class of link and size, as messages of the run show it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "analyzer/engine/durations.hpp"
#include "analyzer/engine/step.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "sync/constraints.hpp"

namespace latecomer::replay {

// Times of messages whose receiver was already waiting. Sizes without such a message have the time
// of the next smaller size that has one; without any, a message takes no time.
class TransferTimes {
 public:
  using Ticks = trace::Ticks;

  // `from_bytes`: smallest size of the class, as in report::Messages. In ascending order per link.
  void add(sync::LinkClass link, std::uint64_t from_bytes, Ticks time) {
    auto& times = times_[static_cast<std::size_t>(link)];
    for (auto width = static_cast<std::size_t>(std::bit_width(from_bytes)); width < kSizes; ++width)
      times[width] = time;
    auto& latency = latency_[static_cast<std::size_t>(link)];
    if (latency < 0) latency = time;
  }
  [[nodiscard]] Ticks of(sync::LinkClass link, std::uint64_t bytes) const {
    return times_[static_cast<std::size_t>(link)][static_cast<std::size_t>(std::bit_width(bytes))];
  }
  // The part of that time which does not depend on the size: the time of the smallest messages. In
  // units of Step::kWholeShare.
  [[nodiscard]] std::uint32_t share_of_latency(sync::LinkClass link, std::uint64_t bytes) const {
    const Ticks time = of(link, bytes);
    const Ticks latency = latency_[static_cast<std::size_t>(link)];
    if (time <= 0 || latency >= time) return engine::Step::kWholeShare;
    return static_cast<std::uint32_t>(static_cast<engine::Wide>(std::max<Ticks>(latency, 0)) *
                                      engine::Step::kWholeShare / time);
  }

 private:
  static constexpr std::size_t kLinks = 3, kSizes = 65;
  std::array<std::array<Ticks, kSizes>, kLinks> times_{};
  std::array<Ticks, kLinks> latency_{-1, -1, -1};  // -1: not known
};

}  // namespace latecomer::replay
