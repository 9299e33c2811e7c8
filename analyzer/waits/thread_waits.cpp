// SPDX-License-Identifier: BSD-3-Clause
// Works process by process. Teams are assembled from the records of their threads.
#include "analyzer/waits/thread_waits.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/waits/posix_waits.hpp"
#include "analyzer/waits/task_waits.hpp"
#include "analyzer/waits/thread_links.hpp"
#include "patterns/waits/thread_barrier_wait.hpp"
#include "patterns/waits/thread_lock_contention.hpp"
#include "patterns/waits/thread_management.hpp"

namespace latecomer::replay {
namespace {

using patterns::ThreadConstruct;
using patterns::WaitState;
using trace::kNone;
using trace::ThreadEvent;
using trace::Ticks;

constexpr Ticks kUnknown = INT64_MIN;

struct ThreadMetrics {
  ThreadMetrics(const patterns::MetricTree& metrics, const MetricMap& map)
      : computation(metrics.id("comp")),
        management(metrics.id("omp_management")),
        fork(metrics.id("omp_fork")),
        idle(map[WaitState::kIdleThread].base),
        limited(map[WaitState::kLimitedParallelism].base),
        unknown(metrics.id("delay_unknown")),
        task_wait(map[WaitState::kTaskWait].base),
        barriers{map[WaitState::kThreadBarrier].base, map[WaitState::kImplicitThreadBarrier].base},
        starvation{map[WaitState::kExplicitTaskStarvation].base,
                   map[WaitState::kTaskStarvation].base},
        locks{map[WaitState::kThreadLock].base, map[WaitState::kLockCall].base,
              map[WaitState::kMutex].base, map[WaitState::kCondition].base} {}

  MetricId computation, management, fork, idle, limited, unknown, task_wait;
  MetricId barriers[2], starvation[2];  // explicit, implicit
  MetricId locks[4];                    // from ThreadConstruct::kCritical on
};

// A thread's part in a team.
struct Member {
  std::size_t location = 0;
  std::uint32_t node = 0;  // node of the call path that forked
  Ticks begin = kUnknown, end = kUnknown;
  Ticks fork = kUnknown, join = kUnknown;  // set only for the thread that made the team
  std::uint32_t parallel = kNone;          // the call of its parallel region
  std::vector<const ThreadEvent*> barriers, task_waits;
  bool outermost = true;
  Ticks idle_since = kUnknown, idle_until = kUnknown;  // idle time before the team
};
using Members = std::vector<Member>;

// Books the waits of the threads of one process.
class ProcessThreads {
 public:
  ProcessThreads(Booking& booking, ThreadLinks& links, bool compatible,
                 const ThreadMetrics& metrics, std::size_t first, std::size_t last)
      : booking_(booking),
        links_(links),
        compatible_(compatible),
        metrics_(metrics),
        first_(first),
        last_(last),
        posix_(booking, links, compatible) {}

  void book() {
    for (std::size_t l = first_; l < last_; ++l) {
      read(l);
      creations_.add(booking_.mine[l]);
    }
    creations_.sort();
    busy_.resize(last_ - first_);
    std::vector<std::pair<Ticks, const Members*>> teams;  // sorted by begin
    for (auto& [key, members] : teams_) {
      team(members);
      teams.emplace_back(std::ranges::min(members, {}, &Member::begin).begin, &members);
    }
    for (std::size_t l = first_ + 1; l < last_; ++l) {
      if (!busy_[l - first_].empty()) idle(l);
    }
    std::ranges::stable_sort(teams, {}, [](const auto& team) { return team.first; });
    // Points of the same threads are made in the order of time.
    const auto meetings = posix_.meetings();
    auto next = meetings.begin();
    for (const auto& [begin, members] : teams) {
      for (; next != meetings.end() && next->time < begin; ++next) posix_.meet(*next);
      fork(*members);
      barriers(*members);
      task_waits(*members);
    }
    for (; next != meetings.end(); ++next) posix_.meet(*next);
    for (const auto& [lock, asked] : asked_) lock_wait(lock, asked);
    posix_.book();
  }

 private:
  // Paradigm, id of the lock, and number of the acquisition.
  using Lock = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  struct Asked {
    std::size_t location = 0;
    const ThreadEvent* event = nullptr;
  };
  struct Released {
    std::size_t location = 0;
    const ThreadEvent* event = nullptr;
  };
  // A time in which a location belongs to a team.
  struct Busy {
    Ticks begin = 0, end = 0;
    Member* member = nullptr;
  };

