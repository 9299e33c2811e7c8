// SPDX-License-Identifier: BSD-3-Clause
// Clocks over MPI: one function of ticks per clock, and the ping-pongs that compare clocks.
#pragma once

#include <mpi.h>

#include <map>
#include <string>
#include <vector>

#include "sync/measurement.hpp"
#include "tracer/record/definitions.hpp"
#include "tracer/session/clock_plan.hpp"
#include "tracer/session/timer.hpp"

namespace latecomer::session {

// Waits for a request without keeping the core from those who have work. `patient` waiters also
// sleep: those whose turn comes later.
void wait_politely(MPI_Request& request, bool patient);

// The leader of each clock calibrates its timer; all that share it get the same function, so that
// their times agree as exactly as their common counter does. `emulation`, of the leader, is the
// text of a clock model or empty. Collective.
[[nodiscard]] record::ClockDefinition agree_on_clock(MPI_Comm world, int leader,
                                                     const Moment& start,
                                                     const std::string& emulation);

class ClockMeasurement {
 public:
  // `places` of all processes, by rank.
  ClockMeasurement(MPI_Comm world, std::vector<Place> places, SyncMode mode,
                   const record::ClockDefinition& clock);

  // Collective: all links of the plan. Returns what was measured of this process's clock, to be
  // logged. Nobody returns before all have come; with `together` all return at about the same time.
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
  std::uint32_t number_ = 0;                        // of the next moment
  std::map<int, sync::Nanoseconds> smallest_seen_;  // round trip per partner
};

}  // namespace latecomer::session
