// SPDX-License-Identifier: BSD-3-Clause
// One recorded MPI call, and the functions in which the recipes of functions.tsv are written.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "tracer/functions/regions.hpp"
#include "tracer/mpi/objects/communicators.hpp"
#include "tracer/mpi/objects/files.hpp"
#include "tracer/mpi/objects/volumes.hpp"
#include "tracer/session/clock_points.hpp"
#include "tracer/session/process/session.hpp"

namespace latecomer::mpi {

using record::RegionId;
using record::Ticks;

struct Request;
struct WindowInfo;

// True for a function that the filter leaves out.
[[gnu::always_inline]] inline bool left_out(RegionId region) {
  return process().mpi.left_out[region];
}
// Called in MPI_Init: finds out which these are.
void begin_leaving_out();

// A wrapper does this: Call, recipe "before", run(), recipe "after" unless MPI refused the
// arguments, end(). So "after" may look at what the pointers of the program point to. A start of an
// operation that is written there still has the time of entry; all other records have the time of
// exit.
//
// Calls without communication do not use this class but plain_call().
class Call {
 public:
  [[gnu::always_inline]] Call(session::ThreadWriter* writer, RegionId region)
      : writer_(writer), region_(region), time_(session::now()), entry_(time_) {
    if (left_out(region)) [[unlikely]]
      begin_left_out();
    writer->enter(region, time_);
  }
  // If end() was not called, an exception came from an error handler or callback of the program.
  ~Call() {
    if (!ended_) [[unlikely]]
      leave_early();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  template <typename F>
  void run(F&& f) {
    {
      const session::Suspend inside(writer_);
      result_ = f();
    }
    time_ = session::now();
  }
  [[gnu::always_inline]] int end() {
    if (claimed_ != nullptr) release_claimed();
    if (unsuccessful_) {
      writer_->leave_unsuccessful(region_, time_);
    } else {
      writer_->leave(region_, time_);
    }
    ended_ = true;
    if (is_left_out_) [[unlikely]]
      end_left_out();
    if (everybody_) session::collective_done();
    return result_;
  }
  [[nodiscard]] bool failed() const { return result_ != MPI_SUCCESS; }
  // MPI did not accept the arguments and did nothing.
  [[nodiscard]] bool refused() const { return failed() && is_refusal(result_); }
  [[nodiscard]] static bool is_refusal(int error);
  void fortran();  // indices of requests count as in mpi_f08

  // Says if a poll completed something. Consecutive unsuccessful polls become one visit.
  void tested(bool complete) { unsuccessful_ = !complete && !failed(); }

  // Statuses that the tracer needs, even if the program ignores them.
  MPI_Status* own(MPI_Status* status) {
    return status != MPI_STATUS_IGNORE ? status : &own_status_;
  }
  MPI_Status* own(MPI_Status* statuses, int count) {
    const bool wanted = statuses != MPI_STATUS_IGNORE && statuses != MPI_STATUSES_IGNORE;
    return wanted ? statuses : replace(statuses, count);
  }

  // Blocking point-to-point. A send of known size is recorded before the call, so that a process
  // that was killed in it shows the receiver; otherwise after the call.
  void send(int dest, int tag, MPI_Comm comm, std::uint64_t bytes);
  // Records the send if send() did not know its size; only then calls `bytes`.
  template <typename Bytes>
  void sent(int dest, int tag, MPI_Comm comm, Bytes&& bytes) {
    if (!sent_) [[unlikely]]
      send(dest, tag, comm, bytes());
  }
  void received(MPI_Comm comm, const MPI_Status* status);

  // Nonblocking: the request is known after the call.
  void isend(int dest, int tag, MPI_Comm comm, std::uint64_t bytes, const MPI_Request* request);
  void irecv(int source, MPI_Comm comm, const MPI_Request* request);
  void isendrecv(int dest, int send_tag, std::uint64_t sent, int source, int receive_tag,
                 std::uint64_t room, MPI_Comm comm, const MPI_Request* request);

  // Persistent operations.
  void send_init(int dest, int tag, MPI_Comm comm, std::uint64_t bytes, const MPI_Request* request);
  void recv_init(int source, MPI_Comm comm, const MPI_Request* request);
  void start(int count, const MPI_Request* requests);

  // Partitioned: a message is complete when its last partition is, so that call sends it.
  void partitioned_send_init(int dest, int tag, MPI_Comm comm, int partitions,
                             std::uint64_t partition_bytes, const MPI_Request* request);
  void partitioned_recv_init(int source, int tag, MPI_Comm comm, int partitions,
                             std::uint64_t partition_bytes, const MPI_Request* request);
  void ready(int partitions, MPI_Request request);

  // Completion: hold() copies the handles, which MPI overwrites.
  void hold(int count, const MPI_Request* requests);
  void completed(const MPI_Status* status) { complete(0, *status, result_); }
  void completed_all(const MPI_Status* statuses);
  void completed_any(const int* index, const MPI_Status* status);
  void completed_some(const int* count, const int* indices, const MPI_Status* statuses);
  void completed_but_kept(const MPI_Status* status);
  void cancelled(const MPI_Request* request);
  void forget(const MPI_Request* request);

  // Matched probes: the probe matches the message, so the message takes its place in the order of
  // receives there.
  void message_matched(MPI_Comm comm, const MPI_Message* message);
  void hold_message(const MPI_Message* message);
  void message_received(const MPI_Status* status);
  void keep_message(const MPI_Request* request);

  // Collectives.
  void collective(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume);
  // A neighborhood does not synchronize all processes, so clocks are not measured at these
  // operations.
  void neighbor_collective(std::uint32_t op, MPI_Comm comm, const Volume& volume);
  void collective_init(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume,
                       const MPI_Request* request);
  void start_collective(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume,
                        const MPI_Request* request);

  // Files.
  void file_opened(MPI_Comm comm, const char* name, int amode, MPI_File file);
  void file_closed(ClosingFile& file);
  void file_set(MPI_File file);
  void file_deleted(const char* name);
  void file_operation(FileOperation what, MPI_File file, std::uint64_t bytes,
                      const MPI_Status* status);
  void begin_file_operation(FileOperation what, MPI_File file, std::uint64_t bytes);
  void end_file_operation(MPI_File file, const MPI_Status* status);
  void start_file_operation(FileOperation what, MPI_File file, std::uint64_t bytes,
                            const MPI_Request* request);
  // `origin` is the byte to which `whence` refers.
  void file_moved(MPI_File file, MPI_Offset origin, int whence);
  void shared_pointer_moved(MPI_File file, MPI_Offset offset, int whence);

  // One-sided. A transfer without a request is complete after the call that ends the epoch, or a
  // flush.
  void put(MPI_Win win, int target, std::uint64_t bytes, const MPI_Request* request = nullptr);
  void get(MPI_Win win, int target, std::uint64_t bytes, const MPI_Request* request = nullptr);
  void atomic(std::uint32_t type, MPI_Win win, int target, std::uint64_t sent,
              std::uint64_t received, const MPI_Request* request = nullptr);
  void fence(int assertion, MPI_Win win);
  void open_epoch(MPI_Group group, MPI_Win win, bool access);
  void close_epoch(MPI_Win win, bool access);
  void lock(int type, int target, MPI_Win win);
  void unlock(int target, MPI_Win win);
  void flush(int target, MPI_Win win, bool there);  // `there`: complete at the target, too
  void sync(MPI_Win win);

 private:
  enum class Completion : std::uint8_t { kHere, kThere, kEpoch };
  WindowInfo* transfer(MPI_Win win, int target, const MPI_Request* request, bool distant,
                       record::RequestId& id);
  void complete_transfers(WindowInfo& window, int target, Completion how);
  void complete_all_transfers(WindowInfo& window, Completion how);

  static std::uint64_t file_bytes(const MPI_Status* status, int error);
  // The message was received, though perhaps not all of it.
  [[nodiscard]] static bool arrived(int error);
  static MPI_Status* replace(MPI_Status* statuses, int count);
  void leave_early();
  void begin_left_out();
  void end_left_out();
  void claim();
  void release_claimed();
  void complete(int index, const MPI_Status& status, int error);
  void write_completion(const Request& request, const MPI_Status& status, int error);
  void receive_complete(record::CommId comm, record::RequestId id, const MPI_Status& status,
                        int error);
  bool describe(record::Collective& c, std::uint32_t op, MPI_Comm comm, int root,
                const Volume& volume, bool* everybody = nullptr);

  session::ThreadWriter* writer_;
  RegionId region_;
  Ticks time_;  // time of entry, then of exit
  const Ticks entry_;
  int result_ = MPI_SUCCESS;
  int index_base_ = 0;
  bool sent_ = false;  // the send is recorded, if there was anything to send
  bool ended_ = false;
  bool is_left_out_ = false;
  bool unsuccessful_ = false;
  bool everybody_ = false;  // it was a blocking collective operation over all processes
  int held_ = 0;
  // entries of the requests that are held; null: only one thread calls MPI
  Request** claimed_ = nullptr;
  record::RequestId message_ = 0;  // id of a matched message
  record::CommId message_comm_ = 0;
  MPI_Status own_status_;
};

// Runs a call without communication that a filter leaves out.
template <typename F>
[[gnu::noinline]] int quiet_call(session::ThreadWriter* writer, F&& f) {
  const session::Suspend inside(writer);
  return f();
}

// Records a call without communication: enter, call, leave.
template <typename F>
int plain_call(session::ThreadWriter* writer, RegionId region, F&& f) {
  struct Leave {
    ~Leave() { writer->leave(region, session::now()); }
    session::ThreadWriter* writer;
    RegionId region;
  };
  writer->enter(region, session::now());
  const Leave leave{writer, region};
  const session::Suspend inside(writer);
  return f();
}

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
};

}  // namespace latecomer::mpi
