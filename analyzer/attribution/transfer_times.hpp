// SPDX-License-Identifier: BSD-3-Clause
// The time that messages and collective operations take, by class of link and size, as messages of
// the run show it.
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

// The time that data travel. `latency`: the share of that time that is latency, in units of
// Step::kWholeShare.
struct Transfer {
  trace::Ticks time = 0;
  std::uint32_t latency = engine::Step::kWholeShare;
};

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
  // A message, and the share of its time that does not depend on its size: the time of the smallest
  // messages.
  [[nodiscard]] Transfer message(sync::LinkClass link, std::uint64_t bytes) const {
    return with_share(of(link, bytes), std::max<Ticks>(0, latency_of(link)));
  }
  // The least time of a collective operation in which a process gets so many bytes, and the last of
  // them have passed so many processes one after the other. No algorithm is faster (one port per
  // process; Thakur, Rabenseifner, Gropp 2005, section 3):
  //
  //   stages * latency + (time of a message of that size - latency)
  [[nodiscard]] Transfer collective(sync::LinkClass link, std::uint64_t bytes,
                                    std::uint32_t stages) const {
    const Ticks latency = std::max<Ticks>(0, latency_of(link));
    const Ticks latencies = latency * stages;
    return with_share(latencies + std::max<Ticks>(0, of(link, bytes) - latency), latencies);
  }
  [[nodiscard]] bool knows(sync::LinkClass link) const { return latency_of(link) >= 0; }

 private:
  static Transfer with_share(Ticks time, Ticks latency) {
    if (time <= 0 || latency >= time) return {time, engine::Step::kWholeShare};
    return {time, static_cast<std::uint32_t>(static_cast<engine::Wide>(latency) *
                                             engine::Step::kWholeShare / time)};
  }
  [[nodiscard]] Ticks latency_of(sync::LinkClass link) const {
    return latency_[static_cast<std::size_t>(link)];
  }
  static constexpr std::size_t kLinks = 3, kSizes = 65;
  std::array<std::array<Ticks, kSizes>, kLinks> times_{};
  std::array<Ticks, kLinks> latency_{-1, -1, -1};  // -1: not known
};

}  // namespace latecomer::replay
