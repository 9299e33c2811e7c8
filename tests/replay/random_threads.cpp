// SPDX-License-Identifier: BSD-3-Clause
// The random program is a sequence of steps; a process that takes no part in a step goes on later.
#include "tests/replay/random_threads.hpp"

#include <otf2/otf2.h>

#include <algorithm>
#include <random>

#include "archive/layout.hpp"
#include "patterns/calls/collective_class.hpp"

namespace latecomer::test {
namespace {

using patterns::ThreadConstruct;
using sync::Ticks;

// Regions, as the archive numbers them.
constexpr std::uint32_t kMessage = 1, kInit = 2, kFinalize = 3, kMpiBarrier = 4, kParallel = 5,
                        kImplicit = 6, kBarrier = 7, kCritical = 8, kTask = 9, kTaskWait = 10,
                        kWork = 11, kWorks = 3;

}  // namespace

class RandomThreads::Script {
 public:
  Script(RandomThreads& run, unsigned seed) : run_(run), random_(seed) {
    define(2 + below(5));
    Ticks started = 0;
    for (std::uint32_t p = 0; p < size_; ++p) {
      now_[master(p)] = 1'000 + below(3'000);
      started = std::max(started, now_[master(p)]);
    }
    for (std::uint32_t p = 0; p < size_; ++p) {
      if (below(2) == 0) work(master(p));
      begin(master(p), kInit);
      end(master(p), kInit, started + 10 + below(100));
    }
    for (auto steps = 5 + below(30); steps > 0; --steps) step();
    Ticks last = 0;
    for (std::uint32_t p = 0; p < size_; ++p) {
      begin(master(p), kFinalize);
      last = std::max(last, now_[master(p)]);
    }
    for (std::uint32_t p = 0; p < size_; ++p) {
      end(master(p), kFinalize, last + 10 + below(100));
      if (below(2) == 0) work(master(p));
    }
  }

