// SPDX-License-Identifier: BSD-3-Clause
// The points at which locations depended on each other, and their waits there.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyzer/causes/wait_list.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "analyzer/memory/prefetch.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "patterns/waits/wait_state_list.hpp"

namespace latecomer::causes {

// Stands for a communicator of all processes, in MPI_Init and MPI_Finalize.
inline constexpr std::uint32_t kEverybody = 0xfffffffe;
// Numbers from here on stand for threads of one process that were in a team together.
inline constexpr std::uint32_t kFirstTeam = 0x80000000;

// A call in which the progress of a location depended on others, or their progress on it.
struct SyncPoint {
  enum class Role : std::uint8_t {
    kMeeting,  // no location went on before all were there
    kWaiter,   // waited for one other location
    kCauser,   // let one other location wait
    kUnknown,  // may have waited for something that is not in the trace
  };
  std::uint32_t call = 0;     // call of the location
  std::uint32_t partner = 0;  // the other location, if known; of a meeting: the communicator
  std::uint32_t key = 0;      // call of the other location; of a meeting: the instance
  Role role = Role::kMeeting;
  WaitKind kind = WaitKind::kLateSender;
  Ticks wait = 0;  // does not count as the location's own time
  // The location was on its own again from this time on. In Scalasca this may be later than the end
  // of the call; the time between is then subtracted from the location's own time.
  Ticks over = 0;
  // Set when the points are connected, so that the call need not be read:
  std::uint32_t node : 31 = 0;  // node of the call
  std::uint32_t plain : 1 = 0;  // `over` lies in the call, and no thread idles here
  // Before the points are connected: number of a wait of this call, or kNone. Afterwards: the place
  // of the call's begin in the timeline, once CallPathTimes has found it.
  std::uint32_t place = trace::kNone;
};

static_assert(sizeof(SyncPoint) == 40);

// A wait of a call; `wait` is its number in the order of adding.
struct WaitOfCall {
  std::uint32_t call = 0, wait = 0;
};

using Points = std::span<const SyncPoint>;  // the points of one location

// True for two points of one call, if a location that was in step with another one at the first of
// them went on waiting at the second. That is the root of an N-to-1 operation, which waits for the
// first contributor, then for the last one.
[[nodiscard]] inline bool goes_on_waiting(const SyncPoint& first, const SyncPoint& second) {
  return first.kind == WaitKind::kEarlyReduce && second.kind == WaitKind::kLateContributor &&
         first.role == SyncPoint::Role::kWaiter && second.role == SyncPoint::Role::kWaiter;
}

// The points of the hosted locations.
class SyncPoints {
 public:
  SyncPoints(const trace::Definitions& definitions, const std::vector<trace::LocationEvents>& mine,
             std::vector<int> hosts, bool scalasca_compatible);

  // A wait for one other location. `cause_call` may be the index of a send or window event there.
  // The points of both the waiter and the cause are made from it.
  void add_pair(Wait wait, CauseIndex tell) {
    wait.tell = tell;
    wait.point = kToBeMade;
    ++waiters_[wait.location];
    if (tell != CauseIndex::kNone) ++causers_[wait.cause_location];
    waits_.add(wait);
  }
  // A hosted location takes part in a meeting. Its wait is added by add_wait().
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
  // The next meeting of these locations, which are in ascending order and belong to one hosted
  // process. Returns partner and key of its points. Call it in the order of time.
  struct Meeting {
    std::uint32_t partner = 0, key = 0;
  };
  [[nodiscard]] Meeting next_meeting(const std::vector<std::uint32_t>& locations);

  // Cause of a wait for a one-sided operation: a time, and an element of window_events there.
  struct WindowCause {
    std::uint32_t location = trace::kNone, event = 0;
    Ticks time = 0;
  };
  void add_wait_for(WaitKind kind, std::uint32_t location, std::uint32_t call, Ticks wait,
                    const WindowCause& cause);

  // A wait whose cause is not known.
  void add_unlinked(WaitKind kind, std::uint32_t location, std::uint32_t call, Ticks wait);

  // The other side of an operation in this call is not in the trace. The time of the call apart
  // from its known waits may have been waiting, so it is no delay that the location caused.
  void add_without_partner(std::size_t location, std::uint32_t call) {
    without_partner_[location].push_back(call);
  }

  // Informs causers that others waited for them. Sorts the points of each location by call, and the
  // waits by time. Collective; call it after the last wait.
  void connect(parallel::Processes& processes);

  [[nodiscard]] bool compatible() const { return compatible_; }
  [[nodiscard]] int host_of(std::uint32_t location) const { return hosts_[location]; }
  // Hosted location of an index in Definitions::locations.
  [[nodiscard]] std::uint32_t hosted(std::uint32_t location) const { return hosted_[location]; }
  // The points of a location. Valid once connected.
  [[nodiscard]] Points of(std::size_t location) const {
    return std::span(points_).subspan(first_[location], first_[location + 1] - first_[location]);
  }
  // These points, for CallPathTimes, which sets their places.
  [[nodiscard]] std::span<SyncPoint> to_be_placed(std::size_t location) {
    return {points_.data() + first_[location], of(location).size()};
  }
  // First point of a location whose call is not before `call`.
  [[nodiscard]] std::uint32_t first_from(std::size_t location, std::uint32_t call) const;
  // Once connected, the waits are in the reverse of the order in which they are followed.
  [[nodiscard]] const Waits& waits() const { return waits_; }
  // Locations of the team with this number (kFirstTeam or higher), in ascending order.
  [[nodiscard]] const std::vector<std::uint32_t>& team(std::uint32_t partner) const {
    return teams_[partner - kFirstTeam].locations;
  }

  const trace::Definitions& definitions;
  const std::vector<trace::LocationEvents>& mine;

 private:
  static constexpr std::uint32_t kToBeMade = 0;  // value of Wait::point until they are connected

  struct Notice {  // sent to the host of a causer
    std::uint32_t cause_location = 0, cause_call = 0;
    std::uint32_t location = 0, call = 0;  // location and call of the waiter
    Ticks leave = 0;                       // end of its call
    Ticks end = 0;                         // end of the wait
    WaitKind kind = WaitKind::kLateSender;
    CauseIndex tell = CauseIndex::kCall;
  };
  struct Answer {
    std::uint32_t call = 0;  // call of the causer
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
  // Points by hosted location. `added_` has the points that no wait makes. While they are
  // connected, `points_` has all of them, with free room after those of each location; then exactly
  // as many as there are, sorted by call.
  std::vector<trace::SegmentedVector<SyncPoint, memory::Life::kPoints>> added_;
  memory::Vector<SyncPoint> points_;
  std::vector<std::size_t> first_, last_;
  // Number of points that the waits added so far will make: for waiters per hosted location, for
  // causers per location.
  std::vector<std::size_t> waiters_;
  std::vector<std::uint64_t> causers_;
  Waits waits_;
  std::vector<std::vector<WaitOfCall>> without_point_;       // waits that no point refers to
  memory::Vector<std::uint64_t> order_;                      // scratch space for sorting points
  std::vector<std::vector<std::uint32_t>> without_partner_;  // calls, per hosted location
  std::map<std::vector<std::uint32_t>, std::uint32_t> team_numbers_;  // by locations
  // Threads that were in a team together, and how often they met.
  struct Team {
    std::vector<std::uint32_t> locations;
    std::uint32_t meetings = 0;
  };
  std::vector<Team> teams_;
};

}  // namespace latecomer::causes
