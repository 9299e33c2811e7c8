// SPDX-License-Identifier: BSD-3-Clause
// Where locations depended on each other, and what they waited there.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyzer/causes/waits.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "analyzer/memory/prefetch.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"
#include "patterns/wait_kind.hpp"

namespace latecomer::causes {

// Instead of a communicator: MPI_Init and MPI_Finalize of all processes.
inline constexpr std::uint32_t kEverybody = 0xfffffffe;
// From here on: threads of one process that were in a team together.
inline constexpr std::uint32_t kFirstTeam = 0x80000000;

// A call of a location in which its progress depended on others, or theirs on it.
struct SyncPoint {
  enum class Role : std::uint8_t {
    kMeeting,  // nobody went on before all were there
    kWaiter,   // waited for one other location
    kCauser,   // let one other location wait
    kUnknown,  // may have waited for something that is not in the trace
  };
  std::uint32_t call = 0;     // of the location
  std::uint32_t partner = 0;  // the other location, if it is known; of a meeting the communicator
  std::uint32_t key = 0;      // call of the other location; of a meeting the instance
  Role role = Role::kMeeting;
  WaitKind kind = WaitKind::kLateSender;
  Ticks wait = 0;  // that is no time of the location's own
  // From then on the location was on its own again. The base lets this be later than the end of
  // the call; what lies between is taken off its time.
  Ticks over = 0;
  // Once the points are connected, so that nobody has to look at the call:
  std::uint32_t node : 31 = 0;  // of it
  std::uint32_t plain : 1 = 0;  // `over` lies in it, and it is no idle time of a thread
  // Until then a wait of its call, if it tells one; later the place of its begin in the timeline,
  // once CallPathTimes has found it.
  std::uint32_t place = trace::kNone;
};

static_assert(sizeof(SyncPoint) == 40);

// The number of a wait as they were added.
struct WaitOfCall {
  std::uint32_t call = 0, wait = 0;
};

using Points = std::span<const SyncPoint>;  // of one location

// The points of the hosted locations.
class SyncPoints {
 public:
  SyncPoints(const trace::Definitions& definitions, const std::vector<trace::LocationEvents>& mine,
             std::vector<int> hosts, bool scalasca_compatible);

  // A wait for one other location; `cause_call` may be the index of a send or window event there.
  // Its points are made from it: that of the waiter, and that of the cause.
  void add_pair(Wait wait, CauseIndex tell) {
    wait.tell = tell;
    wait.point = kToBeMade;
    ++waiters_[wait.location];
    if (tell != CauseIndex::kNone) ++causers_[wait.cause_location];
    waits_.add(wait);
  }
  // A hosted location takes part in a meeting; its wait is told by add_wait.
  void add_meeting(std::size_t location, const SyncPoint& point) {
    added_[location].push_back(point);
  }
  void add_wait(const Wait& wait) {
    auto& added = added_[wait.location];
    const auto number = static_cast<std::uint32_t>(waits_.size());
    if (!added.empty() && added.back().call == wait.call && added.back().place == trace::kNone) {
      added.back().place = number;
    } else {
      without_point_[wait.location].push_back({wait.call, number});
    }
    waits_.add(wait);
  }
  // The next meeting of these locations, in ascending order, all of one hosted process: partner and
  // key of its points. Meetings are asked for in the order of time.
  struct Meeting {
    std::uint32_t partner = 0, key = 0;
  };
  [[nodiscard]] Meeting next_meeting(const std::vector<std::uint32_t>& locations);

  // A wait for a one-sided operation: up to a time at an element of window_events there.
  struct WindowCause {
    std::uint32_t location = trace::kNone, event = 0;
    Ticks time = 0;
  };
  void add_wait_for(WaitKind kind, std::uint32_t location, std::uint32_t call, Ticks wait,
                    const WindowCause& cause);

  // A wait whose cause is not known.
  void add_unlinked(WaitKind kind, std::uint32_t location, std::uint32_t call, Ticks wait);