  [[nodiscard]] trace::Call call(std::size_t l, std::uint32_t index) const {
    return booking_.mine[l].calls[index];
  }
  [[nodiscard]] ThreadConstruct construct(const trace::Call& call) const {
    return booking_.definitions.regions[booking_.region_of(call)].construct;
  }
  void wait(MetricId metric, std::size_t l, const trace::Call& call, Ticks time,
            Ticks begin = kUnknown) {
    if (metric == patterns::MetricTree::kNone) return;
    WaitMetrics only;
    only.base = metric;
    booking_.part(only, {.location = l, .call = call, .time = time, .begin = begin});
  }

  // Sorts the records of a thread into teams and locks.
  void read(std::size_t l) {
    struct Open {
      Members* members;
      std::size_t index;
    };
    std::vector<Open> open;
    std::vector<Ticks> forks;  // forks whose team has not begun yet
    std::vector<Open> made;    // teams made here that are not joined yet
    const auto top = [&]() { return &(*open.back().members)[open.back().index]; };
    for (const auto& event : booking_.mine[l].thread_events) {
      switch (event.kind) {
        case ThreadEvent::Kind::kFork:
          forks.push_back(event.time);
          break;
        case ThreadEvent::Kind::kTeamBegin: {
          auto& members = teams_[{event.id, event.number}];
          members.push_back({.location = l, .node = event.node, .begin = event.time});
          members.back().outermost = open.empty();
          open.push_back({&members, members.size() - 1});
          if (forks.empty()) break;
          members.back().fork = forks.back();
          forks.clear();
          made.push_back(open.back());
          break;
        }
        case ThreadEvent::Kind::kTeamEnd:
          if (open.empty()) break;
          top()->end = event.time;
          open.pop_back();
          break;
        case ThreadEvent::Kind::kJoin:
          if (made.empty()) break;
          (*made.back().members)[made.back().index].join = event.time;
          made.pop_back();
          break;
        case ThreadEvent::Kind::kParallel:
          if (!open.empty() && top()->parallel == kNone) top()->parallel = event.call;
          break;
        case ThreadEvent::Kind::kBarrier:
          if (!open.empty()) top()->barriers.push_back(&event);
          break;
        case ThreadEvent::Kind::kTaskWait:
          if (!open.empty()) top()->task_waits.push_back(&event);
          break;
        case ThreadEvent::Kind::kAcquire:
          if (event.call != kNone) asked_[{event.paradigm, event.id, event.number}] = {l, &event};
          break;
        case ThreadEvent::Kind::kRelease:
          released_[{event.paradigm, event.id, event.number}] = {l, &event};
          break;
        default:
          posix_.take(l, event);
          break;
      }
    }
  }

  // Books management of one team, and the times in which its members were busy. Only the thread
  // that made the team recorded its fork and join.
  void team(Members& members) {
    Ticks fork = kUnknown, join = kUnknown;
    for (auto& member : members) {
      fork = std::max(fork, member.fork);
      join = std::max(join, member.join);
    }
    for (auto& member : members) {
      manage(member, fork, join);
      if (!member.outermost) continue;
      const auto end = member.end == kUnknown ? booking_.mine[member.location].last : member.end;
      busy_[member.location - first_].push_back(
          {fork == kUnknown ? member.begin : std::min(fork, member.begin), std::max(join, end),
           &member});
    }
  }

  // Links the idle time of members before the team to its cause, if known.
  void fork(const Members& members) {
    std::vector<ThreadLinks::Forked> forked;
    std::size_t maker = members.size();
    Ticks time = kUnknown;
    for (const auto& member : members) {
      if (member.parallel == kNone) continue;
      if (member.fork != kUnknown) {
        maker = forked.size();
        time = member.fork;
      }
      forked.push_back({member.location, member.parallel, member.idle_since, member.idle_until});
    }
    const bool known = maker < forked.size() && forked.size() > 1;
    for (const auto& member : members) {
      if (!known || member.parallel == kNone || member.fork != kUnknown) {
        idle_for_nobody(member.location, member.idle_until - member.idle_since);
      }
    }
    if (known) links_.fork(forked, maker, time);
  }
  void idle_for_nobody(std::size_t l, Ticks time) {
    if (metrics_.idle != patterns::MetricTree::kNone) {
      booking_.add_up(metrics_.unknown, l, 0, time);
    }
  }

