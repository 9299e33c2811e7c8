// SPDX-License-Identifier: BSD-3-Clause
// Part of a recorded call: what it waits for, noted before MPI is called.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "tracer/record/live_state.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/sources/mpi/objects/communicators.hpp"
#include "tracer/state/mpi_state.hpp"

namespace latecomer::mpi {

// An observer of a run that hangs reads these words in the mapped file of the thread
// (record/live_state.hpp). A recipe stands before the call, so arguments may be wrong: then nothing
// is noted. Ranks are those of the call; kAnyPeer stands for MPI_ANY_SOURCE and MPI_ANY_TAG.
class PendingCalls {
 public:
  void awaits_message(int source, int tag, MPI_Comm comm);
  void awaits_probe(int source, int tag, MPI_Comm comm);
  // Both halves of a combined call.
  void awaits_exchange(int dest, int send_tag, int source, int receive_tag, MPI_Comm comm);
  void awaits_receiver(int dest, int tag, MPI_Comm comm);
  void awaits_requests(int count, const MPI_Request* requests);
  void awaits_members(std::uint32_t op, MPI_Comm comm, int root);
  void awaits_window(MPI_Win win);
  void awaits_lock(int target, MPI_Win win);
  void awaits_group(MPI_Win win);
  void awaits_epoch(MPI_Win win, bool access);
  void awaits_file(MPI_File file);

 protected:
  PendingCalls() = default;
  ~PendingCalls() = default;

  // Counts the operation of awaits_members(), once MPI has taken it.
  void count_pending_operation();
  [[nodiscard]] CommInfo* pending_comm() const { return comm_; }

 private:
  record::PendingCall& begin(record::Awaited what, std::uint32_t object);
  void end();
  void awaits(record::Awaited what, int peer, int tag, MPI_Comm comm);

  CommInfo* comm_ = nullptr;
};

// Rank or tag of the words.
inline constexpr int kAnyPeer = -1;
inline int noted_source(int source) { return source == MPI_ANY_SOURCE ? kAnyPeer : source; }
inline int noted_tag(int tag) { return tag == MPI_ANY_TAG ? kAnyPeer : tag; }

// Begins to note a call, with the members that all of them have.
record::PendingCall& begin_pending(session::ThreadWriter& writer, record::RegionId region,
                                   record::Ticks entry, record::Awaited what, std::uint32_t object);
// Notes a collective operation, the next one of the communicator.
void note_collective(session::ThreadWriter& writer, record::RegionId region, record::Ticks entry,
                     const CommInfo& comm, std::uint32_t op, std::uint32_t root);
// Counts a collective operation that MPI has taken; returns its number.
std::uint32_t count_collective(session::ThreadWriter& writer, CommInfo& comm);

}  // namespace latecomer::mpi