  // The other side of an operation of this call is not in the trace. What the call took without its
  // known waits may have been waiting: it is no delay of the location's own.
  void add_without_partner(std::size_t location, std::uint32_t call) {
    without_partner_[location].push_back(call);
  }

  // Tells causers that they let others wait, puts the points of each location into the order of
  // its calls, and the waits into the order of time. Collective, after the last wait.
  void connect(parallel::Processes& processes);

  [[nodiscard]] bool compatible() const { return compatible_; }
  [[nodiscard]] int host_of(std::uint32_t location) const { return hosts_[location]; }
  // Hosted location of an index in Definitions::locations.
  [[nodiscard]] std::uint32_t hosted(std::uint32_t location) const { return hosted_[location]; }
  // Once connected.
  [[nodiscard]] Points of(std::size_t location) const {
    return std::span(points_).subspan(first_[location], first_[location + 1] - first_[location]);
  }
  // The same, for those who find their places.
  [[nodiscard]] std::span<SyncPoint> to_be_placed(std::size_t location) {
    return {points_.data() + first_[location], of(location).size()};
  }
  // First point of a location whose call is not before `call`.
  [[nodiscard]] std::uint32_t first_from(std::size_t location, std::uint32_t call) const;
  // Once connected they stand in the reverse of the order in which they are followed.
  [[nodiscard]] const Waits& waits() const { return waits_; }
  // Of a partner from kFirstTeam on, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& team(std::uint32_t partner) const {
    return teams_[partner - kFirstTeam].locations;
  }

  const trace::Definitions& definitions;
  const std::vector<trace::LocationEvents>& mine;

 private:
  static constexpr std::uint32_t kToBeMade = 0;  // Wait::point until they are connected

  struct Notice {  // to the host of a causer
    std::uint32_t cause_location = 0, cause_call = 0;
    std::uint32_t location = 0, call = 0;  // of the waiter
    Ticks leave = 0;                       // of its call
    Ticks end = 0;                         // of the wait
    WaitKind kind = WaitKind::kLateSender;
    CauseIndex tell = CauseIndex::kCall;
  };
  struct Answer {
    std::uint32_t call = 0;  // of the causer
    Ticks leave = 0;
  };
  void make_room(parallel::Processes& processes);
  SyncPoint& put(std::size_t location, const SyncPoint& point) {
    return points_[last_[location]++] = point;
  }
  void add_possible_waits();
  void make_points(parallel::Processes& processes);
  LATECOMER_PREFETCHES void prefetch_cause(std::size_t wait, int rank) const;
  [[nodiscard]] Answer tell(const Notice& notice);
  [[nodiscard]] Ticks in_step(const Notice& notice, Ticks enter, Ticks leave) const;
  void settle(std::size_t number, const Wait& wait, SyncPoint& point, const Answer& answer);
  void put_in_order();
  [[nodiscard]] std::span<SyncPoint> sort_points(std::size_t location);

  const bool compatible_;
  std::vector<int> hosts_;             // per location
  std::vector<std::uint32_t> hosted_;  // per location
  // By hosted location: at first those that no wait makes. While they are connected all, each
  // location with room for those to come; then as many as there are, by call.
  std::vector<trace::SegmentedVector<SyncPoint, memory::Life::kPoints>> added_;
  memory::Vector<SyncPoint> points_;
  std::vector<std::size_t> first_, last_;
  // How many points the waits that were added are to make: of waiters, per hosted location, and of
  // causers, per location.
  std::vector<std::size_t> waiters_;
  std::vector<std::uint64_t> causers_;
  Waits waits_;
  std::vector<std::vector<WaitOfCall>> without_point_;                // that tells them
  memory::Vector<std::uint64_t> order_;                               // to sort points
  std::vector<std::vector<std::uint32_t>> without_partner_;           // calls, per hosted location
  std::map<std::vector<std::uint32_t>, std::uint32_t> team_numbers_;  // by locations
  struct Team {
    std::vector<std::uint32_t> locations;
    std::uint32_t meetings = 0;
  };
  std::vector<Team> teams_;
};

}  // namespace latecomer::causes
