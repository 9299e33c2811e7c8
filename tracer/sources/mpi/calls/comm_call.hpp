// SPDX-License-Identifier: BSD-3-Clause
// The recipes that make, name and free communicators.
#pragma once

#include <mpi.h>

#include "tracer/session/process/session.hpp"
#include "tracer/sources/mpi/objects/communicators.hpp"

namespace latecomer::mpi {

using record::RegionId;
using record::Ticks;

// True if the program has used sessions only, and nothing is recorded yet.
[[nodiscard]] bool sessions_only();
// Begins to record if the communicator has all processes. Collective over its members.
bool start_with_session(MPI_Comm everybody);

// A call that makes or frees communicators. It is tracked while recording is off, too, because all
// members of a communicator must take part in naming it.
class CommCall {
 public:
  explicit CommCall(RegionId region);
  ~CommCall() {
    if (!ended_) [[unlikely]]
      leave_early();
  }
  CommCall(const CommCall&) = delete;
  CommCall& operator=(const CommCall&) = delete;

  // A program that only uses sessions is recorded from its first communicator of all processes on.
  void begin_with_session(const MPI_Comm* fresh);

  // False before MPI_Init, after MPI_Finalize, and if nothing is recorded in this run. True even if
  // the program makes a communicator in a callback: other members may make it elsewhere.
  [[nodiscard]] static bool wanted();

  template <typename F>
  void run(F&& f) {
    const session::Suspend inside(writer_);
    result_ = f();
  }
  int end();

  void begin(MPI_Comm parent);
  void begin() { begin(MPI_COMM_NULL); }
  void created(MPI_Comm parent, const MPI_Comm* fresh);
  // Records the operation on the new communicator, since not all members of the parent take part.
  void created_alone(MPI_Comm parent, const MPI_Comm* fresh);
  void duplicating(MPI_Comm parent, MPI_Comm* fresh, const MPI_Request* request);
  void begin_free(const MPI_Comm* comm);
  void freed();
  void named(MPI_Comm comm);

 private:
  void add(MPI_Comm parent, const MPI_Comm* fresh);
  void note(MPI_Comm parent, std::uint32_t op);
  void leave_early();
  session::ThreadWriter* writer_;  // null: not recording
  RegionId region_;
  Ticks time_ = 0;  // time of entry
  int result_ = MPI_SUCCESS;
  bool ended_ = false;
  bool begins_ = false;                         // recording begins in this call
  record::CommId comm_ = communicators::kNone;  // parent, or the one to be freed
  record::CommId fresh_ = communicators::kNone;
  CommInfo freed_;
  MPI_Comm handle_ = MPI_COMM_NULL;  // handle to be freed
  std::uint32_t op_ = 0;             // 0: no collective record at the end
  CommInfo* noted_ = nullptr;        // communicator of the operation that an observer sees
};

}  // namespace latecomer::mpi
