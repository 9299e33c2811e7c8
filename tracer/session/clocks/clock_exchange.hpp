// SPDX-License-Identifier: BSD-3-Clause
// Clocks over MPI: one function of ticks per clock, and the ping-pongs that compare clocks.
#pragma once

#include <mpi.h>

#include <map>
#include <string>
#include <vector>

#include "sync/measurement.hpp"
#include "tracer/exchange/group.hpp"
#include "tracer/record/definition_lines.hpp"
#include "tracer/session/clocks/clock_plan.hpp"
#include "tracer/session/clocks/timer.hpp"

namespace latecomer::session {

// Waits for a request without taking the core from processes that have work. A `patient` waiter,
// whose turn comes later, also sleeps.
void wait_politely(MPI_Request& request, bool patient);

// The leader of each clock calibrates its timer, and all processes that share the clock get the
// same function. Their times then agree as exactly as their common counter does. `emulation` of the
// leader is the text of a clock model, or empty. `world` is MPI_COMM_NULL where all processes share
// one clock that is not emulated. Collective.
[[nodiscard]] record::ClockDefinition agree_on_clock(exchange::Group& group, MPI_Comm world,
                                                     int leader, const Moment& start,
                                                     const std::string& emulation);

// Compares the clocks of all processes along the links of the plan (clock_plan.hpp).
class ClockMeasurement {
 public:
  // `places` holds the places of all processes, by rank.
  ClockMeasurement(MPI_Comm world, std::vector<Place> places, SyncMode mode,
                   const record::ClockDefinition& clock);

  // Measures all links of the plan. Collective. Returns the measurements of this process's clock,
  // to be logged. No process returns before all have come; with `together` all return at about the
  // same time.
  [[nodiscard]] std::vector<sync::Measurement> measure(SyncMoment moment, bool together);

 private:
  [[nodiscard]] sync::Nanoseconds time() const { return clock_.nanoseconds(now()); }
  sync::Offset ask(const ClockLink& link, int links) const;
  sync::Offset answer(int partner) const;

  MPI_Comm world_;
  int rank_ = 0;
  std::vector<Place> places_;
  SyncMode mode_;
  record::ClockDefinition clock_;
  std::uint32_t number_ = 0;                        // number of the next moment
  std::map<int, sync::Nanoseconds> smallest_seen_;  // smallest round trip with each partner
};

}  // namespace latecomer::session
