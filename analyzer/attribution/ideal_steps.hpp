// SPDX-License-Identifier: BSD-3-Clause
// The own work of one location, and its needs of others, in the order of its calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/attribution/steps_by_call.hpp"
#include "analyzer/attribution/time_outside_mpi.hpp"
#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/ideal_replay.hpp"
#include "analyzer/causes/sync_points.hpp"
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

// Makes the steps of one location for the ideal replay, portion by portion.
class IdealSteps {
 public:
  // Attributes of nodes of the process's call tree; they must live as long as the steps.
  struct Nodes {
    std::span<const std::uint8_t> phase;
    std::span<const std::uint8_t> mpi;
    std::span<const std::uint8_t> inside_mpi;  // below a function of MPI
  };
  // `l`: hosted location. `finalize`: all processes came to MPI_Finalize.
  IdealSteps(const Recorded& recorded, std::uint32_t l, const Nodes& nodes, bool finalize);

  // Adds what precedes the first call; call it once. `after`: place of another location at which
  // this one begins, if it is a thread started there. `time`: own time before the first call.
  void begin(const causes::Step* after, trace::Ticks time);
  // Returns the place after a call, for another location that begins there.
  causes::Step mark(std::uint32_t call);

  // Appends the steps of the calls up to number `calls`; after the last call also the rest of the
  // location's time. `by_call` is scratch space that can be reused.
  void tell(std::size_t calls, StepsByCall& by_call, memory::Vector<causes::Step>& out);

 private:
  // Role of the location in collective operations of one kind, and its needs in them.
  struct Part {
    bool takes_part = false;
    std::uint8_t role = 0;
    std::optional<causes::Step::Kind> needs;
  };
  [[nodiscard]] Part part_in(const trace::CollectiveKind& kind) const;
  [[nodiscard]] causes::Step need(causes::Step::Kind kind, std::uint32_t call, std::uint32_t a,
                                  std::uint32_t b) {
    if (call != phase_call_) {
      phase_call_ = call;
      phase_ = nodes_.phase[events_.calls[call].node];
    }
    return {kind, phase_, a, b};
  }
  // Adds a need in the call that completes an operation.
  void add_need(LaterSteps& later, std::uint32_t call, causes::Step::Kind kind, std::uint32_t a,
                std::uint32_t b, StepsByCall& out) {
    const causes::Step step = need(kind, call, a, b);
    if (call < out.end()) {
      out.add_needed(call, step);
    } else {
      later.add(call, step);
    }
  }
  void add_program(bool finalize);
  void add_recorded();
  void find_sends(StepsByCall& out);
  void find_receives(StepsByCall& out);
  void find_collectives(StepsByCall& out);
  void tell_rest(memory::Vector<causes::Step>& out);

  const Recorded& recorded_;
  const std::uint32_t l_, rank_;
  const trace::LocationEvents& events_;
  const Nodes nodes_;
  std::uint32_t phase_call_ = trace::kNone;                             // call of the last query
  std::uint8_t phase_ = causes::kNoPhase;                               // its phase
  std::vector<std::uint32_t> unmatched_sends_, unmatched_collectives_;  // calls, ascending
  std::vector<Part> parts_;                                             // by kind of operation
  LaterSteps at_enter_, at_leave_;                                      // steps that others need
  LaterSteps receives_, sends_, collectives_, others_;                  // needs of others
  std::variant<TimeOutsideMpi, TimeBetweenCalls> outside_;
  std::vector<causes::Step> begin_;
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
