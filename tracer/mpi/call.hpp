// SPDX-License-Identifier: BSD-3-Clause
// One recorded MPI call: what the recipes of functions.tsv are written in.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "tracer/mpi/communicators.hpp"
#include "tracer/mpi/volumes.hpp"
#include "tracer/session/clock_points.hpp"
#include "tracer/session/session.hpp"

namespace latecomer::mpi {

using record::RegionId;
using record::Ticks;

// A wrapper is: Call, recipe "before", run(), recipe "after", end(). What is recorded before the
// MPI call carries the time of entry, what is recorded after it the time of exit.
//
// Everything here is off the path of calls without communication; those use plain_call().
class Call {
 public:
  Call(session::ThreadWriter* writer, RegionId region)
      : writer_(writer), region_(region), time_(session::now()) {
    writer->enter(region, time_);
  }

  template <typename F>
  void run(F&& f) {
    {
      const session::Suspend inside(writer_);
      result_ = f();
    }
    time_ = session::now();
  }
  int end() {
    if (collective_pending_) writer_->collective_end(collective_, time_);
    writer_->leave(region_, time_);
    if (everybody_) session::collective_done();
    return result_;
  }
  [[nodiscard]] bool failed() const { return result_ != MPI_SUCCESS; }
  void fortran() { index_base_ = 1; }  // indices of requests count from 1

  // Statuses that the program does not want but we do.
  MPI_Status* own(MPI_Status* status) { return own(status, 1); }
  MPI_Status* own(MPI_Status* statuses, int count);

  // Blocking point-to-point.
  void send(int dest, int tag, MPI_Comm comm, std::uint64_t bytes);
  void received(MPI_Comm comm, const MPI_Status* status);

  // Nonblocking: the request is known after the call.
  void isend(int dest, int tag, MPI_Comm comm, std::uint64_t bytes);
  void keep_send(const MPI_Request* request);
  void irecv(int source, MPI_Comm comm, const MPI_Request* request);
  void keep_sendrecv(int source, MPI_Comm comm, const MPI_Request* request);

  // Persistent.
  void send_init(int dest, int tag, MPI_Comm comm, std::uint64_t bytes, const MPI_Request* request);
  void recv_init(int source, MPI_Comm comm, const MPI_Request* request);
  void start(int count, const MPI_Request* requests);

  // Completion: hold() keeps the handles, which MPI overwrites.
  void hold(int count, const MPI_Request* requests);
  void completed(const MPI_Status* status) { complete(0, *status, result_); }
  void completed_all(const MPI_Status* statuses);
  void completed_any(int index, const MPI_Status* status);
  void completed_some(int count, const int* indices, const MPI_Status* statuses);
  void completed_but_kept(const MPI_Status* status);
  void cancelled(const MPI_Request* request);
  void forget(const MPI_Request* request);

  // Matched probes: the message is matched at the probe, so it takes its place in the order of
  // receives there.
  void message_matched(MPI_Comm comm, const MPI_Message* message);
  void hold_message(const MPI_Message* message);
  void message_received(const MPI_Status* status);
  void keep_message(const MPI_Request* request);

  // Collectives.
  void collective(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume);
  void start_collective(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume);
  void keep_collective(const MPI_Request* request);

 private:
  friend class CommCall;
  void complete(int index, const MPI_Status& status, int error);
  [[nodiscard]] bool may_be_complete(int index) const;
  bool describe(record::Collective& c, std::uint32_t op, MPI_Comm comm, int root,
                const Volume& volume, bool* everybody = nullptr);

  session::ThreadWriter* writer_;
  RegionId region_;
  Ticks time_;
  int result_ = MPI_SUCCESS;
  int index_base_ = 0;
  bool collective_pending_ = false;
  bool everybody_ = false;  // a blocking collective operation over all processes
  int held_ = 0;
  const MPI_Request* requests_ = nullptr;  // those of the program that are held
  record::RequestId request_ = 0;          // of what was started before the call; 0 = nothing
  record::RequestId message_ = 0;          // of a matched message
  record::CommId message_comm_ = 0;
  record::Collective collective_;
};

// A blocking collective operation that is not recorded: it counts like all others.
template <typename F>
int unrecorded_collective(MPI_Comm comm, F&& f) {
  const int result = f();
  if (session::detail::thread_state.suspended || session::over()) return result;
  const CommInfo* info = communicators::find(comm);
  if (info != nullptr && info->everybody) session::collective_done();
  return result;
}

// A call without communication: enter, call, leave.
template <typename F>
int plain_call(session::ThreadWriter* writer, RegionId region, F&& f) {
  writer->enter(region, session::now());
  int result;
  {
    const session::Suspend inside(writer);
    result = f();
  }
  writer->leave(region, session::now());
  return result;
}

// A call that makes or frees communicators: they are tracked while recording is off, too, since all
// members of a communicator must take part in naming it.
class CommCall {
 public:
  explicit CommCall(RegionId region);
  CommCall(const CommCall&) = delete;
  CommCall& operator=(const CommCall&) = delete;

  // False: called from inside MPI or the tracer, before MPI_Init or after MPI_Finalize.
  [[nodiscard]] static bool wanted();

  template <typename F>
  void run(F&& f) {
    const session::Suspend inside(writer_);
    result_ = f();
  }
  int end();

  void begin(MPI_Comm parent);
  void begin() { begin(MPI_COMM_NULL); }
  void created(MPI_Comm parent, MPI_Comm fresh);
  // The operation counts on the new communicator, since not all of the parent take part.
  void created_alone(MPI_Comm parent, MPI_Comm fresh);
  void begin_idup(MPI_Comm parent);
  void keep_idup(MPI_Comm parent, MPI_Comm* fresh, const MPI_Request* request);
  void begin_free(MPI_Comm comm);
  void freed();
  void named(MPI_Comm comm);

 private:
  void finish(record::CommId on, std::uint32_t op);
  session::ThreadWriter* writer_;  // null: recording is off
  RegionId region_;
  Ticks time_ = 0;  // of entry
  int result_ = MPI_SUCCESS;
  record::CommId comm_ = communicators::kNone;  // parent, or the one that is freed
  record::CommId fresh_ = communicators::kNone;
  std::uint32_t op_ = 0;  // 0: no collective record at the end
  record::RequestId request_ = 0;
};

}  // namespace latecomer::mpi
