// SPDX-License-Identifier: BSD-3-Clause
// Process by process: teams are put together from what their threads recorded.
#include "analyzer/replay/thread_waits.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "patterns/thread_barrier_wait.hpp"
#include "patterns/thread_lock_contention.hpp"
#include "patterns/thread_management.hpp"

namespace latecomer::replay {
namespace {

using patterns::ThreadConstruct;
using trace::kNone;
using trace::ThreadEvent;
using trace::Ticks;

constexpr Ticks kUnknown = INT64_MIN;

struct ThreadMetrics {
  explicit ThreadMetrics(const patterns::MetricTree& metrics)
      : computation(metrics.id("comp")),
        management(metrics.id("omp_management")),
        fork(metrics.id("omp_fork")),
        idle(metrics.id("omp_idle_threads")),
        limited(metrics.id("omp_limited_parallelism")),
        barriers{metrics.id("omp_ebarrier_wait"), metrics.id("omp_ibarrier_wait")},
        locks{metrics.id("omp_lock_contention_critical"), metrics.id("omp_lock_contention_api"),
              metrics.id("pthread_lock_contention_mutex_lock"),
              metrics.id("pthread_lock_contention_conditional")} {}

  MetricId computation, management, fork, idle, limited;
  MetricId barriers[2];  // explicit, implicit
  MetricId locks[4];     // from ThreadConstruct::kCritical on
};

// What one thread did in a team.
struct Member {
  std::size_t location = 0;
  std::uint32_t node = 0;  // of the call path that forked
  Ticks begin = kUnknown, end = kUnknown;
  Ticks fork = kUnknown, join = kUnknown;  // of the thread that made the team
  std::uint32_t parallel = kNone;          // the Call of its region
  std::vector<const ThreadEvent*> barriers;
  bool outermost = true;
};

class ProcessThreads {
 public:
  ProcessThreads(Booking& booking, const ThreadMetrics& metrics, std::size_t first,
                 std::size_t last)
      : booking_(booking), metrics_(metrics), first_(first), last_(last) {}

  void book() {
    for (std::size_t l = first_; l < last_; ++l) read(l);
    busy_.resize(last_ - first_);
    for (auto& [key, members] : teams_) team(members);
    for (const auto& [lock, asked] : asked_) lock_wait(lock, asked);
    for (std::size_t l = first_ + 1; l < last_; ++l) {
      if (!busy_[l - first_].empty()) idle(l);
    }
  }

 private:
  // A lock and the how manyeth holder.
  using Lock = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  struct Asked {
    std::size_t location = 0;
    const ThreadEvent* event = nullptr;
  };
  using Spans = std::vector<std::pair<Ticks, Ticks>>;

  [[nodiscard]] const trace::Call& call(std::size_t l, std::uint32_t index) const {
    return booking_.mine[l].calls[index];
  }
  [[nodiscard]] ThreadConstruct construct(const trace::Call& call) const {
    return booking_.definitions.regions[booking_.region_of(call)].construct;
  }
  void wait(MetricId metric, std::size_t l, const trace::Call& call, Ticks time) {
    if (metric == patterns::MetricTree::kNone) return;
    WaitMetrics only;
    only.base = metric;
    booking_.part(only, {.location = l, .call = call, .time = time});
  }

  // Sorts the records of a thread into teams and locks.
  void read(std::size_t l) {
    struct Open {
      std::vector<Member>* members;
      std::size_t index;
    };
    std::vector<Open> open;
    std::vector<Ticks> forks;  // that wait for their team
    std::vector<Open> made;    // teams made here that were not joined yet
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
        case ThreadEvent::Kind::kAcquire:
          if (event.call != kNone) asked_[{event.paradigm, event.id, event.number}] = {l, &event};
          break;
        case ThreadEvent::Kind::kRelease:
          released_[{event.paradigm, event.id, event.number}] = event.time;
          break;
      }
    }
  }

