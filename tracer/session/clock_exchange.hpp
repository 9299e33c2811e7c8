// SPDX-License-Identifier: BSD-3-Clause
// Clock agreement over MPI: one function of ticks per node, offsets of the nodes to rank 0's node.
#pragma once

#include <mpi.h>

#include <map>
#include <vector>

#include "sync/offset.hpp"
#include "tracer/record/definitions.hpp"
#include "tracer/session/timer.hpp"

namespace latecomer::session {

// Waits for a request without keeping the core from those who have work. `patient` waiters also
// sleep: those whose turn comes later.
void wait_politely(MPI_Request& request, bool patient);

// The leader of each node calibrates its timer; all processes of the node get the same function, so
// that their times agree as exactly as their common counter does. Collective.
[[nodiscard]] record::ClockDefinition agree_on_clock(MPI_Comm world, int leader,
                                                     const Moment& start);

// The flat scheme: rank 0 measures the leaders of the other nodes one after the other; the
// processes of a node share its offset, those of rank 0's node have 0. A hierarchical scheme
// replaces measure() and keeps the rest.
class OffsetMeasurement {
 public:
  // `leaders` (per rank, the leader of its node) is used on rank 0 only.
  OffsetMeasurement(MPI_Comm world, int leader, std::vector<int> leaders,
                    const record::ClockDefinition& clock);

  // Collective; returns this process's offset.
  [[nodiscard]] record::OffsetDefinition measure();

 private:
  [[nodiscard]] sync::Nanoseconds time() const { return clock_.nanoseconds(now()); }
  sync::Offset ask(int leader);
  void answer() const;

  MPI_Comm world_;
  int rank_ = 0;
  int leader_;
  std::vector<int> leaders_;
  record::ClockDefinition clock_;
  std::map<int, sync::Nanoseconds> smallest_seen_;  // round trip per leader
};

}  // namespace latecomer::session
