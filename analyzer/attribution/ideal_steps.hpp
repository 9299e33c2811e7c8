// SPDX-License-Identifier: BSD-3-Clause
// The own work of one location, and its needs of others, in the order of its calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/attribution/recorded_time.hpp"
#include "analyzer/attribution/steps_by_call.hpp"
#include "analyzer/attribution/time_outside_mpi.hpp"
#include "analyzer/attribution/whole_run.hpp"
#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/engine/step_replay.hpp"
#include "analyzer/match/collectives.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/waits/sender_waits.hpp"

namespace latecomer::replay {

// The recorded run. The points must be connected.
struct Recorded {
  const Booking& booking;
  const MatchedMessages& messages;
  const SenderWaits& senders;
  const UnmatchedCollectives& unmatched_collectives;
  const causes::SyncPoints& points;
};

// Makes the steps of one location for a replay, portion by portion: of the run on an ideal network,
// or of a whole run. In a whole run the time of a location is the time of its calls that need
// others, and the stretches between these calls. A call inside another one ends the other one.
class IdealSteps {
 public:
  // Attributes of nodes of the process's call tree; they must live as long as the steps.
  struct Nodes {
    std::span<const std::uint8_t> phase;
    std::span<const std::uint8_t> mpi;
    std::span<const std::uint8_t> inside_mpi;  // below a function of MPI
  };
  // `l`: hosted location. `init`, `finalize`: all processes came to MPI_Init, to MPI_Finalize.
  // `whole`: null for the ideal network; must live as long.
  IdealSteps(const Recorded& recorded, std::uint32_t l, const Nodes& nodes, bool init,
             bool finalize, const WholeRun* whole = nullptr);

  // Adds what precedes the first call; call it once. `after`: place of another location at which
  // this one begins, if it is a thread started there. `time`: own time before the first call, since
  // that place or since the begin of the run. `since_begin`: from the begin of the run in any case.
  void begin(const engine::Step* after, trace::Ticks time, trace::Ticks since_begin);
  // Returns the place after a call, for another location that begins there.
  engine::Step mark(std::uint32_t call);

  // Appends the steps of the calls up to number `calls`; after the last call also the rest of the
  // location's time. `by_call` is scratch space that can be reused.
  void tell(std::size_t calls, StepsByCall& by_call, memory::Vector<engine::Step>& out);

  // The calls told so far that need others, in the order of their kOwn steps. Only if they are
  // kept.
  [[nodiscard]] const std::vector<NeedingCall>& needing_calls() const { return needing_calls_; }

 private:
  // Role of the location in collective operations of one kind, and its needs in them.
  struct Part {
    bool takes_part = false;
    std::uint8_t role = 0;
    std::optional<engine::Step::Kind> needs;
    WaitGroup waits = WaitGroup::kNone;
    // It needs so many bytes, which pass so many processes.
    std::uint64_t bytes = 0;
    std::uint32_t stages = 1;
  };
  [[nodiscard]] Part part_in(const trace::CollectiveKind& kind) const;
  // A need, and the group of waits that it stands for.
  struct Need {
    engine::Step::Kind kind;
    WaitGroup waits;
    std::uint32_t a = 0, b = 0;
  };
  [[nodiscard]] engine::Step need(std::uint32_t call, const Need& one) {
    if (whole_ != nullptr) {
      return {one.kind, static_cast<std::uint8_t>(one.waits), one.a, one.b};
    }
    if (call != phase_call_) {
      phase_call_ = call;
      phase_ = nodes_.phase[events_.calls[call].node];
    }
    return {one.kind, phase_, one.a, one.b};
  }
  // In a whole run: the steps before a need, which say how long its data travel.
  struct Lag {
    std::optional<engine::Step> moved, share;
    engine::Step lag =
        engine::Step::duration(engine::Step::Kind::kLag, engine::Step::kAsRecorded, 0);
  };
  // Adds a need in the call that completes an operation.
  void add_need(LaterSteps& later, std::uint32_t call, const Need& one, StepsByCall& out,
                const Lag& before) {
    const auto add = [&](engine::Step step) {
      if (call < out.end()) {
        out.add_needed(call, step);
      } else {
        later.add(call, step);
      }
    };
    if (whole_ != nullptr) {
      if (before.moved) add(*before.moved);
      if (before.share) add(*before.share);
      add(before.lag);
    }
    add(need(call, one));
  }
  // `moved`: the time that it takes in the changed run, before latency and bandwidth change.
  [[nodiscard]] Lag lag(const Transfer& transfer, const Transfer& moved) const;
  [[nodiscard]] Lag lag_of_message(std::uint32_t source, std::uint64_t bytes) const;
  [[nodiscard]] Lag lag_of_send(std::uint32_t call, std::uint64_t bytes) const;
  [[nodiscard]] Lag lag_of_collective(std::uint32_t comm, const Part& part) const;
  void add_later(std::uint32_t call, const Need& one);
  void tell_whole(StepsByCall& by_call, memory::Vector<engine::Step>& out);
  void add_program(bool init, bool finalize);
  void add_recorded();
  void find_sends(StepsByCall& out);
  void find_receives(StepsByCall& out);
  void find_collectives(StepsByCall& out);
  void tell_rest(memory::Vector<engine::Step>& out);

  const Recorded& recorded_;
  const std::uint32_t l_, rank_;
  const trace::LocationEvents& events_;
  const Nodes nodes_;
  const WholeRun* const whole_;
  std::uint32_t phase_call_ = trace::kNone;                             // call of the last query
  std::uint8_t phase_ = engine::kNoPhase;                               // its phase
  std::vector<std::uint32_t> unmatched_sends_, unmatched_collectives_;  // calls, ascending
  std::vector<Part> parts_;                                             // by kind of operation
  LaterSteps at_enter_, at_leave_;                                      // steps that others need
  LaterSteps receives_, sends_, collectives_, others_;                  // needs of others
  std::variant<TimeOutsideMpi, TimeBetweenCalls> outside_;
  RecordedTime recorded_time_;  // of a whole run
  std::vector<engine::Step> begin_;
  std::vector<NeedingCall> needing_calls_;
  trace::Ticks worked_ = 0;  // own time passed on so far
  std::uint32_t call_ = 0;   // the next call
  // The next operation of a list, and the call that begins it. Calls inside other calls may begin
  // earlier than operations before them in the list. The operations still come in the order of the
  // list.
  template <typename List>
  struct Next {
    explicit Next(const List& list) : at(list.begin()), end(list.end()) {}
    // True if the next operation begins in one of the calls of this portion.
    [[nodiscard]] bool is_told(std::uint32_t begun, const StepsByCall& now) {
      call = std::max(call, begun);
      return call < now.end();
    }
    void step() {
      ++at;
      ++index;
    }
    decltype(std::declval<const List&>().begin()) at, end;
    std::uint32_t index = 0, call = 0;
  };
  Next<trace::MessageList> send_, receive_;
  Next<trace::SegmentedVector<trace::Collective>> collective_;
};

}  // namespace latecomer::replay