  void team(std::vector<Member>& members) {
    Ticks fork = kUnknown, join = kUnknown;
    for (const auto& member : members) {
      fork = std::max(fork, member.fork);
      join = std::max(join, member.join);
    }
    for (const auto& member : members) {
      manage(member, fork, join);
      if (!member.outermost) continue;
      const auto end = member.end == kUnknown ? booking_.mine[member.location].last : member.end;
      busy_[member.location - first_].emplace_back(
          fork == kUnknown ? member.begin : std::min(fork, member.begin), std::max(join, end));
    }
    std::size_t most = 0;
    for (const auto& member : members) most = std::max(most, member.barriers.size());
    for (std::size_t b = 0; b < most; ++b) barrier(members, b);
  }

  // The way into the region and out of it. What the thread recorded of it was time of the call path
  // that forked; of the rest nothing is known but this.
  void manage(const Member& member, Ticks fork, Ticks join) {
    if (member.parallel == kNone || fork == kUnknown) return;
    const auto l = member.location;
    const auto& region = call(l, member.parallel);
    const bool maker = member.fork != kUnknown;
    const Ticks before = patterns::fork_time(fork, region.enter);
    const Ticks after = join == kUnknown ? 0 : patterns::join_time(region.leave, join);
    booking_.add_up(metrics_.fork, l, region.node, before);
    booking_.add_up(metrics_.management, l, region.node, after);
    const Ticks end = member.end == kUnknown ? region.leave : member.end;
    const Ticks recorded =
        maker ? before + after
              : region.enter - member.begin + std::max<Ticks>(0, end - region.leave);
    booking_.add_up(metrics_.computation, l, member.node, -recorded);
  }

  // The b-th of a team.
  void barrier(const std::vector<Member>& members, std::size_t b) {
    Ticks latest = kUnknown;
    for (const auto& member : members) {
      if (b >= member.barriers.size()) continue;
      latest = std::max(latest, call(member.location, member.barriers[b]->call).enter);
    }
    for (const auto& member : members) {
      if (b >= member.barriers.size()) continue;
      const auto& visit = call(member.location, member.barriers[b]->call);
      const bool implicit = construct(visit) == ThreadConstruct::kImplicitBarrier;
      wait(metrics_.barriers[implicit ? 1 : 0], member.location, visit,
           patterns::thread_barrier_wait(visit.enter, visit.leave, latest,
                                         member.barriers[b]->tasks));
    }
  }

  void lock_wait(const Lock& lock, const Asked& asked) {
    auto before = lock;
    if (std::get<2>(before)-- == 0) return;
    const auto released = released_.find(before);
    if (released == released_.end()) return;
    const auto& visit = call(asked.location, asked.event->call);
    const auto kind = static_cast<std::size_t>(construct(visit)) -
                      static_cast<std::size_t>(ThreadConstruct::kCritical);
    wait(metrics_.locks[kind], asked.location, visit,
         patterns::thread_lock_contention(visit.enter, asked.event->time, released->second));
  }

  // A thread that is in no team idles, wherever the master of the process is. What it recorded
  // outside of its teams is replaced by that.
  void idle(std::size_t l) {
    const auto& events = booking_.mine[l];
    booking_.add_up(metrics_.computation, l, 0, -events.time[0]);
    auto& busy = busy_[l - first_];
    std::ranges::sort(busy);
    Spans idle;
    const auto& master = booking_.mine[first_];
    Ticks from = master.first;
    for (const auto& [begin, end] : busy) {
      if (begin > from) idle.emplace_back(from, begin);
      from = std::max(from, end);
    }
    if (from < master.last) idle.emplace_back(from, master.last);
    auto span = idle.begin();
    Ticks since = master.first;
    std::uint32_t node = 0;
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
  const ThreadMetrics& metrics_;
  const std::size_t first_, last_;  // locations of the process
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Member>> teams_;
  std::map<Lock, Asked> asked_;
  std::map<Lock, Ticks> released_;
  std::vector<Spans> busy_;  // per location
};

}  // namespace

void book_thread_waits(Booking& booking) {
  const ThreadMetrics metrics(booking.metrics);
  const auto& mine = booking.mine;
  for (std::size_t first = 0; first < mine.size();) {
    std::size_t last = first;
    bool any = false;
    for (; last < mine.size() && booking.rank_of(last) == booking.rank_of(first); ++last) {
      any = any || !mine[last].thread_events.empty();
    }
    if (any) ProcessThreads(booking, metrics, first, last).book();
    first = last;
  }
}

}  // namespace latecomer::replay
