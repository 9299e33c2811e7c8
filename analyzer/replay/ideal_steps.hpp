// SPDX-License-Identifier: BSD-3-Clause
// What one location did for itself, and what it needed of others, in the order of its calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/causes/ideal_replay.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/collectives.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/replay/sender_waits.hpp"
#include "analyzer/replay/steps_by_call.hpp"
#include "analyzer/replay/time_outside_mpi.hpp"

namespace latecomer::replay {

// What is known of the run. The points are connected.
struct Recorded {
  const Booking& booking;
  const MatchedMessages& messages;
  const SenderWaits& senders;
  const UnmatchedCollectives& unmatched_collectives;
  const causes::SyncPoints& points;
};

class IdealSteps {
 public:
  // Of nodes of the process's call tree; they live as long as the steps.
  struct Nodes {
    std::span<const std::uint8_t> phase;
    std::span<const std::uint8_t> mpi;
    std::span<const std::uint8_t> inside_mpi;  // called by a function of MPI
  };
  // Of the hosted location `l`. `finalize`: everybody came to MPI_Finalize.
  IdealSteps(const Recorded& recorded, std::uint32_t l, const Nodes& nodes, bool finalize);

  // What comes before the first call, once: `after` a place of another location, if it is a thread
  // that another one has begun, and so much time.
  void begin(const causes::Step* after, trace::Ticks time);
  // Another location begins after that call.
  causes::Step mark(std::uint32_t call);

  // Of the calls up to a number of them; after the last one the rest of the location's time.
  // `by_call` is used again and again.
  void tell(std::size_t calls, StepsByCall& by_call, memory::Vector<causes::Step>& out);

 private:
  // What it brings to operations of a kind, and what it needs of them.
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
  // In the call that completes an operation.
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
  std::uint32_t phase_call_ = trace::kNone;  // the last one that was asked for
  std::uint8_t phase_ = causes::kNoPhase;    // of it
  std::vector<std::uint32_t> unmatched_sends_, unmatched_collectives_;  // calls, ascending
  std::vector<Part> parts_;                                             // by kind
  LaterSteps at_enter_, at_leave_;                                      // given to others
  LaterSteps receives_, sends_, collectives_, others_;                  // needed of them
  std::variant<TimeOutsideMpi, TimeBetweenCalls> outside_;
  std::vector<causes::Step> begin_;
  trace::Ticks worked_ = 0;  // told so far
  std::uint32_t call_ = 0;   // that comes next
  // The operations that come next, and the calls that begin them: in calls inside of others later
  // ones may begin earlier, but none is told before those that stand before it.
  template <typename List>
  struct Next {
    explicit Next(const List& list) : at(list.begin()), end(list.end()) {}
    // Of the next one: is it begun in what is told now?
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
