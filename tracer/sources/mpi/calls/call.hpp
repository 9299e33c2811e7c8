// SPDX-License-Identifier: BSD-3-Clause
// One recorded MPI call.
#pragma once

#include <mpi.h>

#include "tracer/session/clock_points.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/sources/mpi/calls/collective_calls.hpp"
#include "tracer/sources/mpi/calls/completion.hpp"
#include "tracer/sources/mpi/calls/file_calls.hpp"
#include "tracer/sources/mpi/calls/left_out.hpp"
#include "tracer/sources/mpi/calls/message_calls.hpp"
#include "tracer/sources/mpi/calls/one_sided.hpp"
#include "tracer/sources/mpi/calls/pending_calls.hpp"
#include "tracer/sources/mpi/calls/persistent_calls.hpp"
#include "tracer/sources/mpi/calls/probe_calls.hpp"

namespace latecomer::mpi {

using record::RegionId;
using record::Ticks;

// A wrapper does this: Call, recipe "before", run(), recipe "after" unless MPI refused the
// arguments, end(). So "after" may look at what the pointers of the program point to. A start of an
// operation that is written there still has the time of entry; all other records have the time of
// exit.
//
// The functions in which the recipes of functions.tsv are written are in the parts, one per kind of
// communication. Calls without communication do not use this class but plain_call().
class Call : public MessageCalls,
             public PersistentCalls,
             public CompletionCalls,
             public ProbeCalls,
             public CollectiveCalls,
             public FileCalls,
             public OneSidedCalls,
             public PendingCalls {
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
      const session::Suspend inside(writer_, false);
      result_ = f();
    }
    time_ = session::now();
  }
  [[gnu::always_inline]] int end() {
    if (claimed_ != nullptr) release_claimed();
    if (pending_comm() != nullptr && !refused()) count_pending_operation();
    writer_->live_state().left(unsuccessful_ ? time_ | record::PendingCall::kUnsuccessful : time_);
    if (session::has_switches()) [[unlikely]]
      end_switches();
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

  // The communicator of awaits_members(); null: there was none, or it is unknown.
  [[nodiscard]] const CommInfo* collective_comm() const { return pending_comm(); }

  // Says if a poll completed something. Consecutive unsuccessful polls become one visit.
  void tested(bool complete) { unsuccessful_ = !complete && !failed(); }

  // What the parts need to record something.
  [[nodiscard]] session::ThreadWriter& writer() { return *writer_; }
  [[nodiscard]] RegionId region() const { return region_; }
  [[nodiscard]] Ticks entry() const { return entry_; }
  [[nodiscard]] Ticks time() const { return time_; }  // of entry, then of exit
  [[nodiscard]] int result() const { return result_; }

 private:
  void leave_early();
  void begin_left_out();
  void end_left_out();
  // A row of polls is one record, and a call that is left out has none.
  void end_switches() {
    if (unsuccessful_ || is_left_out_)
      return session::detail::forget_switches(session::detail::thread_state);
    session::detail::record_switches(writer_, time_);
  }

  session::ThreadWriter* writer_;
  RegionId region_;
  Ticks time_;  // time of entry, then of exit
  const Ticks entry_;
  int result_ = MPI_SUCCESS;
  bool ended_ = false;
  bool is_left_out_ = false;
  bool unsuccessful_ = false;
};

// The call that a part belongs to.
template <typename Part>
[[gnu::always_inline]] inline Call& call_of(Part* part) {
  return static_cast<Call&>(*part);
}

inline void CompletionCalls::completed(const MPI_Status* status) {
  complete(0, *status, call_of(this).result());
}

}  // namespace latecomer::mpi
