// SPDX-License-Identifier: BSD-3-Clause
// One measured offset between two clocks, and its text in logs and archives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sync/offset.hpp"
#include "sync/piecewise_linear.hpp"

namespace latecomer::sync {

// Schemes of measurement. A measurement may count for several of them.
enum class Scheme : std::uint8_t { kFlatSingle = 1, kFlat = 2, kHierarchical = 4 };

[[nodiscard]] const char* name(Scheme scheme);
[[nodiscard]] std::optional<Scheme> scheme_of_name(std::string_view name);

// Identifies a clock by its leader: the lowest world rank of those that share it.
using ClockId = std::uint32_t;
inline constexpr ClockId kRootClock = 0;

struct Measurement {
  std::uint32_t moment = 0;   // 0 at MPI_Init, then 1, 2, ...
  ClockId child = 0;          // its time plus the offset is the parent's time
  std::uint32_t partner = 0;  // world rank that measured it, lower than the child
  ClockId parent = 0;         // clock of the partner
  std::uint8_t schemes = 0;   // sum of Scheme; 0: only the latency is of interest
  bool between = false;       // the link connects two metahosts
  Offset found;               // `remote` is the child's time

  [[nodiscard]] bool counts_for(Scheme scheme) const {
    return (schemes & static_cast<std::uint8_t>(scheme)) != 0 &&
           (scheme != Scheme::kFlatSingle || moment == 0);
  }
};

// The fields are separated by blanks, with times in nanoseconds:
//
//   moment child partner parent schemes link local offset error half mean deviation rounds settled
//   0 4 0 0 fh between 5000123 -1500 1012 1011 1100 35 12 1
//
//   schemes           letters s (flat-single), f (flat), h (hierarchical), or -
//   link              inside or between metahosts
//   half              half of the best round trip
//   mean, deviation   of half the undisturbed round trips
//   settled           0 if a limit was reached before the best round trip was confirmed
[[nodiscard]] std::string to_text(const Measurement& m);
[[nodiscard]] std::optional<Measurement> parse_measurement(std::string_view text);

}  // namespace latecomer::sync
