// SPDX-License-Identifier: BSD-3-Clause
// The causes of waits, computed a second time straight from their definitions: every lookup
// searches a list, and nothing is cached.
#pragma once

#include <array>
#include <map>
#include <tuple>

#include "analyzer/attribution/performance_impact.hpp"
#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/sync_points.hpp"

namespace latecomer::test {

// Values by kind of wait, location and call path. Each value has the number of parts that were
// added, since each part may have been rounded.
class BruteForceCauses {
 public:
  struct Value {
    long double time = 0;
    int parts = 0;
  };
  using Cells = std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, Value>;

  // The trace must be on this process alone; `points` must be connected.
  BruteForceCauses(const replay::Booking& booking, const causes::SyncPoints& points,
                   const replay::RunLimits& limits);

  Cells short_term, long_term, indirect, propagating;
  Cells preempted, blocked;      // delay costs by these reasons, stored as kind 0
  Cells path;                    // the critical path, stored as kind 0
  trace::Ticks unexplained = 0;  // in waits for a location that was in step at the same moment

 private:
  using Ticks = trace::Ticks;
  using Times = std::map<std::uint32_t, Ticks>;  // by call path

  struct Explained {  // of one wait
    Times excess;     // of the cause, over the waiter
    // Parts of the excess without a core.
    std::map<std::uint32_t, long double> preempted, blocked;
    Ticks sum = 0, waits = 0;
    std::uint32_t first = 0, last = 0;  // points of the cause
    std::array<long double, patterns::kWaitKindCount> carried{};
  };
  void explain(std::size_t wait);
  // Time without a core by call path, after one moment, up to another one.
  struct WithoutCore {
    Times preempted, blocked;
  };
  [[nodiscard]] WithoutCore without_core(std::uint32_t location, Ticks from, Ticks to) const;
  void divide(std::size_t wait, Times& waiter, WithoutCore cause, WithoutCore own);
  void compare(std::size_t wait, const Times& did, Times& waiter, std::uint32_t last_theirs);
  void hand_on();
  void walk_path(const replay::RunLimits& limits);
  [[nodiscard]] Ticks end_of(std::uint32_t location, std::uint32_t point) const;
  void add_span(std::uint32_t location, Ticks from, Ticks to, Times& times) const;
  [[nodiscard]] Times own_times(std::uint32_t location, std::uint32_t from, std::uint32_t last,
                                Ticks to, std::uint32_t& first) const;
  [[nodiscard]] Times own_times_since(std::uint32_t location, Ticks from, std::uint32_t last,
                                      Ticks to, std::uint32_t& first) const;
  [[nodiscard]] std::uint32_t path_of(std::uint32_t location, const causes::SyncPoint& point) const;
  [[nodiscard]] std::uint32_t first_of_call(std::uint32_t location, std::uint32_t call) const;

  const replay::Booking& booking_;
  const causes::SyncPoints& points_;
  std::vector<Explained> explained_;  // by wait
};

}  // namespace latecomer::test