  // Books the time to enter and to leave the parallel region. The part that the thread recorded was
  // counted at the call path that forked and is moved. The rest is known only from the master.
  void manage(const Member& member, Ticks fork, Ticks join) {
    if (member.parallel == kNone || fork == kUnknown) return;
    const auto l = member.location;
    const auto& region = call(l, member.parallel);
    const bool maker = member.fork != kUnknown;
    const Ticks before = patterns::fork_time(fork, region.enter);
    const Ticks after = join == kUnknown ? 0 : patterns::join_time(region.leave, join);
    booking_.add_up(metrics_.fork, l, region.node, before);
    booking_.add_up(metrics_.management, l, region.node, after);
    if (member.node == 0 && l != first_) return;  // idle() subtracts it
    const Ticks end = member.end == kUnknown ? region.leave : member.end;
    const Ticks recorded =
        maker ? before + after
              : region.enter - member.begin + std::max<Ticks>(0, end - region.leave);
    booking_.add_up(metrics_.computation, l, member.node, -recorded);
  }

  void barriers(const Members& members) {
    std::size_t most = 0;
    for (const auto& member : members) most = std::max(most, member.barriers.size());
    for (std::size_t b = 0; b < most; ++b) barrier(members, b);
  }

  // Books the b-th barrier of a team.
  void barrier(const Members& members, std::size_t b) {
    std::vector<ThreadLinks::AtBarrier> met;
    std::vector<OuterTasks> tasks;
    Ticks latest = kUnknown;
    for (const auto& member : members) {
      if (b >= member.barriers.size()) continue;
      const auto& visit = call(member.location, member.barriers[b]->call);
      latest = std::max(latest, visit.enter);
      tasks.emplace_back();
      if (!booking_.definitions.has_tasks) continue;
      tasks.back() = tasks_in(booking_.mine[member.location], creations_, visit.enter, visit.leave);
    }
    for (const auto& member : members) {
      if (b >= member.barriers.size()) continue;
      const auto& event = *member.barriers[b];
      const auto& visit = call(member.location, event.call);
      const auto self = met.size();
      const int implicit = construct(visit) == ThreadConstruct::kImplicitBarrier ? 1 : 0;
      // Its tasks after the last one came are no part of this wait.
      const Ticks after = compatible_ ? 0 : time_in(tasks[self], latest, visit.leave);
      const Ticks waited = patterns::thread_barrier_wait(visit.enter, visit.leave, latest,
                                                         std::max<Ticks>(0, event.tasks - after));
      wait(metrics_.barriers[implicit], member.location, visit, waited);
      met.push_back({member.location, event.call, waited, event.number});
      if (compatible_ || tasks.size() < 2) continue;
      Ticks until = kUnknown;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (i != self && !tasks[i].empty()) until = std::max(until, tasks[i].back().end);
      }
      const auto starved =
          task_wait(tasks, self, tasks[self], std::max(latest, visit.enter),
                    std::min(until, visit.leave), visit.leave - visit.enter - event.tasks - waited);
      wait(metrics_.starvation[implicit], member.location, visit, starved.time, starved.begin);
      met.back().starved = starved.time;
      met.back().starved_until = starved.end;
      met.back().starved_for = starved.cause;
      met.back().calls_until = end_of_calls(tasks[self]);
    }
    links_.barrier(met);
  }

  // Books what members of a team waited for tasks of others elsewhere.
  void task_waits(const Members& members) {
    const bool any =
        std::ranges::any_of(members, [](const auto& m) { return !m.task_waits.empty(); });
    if (!any || compatible_) return;
    std::vector<OuterTasks> tasks;
    for (const auto& member : members) {
      const auto& events = booking_.mine[member.location];
      const Ticks end = member.end == kUnknown ? events.last : member.end;
      tasks.push_back(tasks_in(events, creations_, member.begin, end));
    }
    for (std::size_t self = 0; self < members.size(); ++self) {
      for (const auto* event : members[self].task_waits) task_wait_of(members, self, tasks, *event);
    }
  }
  void task_wait_of(const Members& members, std::size_t self, std::span<const OuterTasks> tasks,
                    const ThreadEvent& event) {
    const auto l = members[self].location;
    const auto& visit = call(l, event.call);
    // Tasks inside of tasks are none of `tasks`.
    Ticks until = kUnknown;
    for (const auto& member : members) {
      if (&member == &members[self]) continue;
      const auto last = last_task_in(booking_.mine[member.location], visit.enter, visit.leave);
      if (last != kNone) until = std::max(until, call(member.location, last).leave);
    }
    const auto own = tasks_in(booking_.mine[l], creations_, visit.enter, visit.leave);
    const auto waited =
        task_wait(tasks, self, own, visit.enter, until, visit.leave - visit.enter - event.tasks);
    if (waited.time == 0) return;
    wait(metrics_.task_wait, l, visit, waited.time, waited.begin);
    const auto cause = members[waited.cause].location;
    const Ticks until_all = std::max(waited.end, end_of_calls(own));
    links_.task_wait(l, event.number, waited.time, until_all, cause,
                     last_task_in(booking_.mine[cause], waited.begin, until_all));
  }