 private:
  // A random number from 0 to limit - 1; 0 if the limit is 0.
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(random_() % std::max(1U, limit));
  }
  // Location of the master thread of process p.
  [[nodiscard]] std::uint32_t master(std::uint32_t p) const {
    return run_.definitions_.processes[p].locations.front();
  }

  // Defines the regions in the order of their constants, and processes with one to four threads.
  void define(std::uint32_t size) {
    size_ = size;
    auto& d = run_.definitions_;
    d.regions = {
        {.name = "program"},
        {.name = "MPI_Any", .paradigm = "mpi", .role = "point2point", .mpi = true},
        {.name = "MPI_Init", .paradigm = "mpi", .mpi = true, .init = true, .watched = true},
        {.name = "MPI_Finalize", .paradigm = "mpi", .mpi = true, .finalize = true, .watched = true},
        {.name = "MPI_Barrier", .paradigm = "mpi", .role = "barrier", .mpi = true},
        {.name = "parallel", .role = "parallel", .construct = ThreadConstruct::kParallel},
        {.name = "end", .role = "implicit barrier", .construct = ThreadConstruct::kImplicitBarrier},
        {.name = "barrier", .role = "barrier", .construct = ThreadConstruct::kBarrier},
        {.name = "critical", .role = "critical", .construct = ThreadConstruct::kCritical},
        {.name = "task", .role = "task", .construct = ThreadConstruct::kTask},
        {.name = "taskwait", .role = "taskwait", .construct = ThreadConstruct::kTaskWait}};
    d.has_tasks = below(6) != 0;  // an archive may not say so
    for (auto& region : d.regions) {
      if (region.mpi || region.name == "program") continue;
      region.paradigm = "openmp";
      region.watched = region.construct != ThreadConstruct::kNone;
    }
    for (std::uint32_t w = 0; w < kWorks; ++w) d.regions.push_back({.name = "work"});
    for (std::uint32_t id = 0; id < d.regions.size(); ++id) d.region_ids.add(id);
    d.properties[layout::kPropertyVersion] = "tests";
    d.metahosts.push_back({0, "m"});
    d.system.resize(1);
    run_.topology_.latency = {1, 1, 1};
    std::vector<std::uint32_t> all;
    for (std::uint32_t p = 0; p < size; ++p) {
      all.push_back(p);
      d.processes.push_back({.node = 0, .metahost = 0});
      const auto threads = 1 + below(4);
      for (std::uint32_t t = 0; t < threads; ++t) {
        const auto l = static_cast<std::uint32_t>(d.locations.size());
        d.processes.back().locations.push_back(l);
        d.locations.push_back({.id = l, .process = p, .thread = t, .events = 100});
      }
      run_.topology_.node.push_back(0);
      run_.topology_.metahost.push_back(0);
    }
    d.comm_ids.add(0);
    d.comms.push_back({.members = all});
    now_.resize(d.locations.size());
    last_.assign(d.locations.size(), INT64_MIN);
    run_.events_.resize(d.locations.size());
    orders_.resize(size);
  }

  // A record of a location at its present time; times of one location never decrease.
  void put(std::uint32_t l, std::function<void(trace::LocationBuilder&, Ticks)> record) {
    const Ticks t = now_[l] = last_[l] = std::max(last_[l], now_[l]);
    run_.events_[l].push_back([=](trace::LocationBuilder& b) { record(b, t); });
  }
  void begin(std::uint32_t l, std::uint32_t region) {
    put(l, [=](auto& b, Ticks t) { b.enter(t, region); });
  }
  void end(std::uint32_t l, std::uint32_t region, Ticks time) {
    now_[l] = time;
    put(l, [=](auto& b, Ticks t) { b.leave(t, region); });
  }
  void work(std::uint32_t l) {
    if (below(5) == 0) return;  // several events may have the same time
    const std::uint32_t region = kWork + below(kWorks);
    begin(l, region);
    end(l, region, now_[l] + below(20'000));
    now_[l] += below(20);
  }

  // One random operation; half of them are parallel regions.
  void step() {
    const auto p = below(size_);
    work(master(p));
    switch (below(6)) {
      case 0:
        return mpi_barrier();
      case 1:
      case 2:
        return message(master(p), master(below(size_)));
      default:
        return region(p);
    }
  }

  // A message between two locations of different processes, whose tag no other message has.
  void message(std::uint32_t a, std::uint32_t b) {
    const auto& d = run_.definitions_;
    const auto from = d.locations[a].process, to = d.locations[b].process;
    if (from == to) return;
    const std::uint32_t tag = tag_++;
    begin(a, kMessage);
    put(a, [=](auto& e, Ticks t) { e.messages.send(t, to, 0, tag, 8); });
    const Ticks arrives = now_[a] + 50 + below(500);
    end(a, kMessage, now_[a] + below(300));
    work(b);
    begin(b, kMessage);
    now_[b] = std::max(now_[b] + 20, arrives);
    put(b, [=](auto& e, Ticks t) { e.messages.receive(t, from, 0, tag, 8); });
    end(b, kMessage, now_[b]);
  }

  void mpi_barrier() {
    Ticks last = 0;
    for (std::uint32_t p = 0; p < size_; ++p) {
      begin(master(p), kMpiBarrier);
      put(master(p), [](auto& b, Ticks t) { b.collectives.begin(t); });
      last = std::max(last, now_[master(p)]);
    }
    for (std::uint32_t p = 0; p < size_; ++p) {
      const auto l = master(p);
      now_[l] = last + 10 + below(100);
      put(l, [](auto& b, Ticks t) {
        b.collectives.end(t, static_cast<std::uint8_t>(patterns::CollectiveOperation::kBarrier), 0,
                          OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
      });
      end(l, kMpiBarrier, now_[l]);
    }
  }

  // A parallel region of process p. Each thread except the master is in the team with a probability
  // of 3/4. The number of the team's communicator has one bit for each of these threads, so equal
  // teams have equal numbers.
  void region(std::uint32_t p) {
    const auto& locations = run_.definitions_.processes[p].locations;
    std::vector<std::uint32_t> team = {locations.front()};
    std::uint32_t comm = 100 + 16 * p;
    for (std::uint32_t t = 1; t < locations.size(); ++t) {
      if (below(4) == 0) continue;
      team.push_back(locations[t]);
      comm += 1U << t;
    }
    // Threads may be idle before they enter the team, and need some time on their way into the
    // region.
    const Ticks fork = now_[team.front()];
    put(team.front(), [](auto& b, Ticks t) { b.threads.fork(t); });
    for (const auto l : team) {
      now_[l] = fork + below(3) * below(1'000);
      put(l, [=](auto& b, Ticks t) { b.threads.team_begin(t, comm); });
      now_[l] += below(3) * below(200);
      begin(l, kParallel);
    }
    for (auto parts = below(5); parts > 0; --parts) {
      for (const auto l : team) work(l);
      switch (below(6)) {
        case 0:
          message(team[below(static_cast<std::uint32_t>(team.size()))], outside(p));
          break;
        case 1:
          message(outside(p), team[below(static_cast<std::uint32_t>(team.size()))]);
          break;
        case 2:
          barrier(team, kBarrier);
          break;
        case 3:
          for (const auto l : team) below(2) == 0 ? task_wait(l, 0) : tasks(l, 0);
          break;
        default:
          critical(p, team);
      }
    }
    barrier(team, kImplicit);
    Ticks joined = 0;
    for (const auto l : team) {
      end(l, kParallel, now_[l] + below(30));
      now_[l] += below(30);
      put(l, [=](auto& b, Ticks t) { b.threads.team_end(t, comm); });
      joined = std::max(joined, now_[l]);
    }
    now_[team.front()] = joined + below(30);
    put(team.front(), [](auto& b, Ticks t) { b.threads.join(t); });
  }
  // A master of another process.
  std::uint32_t outside(std::uint32_t p) { return master((p + 1 + below(size_ - 1)) % size_); }

  // A barrier of the team; some threads execute a task while they are in it.
  void barrier(const std::vector<std::uint32_t>& team, std::uint32_t region) {
    Ticks latest = 0;
    for (const auto l : team) {
      work(l);
      begin(l, region);
      latest = std::max(latest, now_[l]);
      if (below(4) == 0) tasks(l, 0);
    }
    Ticks done = latest;
    for (const auto l : team) done = std::max(done, below(8) == 0 ? 0 : now_[l]);
    done += below(50);
    for (const auto l : team) end(l, region, std::max(now_[l], done + below(2) * below(50)));
  }

  // Some tasks; each may have waits, and tasks inside that it waits for. Some were waited for.
  void tasks(std::uint32_t l, std::uint32_t depth) {
    for (auto number = 1 + below(3); number > 0; --number) {
      now_[l] += below(5'000);
      if (below(3) == 0) {
        const auto ago = below(6'000);
        put(l, [=](auto& b, Ticks t) { b.threads.task_awaited(t, ago); });
      }
      begin(l, kTask);
      if (below(4) == 0) {
        const auto other = outside(run_.definitions_.locations[l].process);
        below(2) == 0 ? message(l, other) : message(other, l);
      }
      work(l);
      if (depth < 2 && below(3) == 0) task_wait(l, depth + 1);
      end(l, kTask, now_[l] + below(10'000));
    }
  }
  void task_wait(std::uint32_t l, std::uint32_t depth) {
    begin(l, kTaskWait);
    if (below(2) == 0) tasks(l, depth);
    end(l, kTaskWait, now_[l] + below(10'000));
  }

  // All threads get the lock in the order in which they ask for it.
  void critical(std::uint32_t p, std::vector<std::uint32_t> team) {
    std::ranges::stable_sort(team, {}, [this](std::uint32_t l) { return now_[l]; });
    for (const auto l : team) {
      auto& [order, released] = orders_[p];
      const std::uint32_t number = ++order;
      begin(l, kCritical);
      now_[l] = std::max(now_[l], released + below(20));
      put(l, [=](auto& b, Ticks t) { b.threads.acquire_lock(t, OTF2_PARADIGM_OPENMP, p, number); });
      work(l);
      if (below(6) == 0) message(outside(p), l);
      released = now_[l];
      put(l, [=](auto& b, Ticks t) { b.threads.release_lock(t, OTF2_PARADIGM_OPENMP, p, number); });
      end(l, kCritical, now_[l] + below(20));
    }
  }

  struct Order {  // state of a lock: its last holder
    std::uint32_t number = 0;
    Ticks released = 0;
  };

  RandomThreads& run_;
  std::mt19937 random_;
  std::uint32_t size_ = 0, tag_ = 0;
  std::vector<Ticks> now_, last_;  // per location
  std::vector<Order> orders_;      // per process
};

RandomThreads::RandomThreads(unsigned seed) { Script(*this, seed); }

std::vector<trace::LocationEvents> RandomThreads::read(const std::vector<std::uint32_t>& locations,
                                                       trace::CallTree& tree) const {
  std::vector<trace::LocationEvents> out;
  trace::Teams teams;
  for (const auto l : locations) {
    tree.set_root_location(l);
    teams.start(definitions_.locations[l].process);
    trace::LocationBuilder builder(definitions_, tree, l, &teams);
    for (const auto& event : events_[l]) event(builder);
    out.push_back(builder.finish());
    out.back().opened = true;
    out.back().close(out.back().last);
  }
  return out;
}

}  // namespace latecomer::test
