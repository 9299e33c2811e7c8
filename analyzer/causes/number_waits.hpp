// SPDX-License-Identifier: BSD-3-Clause
// Connects waits with their points, and puts them in order.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/causes/steps.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/causes/wait_list.hpp"

namespace latecomer::causes {

// One walk along the points of each location, call by call. Each wait learns which point is its own
// and up to which one it was in step with its cause. The waits are passed on in their order.
class NumberWaits {
 public:
  NumberWaits(const SyncPoints& points, Waits& waits)
      : waits_(waits), mine_(points.mine), compatible_(points.compatible()), steps_(points) {}

  // `points` come by call, those of one call in any order. SyncPoint::place holds the number of a
  // wait of the call, or kNone. `others`: waits that no point refers to.
  void walk(std::size_t location, std::span<SyncPoint> points, std::vector<WaitOfCall> others);

 private:
  // A wait that has its point, with the values that decide its place in the order.
  struct Numbered {
    std::uint32_t point, cause_location, call;
    WaitKind kind;
    std::uint32_t cause_call, wait;
    Ticks when, end;
    friend auto operator<=>(const Numbered&, const Numbered&) = default;
  };
  void number(std::uint32_t wait, std::span<const SyncPoint> points, std::uint32_t first);
  void put_in_order(std::span<SyncPoint> points, Ticks leave);

  Waits& waits_;
  const std::vector<trace::LocationEvents>& mine_;
  const bool compatible_;
  Steps steps_;
  std::vector<std::uint32_t> waits_here_;  // waits of the current call
  std::vector<Numbered> numbered_;         // the same waits, with their points
};

}  // namespace latecomer::causes
