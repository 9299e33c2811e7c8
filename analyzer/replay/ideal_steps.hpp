// SPDX-License-Identifier: BSD-3-Clause
// What one location did for itself, and what it needed of others, in the order of its calls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/causes/ideal_replay.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/collectives.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/replay/sender_waits.hpp"

namespace latecomer::replay {

// What is known of the run. The points are connected.
struct Recorded {
  const Booking& booking;
  const MatchedMessages& messages;
  const SenderWaits& senders;
  const UnmatchedCollectives& unmatched_collectives;
  const causes::SyncPoints& points;
};

// The numbers of some operations in the order of the calls that complete them: mostly that is the
// order in which they stand.
class CompletionOrder {
 public:
  // `call(i)` of the i-th of them; kNone: left out.
  template <typename Call>
  CompletionOrder(std::size_t count, Call&& call);
  // f(i) for those up to a call, each once.
  template <typename Call, typename F>
  void take(std::uint32_t last, Call&& call, F&& f) {
    while (next_call_ <= last && next_ < count_) {
      const auto i = number();
      ++next_;
      next_call_ = next_ < count_ ? call(number()) : trace::kNone;
      f(i);
    }
  }
  [[nodiscard]] std::uint32_t next_call() const { return next_call_; }  // kNone: there is none

 private:
  [[nodiscard]] std::uint32_t number() const {
    return order_.empty() ? static_cast<std::uint32_t>(next_) : order_[next_];
  }
  memory::Vector<std::uint32_t> order_;  // empty: as they stand
  std::size_t count_ = 0, next_ = 0;
  std::uint32_t next_call_ = trace::kNone;
};

// Steps that belong to calls. There are few of them.
class CallSteps {
 public:
  void add(std::uint32_t call, causes::Step step) { steps_.push_back({call, step}); }
  void sort();  // after the last one
  // Moves those up to a call.
  void take(std::uint32_t call, memory::Vector<causes::Step>& out) {
    for (; next_ < steps_.size() && steps_[next_].call <= call; ++next_) {
      out.push_back(steps_[next_].step);
    }
  }
  [[nodiscard]] std::uint32_t next_call() const {  // kNone: there is none
    return next_ < steps_.size() ? steps_[next_].call : trace::kNone;
  }

 private:
  struct One {
    std::uint32_t call = 0;
    causes::Step step;
  };
  std::vector<One> steps_;
  std::size_t next_ = 0;
};

// Time of a location outside of MPI, from its first event up to moments that never decrease.
class TimeOutsideMpi {
 public:
  // `mpi_nodes`: which nodes of the call tree are MPI functions.
  TimeOutsideMpi(const trace::LocationEvents& events, std::span<const std::uint8_t> mpi_nodes)
      : mpi_nodes_(mpi_nodes),
        cursor_(events.timeline),
        change_(cursor_.done() ? kNoChange : cursor_.next()),
        at_(events.first) {}
  [[nodiscard]] trace::Ticks until(trace::Ticks time);

 private:
  static constexpr trace::Timeline::Change kNoChange{INT64_MAX, 0};
  const std::span<const std::uint8_t> mpi_nodes_;  // 0: it is none
  trace::Timeline::Cursor cursor_;
  trace::Timeline::Change change_;  // that comes next
  trace::Ticks at_, sum_ = 0;
  bool in_mpi_ = false;
};

class IdealSteps {
 public:
  // Of nodes of the process's call tree; they live as long as the steps.
  struct Nodes {
    std::span<const std::uint8_t> phase;
    std::span<const std::uint8_t> mpi;
  };
  // Of the hosted location `l`. `finalize`: everybody came to MPI_Finalize.
  IdealSteps(const Recorded& recorded, std::uint32_t l, const Nodes& nodes, bool finalize);

  // What comes before the first call, once: `after` a place of another location, if it is a thread
  // that another one has begun, and so much time.
  void begin(const causes::Step* after, trace::Ticks time);
  // Another location begins after that call.
  causes::Step mark(std::uint32_t call);

  // Of the calls up to a number of them; after the last one the rest of the location's time.
  void tell(std::size_t calls, memory::Vector<causes::Step>& out);
  [[nodiscard]] std::size_t calls() const { return events_.calls.size(); }

 private:
  [[nodiscard]] causes::Step need(causes::Step::Kind kind, std::uint32_t call, std::uint32_t a,
                                  std::uint32_t b) const {
    return {kind, nodes_.phase[events_.calls[call].node], a, b};
  }
  [[nodiscard]] std::uint32_t receiving_call(std::uint32_t receive) const;
  [[nodiscard]] std::uint32_t sending_call(std::uint32_t send) const;
  [[nodiscard]] std::uint32_t collective_call(std::uint32_t collective) const;
  void add_program(bool finalize);
  void add_recorded();
  void tell_sends(std::uint32_t call, memory::Vector<causes::Step>& out);
  void tell_posts(std::uint32_t call, memory::Vector<causes::Step>& out);
  void tell_arrivals(std::uint32_t call, memory::Vector<causes::Step>& out);
  void tell_need(const trace::Collective& own, memory::Vector<causes::Step>& out) const;
  [[nodiscard]] bool frees_sender(std::uint32_t receive) const;
  [[nodiscard]] std::uint32_t next_call() const;
  void work_until(trace::Ticks time, memory::Vector<causes::Step>& out);
  [[nodiscard]] trace::Ticks work_but_one(trace::Ticks time, memory::Vector<causes::Step>& out);

  const Recorded& recorded_;
  const std::uint32_t l_, rank_;
  const trace::LocationEvents& events_;
  const Nodes nodes_;
  std::vector<std::uint32_t> unmatched_sends_, unmatched_collectives_;  // calls, ascending
  CompletionOrder receives_, sends_, collectives_;
  CallSteps at_enter_, others_, at_leave_;
  TimeOutsideMpi outside_;
  std::vector<causes::Step> begin_;
  trace::Ticks worked_ = 0;                                   // told so far
  std::uint32_t call_ = 0, send_ = 0, post_ = 0, start_ = 0;  // that come next
  // Before these calls nothing is sent, posted or started.
  std::uint32_t send_call_ = 0, post_call_ = 0, start_call_ = 0;
};

}  // namespace latecomer::replay
