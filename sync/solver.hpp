// SPDX-License-Identifier: BSD-3-Clause
// Forward part of the controlled logical clock: the least shifts without early messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <queue>
#include <span>
#include <vector>

#include "sync/constraints.hpp"
#include "sync/shift.hpp"

namespace latecomer::sync {

// A receive, by its process and uncorrected time.
struct Place {
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  std::uint32_t process = kNowhere;
  Ticks at = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Jump {
  Place place;
  Ticks size = 0;  // shift from that time on, before it decays
  Place reason;    // the jump that had moved the send, if any
  Ticks gain = 0;  // size of this jump minus that of the reason
};

// LC' is the least solution of a monotone system of maxima. All shifts start at zero. A receive
// that is too early raises the shift of its process, which may make the sends after it raise
// others, until nothing changes.
//
//   minimum latency 1            process 0: send at 10      process 1: receive at 8, send at 9
//   earliest receive 10 + 1      shift of process 1 at 8: 3      its send is now at 12
//
// The result does not depend on the order of raising. So constraints may be spread over several
// solvers. Each works on its own constraints, sends its jumps to the others and learns theirs,
// until no solver finds any more.
//
//   Becker, Rabenseifner, Wolf: Timestamp synchronization for event traces of large-scale
//   message-passing applications (EuroPVM/MPI 2007), after Rabenseifner's controlled logical clock.
//
// The channels and groups must outlive the solver; they are not changed.
class Solver {
 public:
  // No shift grows beyond `limit`. In a system without contradictions no shift is larger than all
  // violations together. Only contradictory constraints reach the limit: events at equal times that
  // need each other, or messages that damage made. The largest shift of a circle of them is the
  // limit. That is a least solution, too: one of maxima that the limit cuts.
  Solver(const Topology& topology, std::span<const Channel> channels,
         std::span<const OperationGroup> groups, Decay decay, Ticks limit);

  // Raises shifts until none of its constraints is violated, or until pending(). Returns the jumps
  // found since the last call.
  [[nodiscard]] std::vector<Jump> propagate();
  // True if others should learn the jumps before this solver continues, which may find nothing
  // more.
  [[nodiscard]] bool pending() const { return !queue_.empty() || !suspects_.empty(); }
  // Takes jumps that others found; the next propagate() follows their consequences.
  void learn(std::span<const Jump> jumps);

  [[nodiscard]] const std::vector<Shift>& shifts() const { return shifts_; }
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  // Number of moves, by this solver or by others.
  [[nodiscard]] std::size_t moves() const { return moves_; }

 private:
  // Constraints with a common order of sends: a channel or a group. Those from `next` up to `last`
  // must be checked (again).
  struct Unit {
    std::size_t next = 0, last = 0;
    std::size_t rows = 0;  // index of its first row
    bool queued = false;
    Ticks queued_at = 0;  // the entry of the queue that counts
  };
  // Consecutive constraints of a unit: the range of times of their sends, and the least room. Room
  // is the time by which a send may be shifted without its receive. If no shift is that large, as
  // in most of a trace, none of the constraints must be checked.
  struct Row {
    Ticks from = INT64_MAX, to = INT64_MIN, room = INT64_MAX;
    void add(Ticks sent, Ticks more) {
      from = std::min(from, sent);
      to = std::max(to, sent);
      room = std::min(room, more);
    }
  };
  struct Waiting {
    Ticks time;
    std::size_t unit;
    friend bool operator>(const Waiting& a, const Waiting& b) {
      return a.time != b.time ? a.time > b.time : a.unit > b.unit;
    }
  };
  struct Membership {
    std::size_t group, member;
    bool ordered;  // the enters of this member never decrease
  };

  [[nodiscard]] Ticks time_of(std::size_t unit, std::size_t index) const;
  [[nodiscard]] std::size_t size_of(std::size_t unit) const;
  void schedule(std::size_t unit, std::size_t first, std::size_t last);
  // Puts a unit into the queue by the time of its next constraint, unless it is there as early.
  void queue(std::size_t unit);
  // Schedules all sends of a process between two times.
  void schedule_sends(std::uint32_t process, Ticks from, Ticks to);
  // True if so much is moved that it pays to keep strictly to the order of time.
  [[nodiscard]] bool much_moves() const;
  void find_rooms();
  // Largest shift of any send in the constraints of a row, by its number in the unit.
  [[nodiscard]] Ticks most_shifted(std::size_t unit, std::size_t number) const;
  // Continues with a unit up to the end of a row, or until something had to be moved.
  void check_row(std::size_t unit);
  void check_messages(const Channel& channel, Unit& unit, std::size_t end, Ticks most);
  void check_operation(std::size_t number, std::size_t index);
  bool raise(Jump& jump);
  // Applies the constraint that a receive is not before `earliest`.
  void move(Place receive, Ticks earliest, std::uint32_t source, Ticks sent);
  [[nodiscard]] std::vector<Jump> circle_behind(Place place) const;
  void end_circle(Place suspect);

  const Topology& topology_;
  std::span<const Channel> channels_;
  std::span<const OperationGroup> groups_;
  Ticks farthest_;  // largest of the latencies
  Ticks limit_;
  std::vector<Shift> shifts_;                          // per process
  std::vector<Unit> units_;                            // channels, then groups
  std::vector<Row> rows_;                              // rows of all units
  std::vector<std::vector<std::size_t>> channels_of_;  // per source
  std::vector<std::vector<Membership>> groups_of_;     // per process
  std::vector<GroupBounds> bounds_;                    // per group
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> queue_;
  std::vector<Ticks> enters_;
  std::vector<Jump> found_;
  std::size_t constraints_ = 0, raises_ = 0, moves_ = 0;
  struct Growth {
    int times = 0;
    Jump last;
  };
  std::map<Place, Growth> grown_;
  std::vector<Place> suspects_;  // places that grew so often that they may do it for ever
  bool gave_up_ = false;
};

}  // namespace latecomer::sync