  // The wait for a lock is until its previous holder, with the number before, released it.
  void lock_wait(const Lock& lock, const Asked& asked) {
    auto before = lock;
    if (std::get<2>(before)-- == 0) return;
    const auto released = released_.find(before);
    if (released == released_.end()) return;
    const auto& visit = call(asked.location, asked.event->call);
    const auto kind = static_cast<std::size_t>(construct(visit)) -
                      static_cast<std::size_t>(ThreadConstruct::kCritical);
    const auto& [holder, release] = released->second;
    const Ticks waited =
        patterns::thread_lock_contention(visit.enter, asked.event->time, release->time);
    wait(metrics_.locks[kind], asked.location, visit, waited);
    links_.lock(construct(visit) <= ThreadConstruct::kLockApi, asked.location, asked.event->call,
                waited, holder, release->call, asked.event->number);
  }

  // Books idle times. A thread outside any team idles at the call path of the master. That replaces
  // the time that the thread recorded outside of its teams.
  void idle(std::size_t l) {
    const auto& events = booking_.mine[l];
    booking_.add_up(metrics_.computation, l, 0, -events.time[0]);
    auto& busy = busy_[l - first_];
    std::ranges::sort(busy, {}, &Busy::begin);
    std::vector<std::pair<Ticks, Ticks>> idle;
    const auto& master = booking_.mine[first_];
    Ticks from = master.first;
    for (const auto& [begin, end, member] : busy) {
      const Ticks until = std::min(begin, master.last);  // the master's later time is unknown
      if (until > from) {
        idle.emplace_back(from, until);
        member->idle_since = from;
        member->idle_until = until;
      }
      from = std::max(from, end);
    }
    if (from < master.last) {
      idle.emplace_back(from, master.last);
      if (compatible_ || metrics_.idle == patterns::MetricTree::kNone) {
        idle_for_nobody(l, master.last - from);
      } else {
        links_.rest(l, first_, from, master.last);
      }
    }
    auto span = idle.begin();
    Ticks since = master.first;
    std::uint32_t node = 0;
    // Charges the idle time in [since, until), in which the master was at `node`.
    const auto charge = [&](Ticks until) {
      for (; span != idle.end(); ++span) {
        const Ticks time = std::min(until, span->second) - std::max(since, span->first);
        if (time > 0) {
          booking_.add_up(in_parallel(node) ? metrics_.limited : metrics_.idle, l, node, time);
        }
        if (span->second > until) break;
      }
      since = until;
    };
    master.timeline.for_each([&](Ticks time, std::uint32_t next) {
      if (time > since) charge(time);
      node = next;
    });
    charge(std::max(since, master.last));
  }

  // True if the node is inside a parallel region: the team is then smaller than it could be.
  [[nodiscard]] bool in_parallel(std::uint32_t node) const {
    const auto& tree = booking_.tree;
    for (auto n = tree.from_local[node]; n != kNone; n = tree.nodes[n].parent) {
      if (booking_.definitions.regions[tree.nodes[n].region].construct ==
          ThreadConstruct::kParallel) {
        return true;
      }
    }
    return false;
  }

  Booking& booking_;
  ThreadLinks& links_;
  const bool compatible_;
  const ThreadMetrics& metrics_;
  const std::size_t first_, last_;  // range of locations of the process
  std::map<std::pair<std::uint32_t, std::uint32_t>, Members> teams_;
  std::map<Lock, Asked> asked_;
  std::map<Lock, Released> released_;
  std::vector<std::vector<Busy>> busy_;  // by location of the process
  PosixWaits posix_;
  TaskCreations creations_;
};

}  // namespace

void book_thread_waits(Booking& booking, causes::SyncPoints& points) {
  const ThreadMetrics metrics(booking.metrics, booking.map);
  ThreadLinks links(points);
  const auto& mine = booking.mine;
  for (std::size_t first = 0; first < mine.size();) {
    std::size_t last = first;
    bool any = false;
    for (; last < mine.size() && booking.rank_of(last) == booking.rank_of(first); ++last) {
      any = any || !mine[last].thread_events.empty();
    }
    if (any) ProcessThreads(booking, links, points.compatible(), metrics, first, last).book();
    first = last;
  }
}

}  // namespace latecomer::replay
