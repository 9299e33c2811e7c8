// SPDX-License-Identifier: BSD-3-Clause
// Replays the dependencies of a run with other durations. All uses share it: the run on an ideal
// network, the recorded run, and predictions of a changed run.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/engine/durations.hpp"
#include "analyzer/engine/graded.hpp"
#include "analyzer/engine/moments.hpp"
#include "analyzer/engine/step.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/core/by_instance.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::engine {

// Begin and end of a call in a replay.
struct CallTimes {
  trace::Ticks begin = 0, end = 0;
};

// The ways to replay, and what is replayed.
class StepReplayBase {
 public:
  // kIdeal: a call takes only as long as it waits, and a need is met at the moment that it names.
  // kFit: the recorded run. The steps must be those of a whole run (Step::kCall). A call ends when
  // it ended, and its kLag and kOwn steps are set so that kChanged does the same:
  //
  //   a call from E to L with needs that are met at r1, r2, ... (moments of this replay)
  //   lag = min(lag, L - r)     own = L - max(E, r1 + lag1, r2 + lag2, ...)
  //
  // kChanged: steps that were fitted, with other durations.
  enum class Mode : std::uint8_t { kIdeal, kFit, kChanged };
  using Steps = std::vector<memory::Vector<Step>>;  // by location
};

// Replays the steps of all locations. Each goes on as far as it can. One that needs something that
// has not happened yet stands still until it has. The result therefore depends neither on the order
// in which locations are visited nor on how their steps arrive.
//
// Moment: trace::Ticks, or Graded to know on which rates an end depends.
template <class Moment>
class BasicStepReplay : public StepReplayBase {
 public:
  // `everybody`: number of all processes. They are the members of an additional communicator,
  // number comms.size(), in MPI_Init (instance 0) and MPI_Finalize (instance 1).
  BasicStepReplay(const trace::Definitions& definitions, std::uint32_t everybody);
  // All steps of a whole run, in mode kFit or kChanged.
  BasicStepReplay(const trace::Definitions& definitions, std::uint32_t everybody, Mode mode,
                  Steps steps, Durations durations = {});

  // Keeps the moments at which calls that need others begin (Step::kCall) and end (Step::kOwn).
  // Only in mode kChanged; call it before run().
  void keep_calls() { keeps_calls_ = true; }
  [[nodiscard]] const memory::Vector<CallTimes>& calls(std::uint32_t location) const {
    return locations_[location].calls;
  }

  // Appends steps of a location.
  void add(std::uint32_t location, parallel::Unpacker& from);
  // Goes on with the steps that are there.
  void run();
  // Call after the last step. If all locations stand still, which only contradictory times cause,
  // one after the other goes on without what it needs.
  void finish();

