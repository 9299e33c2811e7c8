// SPDX-License-Identifier: BSD-3-Clause
// The causes of waits once more, straight from their definitions: everything is searched in lists,
// nothing is kept from one question to the next.
#pragma once

#include <array>
#include <map>
#include <tuple>

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/performance_impact.hpp"

namespace latecomer::test {

// Values by kind of wait, location and call path, with the number of parts that were added: each
// of them may have been rounded.
class BruteForceCauses {
 public:
  struct Value {
    long double time = 0;
    int parts = 0;
  };
  using Cells = std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, Value>;

  // Of a trace that this process has all alone; `points` are connected.
  BruteForceCauses(const replay::Booking& booking, const causes::SyncPoints& points,
                   const replay::RunLimits& limits);

  Cells short_term, long_term, indirect, propagating;
  Cells path;                    // the critical one; as kind 0
  trace::Ticks unexplained = 0;  // of waits for one who was in step at the same moment

 private:
  using Ticks = trace::Ticks;
  using Times = std::map<std::uint32_t, Ticks>;  // by call path

  struct Explained {  // a wait
    Times excess;     // of the cause
    Ticks sum = 0, waits = 0;
    std::uint32_t first = 0, last = 0;  // points of the cause
    std::array<long double, patterns::kWaitKinds.size()> carried{};
  };
  void explain(std::size_t wait);
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
