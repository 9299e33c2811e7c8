// SPDX-License-Identifier: BSD-3-Clause
// The shortest time of a message for each direction between two places (clocks, nodes) and each
// window of the run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/memory/flat_index.hpp"
#include "analyzer/parallel/processes.hpp"
#include "archive/hash.hpp"
#include "sync/drift.hpp"

namespace latecomer::replay {

// The run, divided into equal windows.
struct Windows {
  std::uint32_t count = 1;
  sync::Ticks width = 1;
  [[nodiscard]] std::uint32_t of(sync::Ticks t) const {
    return static_cast<std::uint32_t>(std::clamp<sync::Ticks>(t / width, 0, count - 1));
  }
  // True only if `t` is in `window`. A cheap test that may miss times in the last window.
  [[nodiscard]] bool holds(std::uint32_t window, sync::Ticks t) const {
    return t >= window * width && t - width < window * width;
  }
};

// A sparse table (from, to, window) -> shortest time.
class ShortestTimes {
 public:
  void add(const sync::ShortestTime& time) {
    const auto next = static_cast<std::uint32_t>(times_.size());
    const auto i = index_.at({time.from, time.to, time.window}, next);
    if (i == next) {
      times_.push_back(time);
    } else {
      times_[i].time = std::min(times_[i].time, time.time);
    }
  }
  static constexpr sync::Ticks kNone = INT64_MAX;
  [[nodiscard]] sync::Ticks find(std::uint32_t from, std::uint32_t to, std::uint32_t window) const {
    const auto i = index_.find({from, to, window});
    return i == trace::FlatIndex<Key>::kNone ? kNone : times_[i].time;
  }
  // All times in no particular order.
  [[nodiscard]] const std::vector<sync::ShortestTime>& list() const { return times_; }

  // Merges the times of all processes. Collective.
  void gather(parallel::Processes& processes) {
    parallel::Packer pack;
    pack.put_all(std::span<const sync::ShortestTime>(times_));
    const auto all = processes.all_gather(pack.take());
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (static_cast<int>(p) == processes.rank()) continue;
      for (const auto& time : parallel::Unpacker(all[p]).get_all<sync::ShortestTime>()) add(time);
    }
  }

 private:
  struct Key {
    std::uint32_t from = 0, to = 0, window = 0;
    friend bool operator==(const Key&, const Key&) = default;
    friend std::uint64_t hash_of(const Key& k) {
      return spread((std::uint64_t{k.from} << 32) | k.to) + k.window;
    }
  };
  trace::FlatIndex<Key> index_;
  std::vector<sync::ShortestTime> times_;
};

}  // namespace latecomer::replay