  // Moment since the start of the run at which a location ended.
  [[nodiscard]] const Moment& end(std::uint32_t location) const { return locations_[location].now; }
  [[nodiscard]] trace::Ticks waits(std::uint32_t location, std::size_t phase) const {
    return locations_[location].waits[phase];
  }
  // Gives the steps back, after finish().
  [[nodiscard]] Steps take_steps();
  // Number of needs that were never satisfied.
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }

 private:
  using Ticks = trace::Ticks;
  static constexpr Moment kNotYet = kUnknown<Moment>;

  // Head of a list of locations that stand still for the same thing; kNone: empty. A location
  // stands still for one thing only, so the list is linked through Location::next_waiter.
  using Waiters = std::uint32_t;

  // Replay state of a location.
  struct Location {
    memory::Vector<Step> steps;  // steps not yet taken are those from `next` on
    std::size_t next = 0;
    Moment now{};
    bool queued = false;
    // In whole runs: end of the open call in the recorded run, lag of the next need and what is
    // added to it in the changed run, last kRate.
    Ticks call_end = INT64_MAX / 2, lag = 0, moved = 0;
    std::uint32_t rate = 0;
    std::uint32_t next_waiter = trace::kNone;
    Waiters waiters = trace::kNone;  // locations that wait for sends and marks of this one
    std::uint32_t awaited_post = trace::kNone;  // the send whose receive this location waits for
    Moments<Moment> sends, posts;               // by number of the send
    std::array<Ticks, kPhases> waits{};
    memory::Vector<CallTimes> calls;  // if they are kept
  };
  // State of a collective operation.
  struct Operation {
    Moment all = kNotYet;  // latest arrival of the members that contribute
    Moment root = kNotYet;
    std::uint32_t arrived = 0;
    Waiters waiters = trace::kNone;
  };
  // State of an operation in which the order of arrival matters. It exists until all members have
  // what they need.
  struct Order {
    explicit Order(std::uint32_t members)
        : times(members, kNotYet), waiters(members, trace::kNone) {}
    std::vector<Moment> times;         // by member
    std::vector<Waiters> waiters;      // waiters, by the member that they need
    std::uint32_t lower = 0;           // all members before this one have arrived
    std::vector<Moment> latest_lower;  // latest arrival up to each of them
    std::uint32_t served = 0;
  };

  template <Mode kMode>
  void go_on(std::uint32_t location);
  // A duration of a changed run.
  [[nodiscard]] Ticks changed(std::uint32_t location, const Step& step, Ticks ticks);
  void post(const Step& step, const Moment& now);
  void arrive(std::uint32_t location, const Step& step, const Moment& now);
  void arrive_in_order(std::uint32_t location, const Step& step, const Moment& now);
  // The moment at which what a step needs happens; kNotYet: it has not happened yet.
  [[nodiscard]] Moment needed(std::uint32_t location, const Step& step, const Moment& now);
  [[nodiscard]] Moment needed_in_order(std::uint32_t location, const Step& step, const Moment& now);
  // The list for a location that stands still before a step of any kind except kNeedPost.
  [[nodiscard]] Waiters& waiters_for(std::uint32_t location, const Step& step);
  void stand_still(std::uint32_t location, const Step& step);
  void give_up(std::uint32_t location);
  void wake(std::uint32_t location) {
    if (std::exchange(locations_[location].queued, true)) return;
    queue_.push_back(location);
  }
  void wake_all(Waiters& waiters);
  void wake_ready(Location& here);
  [[nodiscard]] bool is_there(const Step& step) const;
  [[nodiscard]] std::uint32_t member_of(std::uint32_t comm, std::uint32_t location);
  // Some locations are already in the next operation and others are not, so two are remembered.
  // Operations do not move in memory.
  struct Last {
    std::uint64_t key = UINT64_MAX;
    Operation* operation = nullptr;
  };
  [[nodiscard]] Operation& operation(const Step& step) {
    Last& last = last_[step.b() % 2];
    if (last.key != key_of(step)) [[unlikely]]
      last = find_operation(step);
    return *last.operation;
  }
  [[nodiscard]] Last find_operation(const Step& step);
  [[nodiscard]] Moment needed_of_all(const Step& step) {
    const Operation& all = operation(step);
    // If no member contributes, there is nothing to wait for.
    return all.arrived < sizes_[step.a()] ? kNotYet : std::max(all.all, Moment{});
  }
  [[nodiscard]] Order& order(const Step& step);
  void served(const Step& step);
  [[nodiscard]] std::uint32_t missing_neighbor(const Step& step, std::uint32_t member);
  static std::uint64_t key_of(const Step& step) {  // packs a and b
    return static_cast<std::uint64_t>(step.ticks());
  }

  // How much of a rate a location has had, so that rounding does not add up.
  struct Elapsed {
    Ticks recorded = 0, changed = 0;
  };

  const Mode mode_ = Mode::kIdeal;
  const Durations durations_;
  std::vector<Elapsed> elapsed_;  // location x rate
  const trace::Definitions& definitions_;
  std::vector<std::uint32_t> sizes_;  // per communicator, then all processes
  std::vector<Location> locations_;
  std::vector<std::uint32_t> queue_, running_;  // woken; in the current round
  // Operations by communicator and instance.
  std::vector<trace::ByInstance<Operation>> operations_;
  std::array<Last, 2> last_;  // the operations that were used last
  std::unordered_map<std::uint64_t, Order> orders_;
  std::unordered_map<std::uint64_t, Moment> marks_;                        // by location and place
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> members_;  // by comm and process
  std::int64_t dropped_ = 0;
  bool keeps_calls_ = false;
};

extern template class BasicStepReplay<trace::Ticks>;
extern template class BasicStepReplay<Graded>;
using StepReplay = BasicStepReplay<trace::Ticks>;
using GradedReplay = BasicStepReplay<Graded>;

}  // namespace latecomer::engine
