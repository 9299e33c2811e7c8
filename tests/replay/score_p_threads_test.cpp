// SPDX-License-Identifier: BSD-3-Clause
// One program with threads, in our records and in those of Score-P: both reports have the same
// values, for each metric, construct, line and thread.
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/convert/experiment.hpp"
#include "tests/support/analyze.hpp"
#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/convert/repair.hpp"
#include "tracer/record/extended.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

// A tick is a nanosecond, and the program below is in milliseconds.
constexpr std::uint64_t kMillisecond = 1'000'000;

// What the threads of a program do. Those of a thread are given in the order of time.
class Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  virtual ~Program() = default;

  virtual void solve(int rank, double from, bool begins) = 0;
  virtual void mpi_barrier(int rank, double from, double to) = 0;
  // A parallel region in line `line`: the fork, the begin and the arrival of each thread, and the
  // end, which is that of all threads.
  virtual void fork(int rank, double t, unsigned team, std::uint32_t threads) = 0;
  virtual void begin(Place who, int line, double t, unsigned team, bool forks, double fork) = 0;
  virtual void arrive(Place who, int line, double t, unsigned team) = 0;
  virtual void end(Place who, int line, double t, unsigned team) = 0;
  // A loop with its barrier.
  virtual void loop(Place who, int line, double from, double arrival, double to) = 0;
  virtual void barrier(Place who, int line, double from, double to) = 0;
  // A `single` with its barrier. All threads come at `from`, and one executes it until `arrival`.
  virtual void single(Place who, int line, double from, double arrival, double to,
                      bool executes) = 0;
  // The thread asks for the section, gets it as holder number `order`, and leaves it.
  virtual void critical(Place who, int line, double ask, double get, double leave,
                        std::uint32_t order) = 0;
  // The same with a lock. `awaited`: others wait for this holder.
  virtual void lock(Place who, int line, double ask, double get, double leave, std::uint32_t order,
                    bool awaited) = 0;
  // A thread creates a task. `last` is what the executing thread recorded before it begins it.
  struct Task {
    int line = 0;
    std::uint32_t creator = 0, number = 0;
    double created = 0;
  };
  virtual void create(Place who, const Task& task) = 0;
  virtual void begin_task(Place who, const Task& task, double t, double last) = 0;
  virtual void end_task(Place who, const Task& task, double t) = 0;
};

std::string at_line(const char* construct, int line) {
  return std::string(construct) + " @solver.c:" + std::to_string(line);
}

constexpr const char* kParallel = "!$omp parallel";
constexpr const char* kImplicit = "!$omp implicit barrier";

// Our records, which become an archive.
class Ours : public Program {
 public:
  explicit Ours(const std::filesystem::path& directory) : e_(2, directory) {
    (void)e_.thread(0);
    (void)e_.thread(1);
  }
  void write() {
    e_.finish();
    if (const auto done = convert::repair(e_.path()); !done)
      throw std::runtime_error(done.problem().text());
  }

  void solve(int rank, double t, bool begins) override {
    const auto id = region(rank, "user", "function", "solve", 5);
    begins ? e_.thread(number(rank)).enter(id, ticks(t))
           : e_.thread(number(rank)).leave(id, ticks(t));
  }
  void mpi_barrier(int rank, double from, double to) override {
    auto& w = e_.thread(number(rank));
    std::uint32_t id = 0;
    while (std::string_view(convert::mpi_functions()[id].name) != "MPI_Barrier") ++id;
    w.enter(id, ticks(from));
    w.collective({0, 0, record::kRootNone, 0, 0}, ticks(from), ticks(to));
    w.leave(id, ticks(to));
  }
  void fork(int, double, unsigned, std::uint32_t) override {}  // with the begin
  void begin(Place who, int line, double t, unsigned team, bool forks, double fork) override {
    const auto part = part_of(who, line, team);
    forks ? thread(who).team_begun(part, ticks(fork), ticks(t))
          : thread(who).team_joined(part, ticks(t));
  }
  void arrive(Place who, int line, double t, unsigned team) override {
    thread(who).team_arrived(part_of(who, line, team), ticks(t));
  }
  void end(Place who, int line, double t, unsigned team) override {
    // Threads that do not make the team have no record of its end.
    if (who.thread == 0) thread(who).team_left(part_of(who, line, team), ticks(t));
  }
  void loop(Place who, int line, double from, double arrival, double to) override {
    const auto outer = construct(who, "loop", "!$omp for", line);
    const auto inner = construct(who, "implicit barrier", kImplicit, line);
    auto& w = thread(who);
    w.enter(outer, ticks(from));
    w.work_barrier(outer, inner, ticks(arrival));
    w.work_barrier_left(outer, inner, ticks(to));
    w.work_left(outer, inner, ticks(to));
  }
  void barrier(Place who, int line, double from, double to) override {
    visit(who, construct(who, "barrier", "!$omp barrier", line), from, to);
  }
  void single(Place who, int line, double from, double arrival, double to, bool executes) override {
    if (executes) visit(who, construct(who, "single", "!$omp single", line), from, arrival);
    visit(who, construct(who, "implicit barrier", kImplicit, line), arrival, to);
  }
  void critical(Place who, int line, double ask, double get, double leave,
                std::uint32_t order) override {
    const auto outside = construct(who, "critical", "!$omp critical", line);
    const auto inside = construct(who, "critical sblock", "!$omp critical sblock", line);
    auto& w = thread(who);
    w.lock_wanted(outside, inside, 1, order, ticks(ask));
    w.lock_acquired(outside, inside, 1, order, ticks(get));
    w.lock_released(outside, inside, 1, order, ticks(leave));
    w.lock_left(outside, 1, ticks(leave));
  }
  // A thread that gets the lock at once records it when it releases it, if others wait.
  void lock(Place who, int line, double ask, double get, double leave, std::uint32_t order,
            bool awaited) override {
    auto& w = thread(who);
    const std::uint64_t word = record::two_halves(2, order);
    if (get > ask) {
      const auto call = construct(who, "function", "omp_set_lock", line);
      w.enter(call, ticks(ask));
      w.extended(record::kLockAcquired, ticks(get), {&word, 1});
      w.leave(call, ticks(get));
    } else if (awaited) {
      w.extended(record::kLockAcquired, ticks(leave), {&word, 1});
    }
    if (get > ask || awaited) w.extended(record::kLockReleased, ticks(leave), {&word, 1});
  }
  void create(Place, const Task&) override {}
  void begin_task(Place who, const Task& task, double t, double last) override {
    const std::uint64_t ago = ticks(t) - ticks(task.created);
    if (task.created > last) thread(who).extended(record::kTaskAwaited, ticks(t), {&ago, 1});
    thread(who).enter(construct(who, "task", "!$omp task", task.line), ticks(t));
  }
  void end_task(Place who, const Task& task, double t) override {
    thread(who).leave(construct(who, "task", "!$omp task", task.line), ticks(t));
  }

 private:
  static std::uint64_t ticks(double t) { return static_cast<std::uint64_t>(t * kMillisecond); }
  static std::uint32_t number(int rank) { return static_cast<std::uint32_t>(rank); }
  record::ThreadWriter& thread(Place who) { return e_.thread(who.rank, who.thread); }
  std::uint32_t region(int rank, const char* paradigm, const char* role, const std::string& name,
                       int line) {
    const auto [it, added] =
        ids_.try_emplace({rank, name}, 4096 + static_cast<unsigned>(ids_.size()));
    const auto place = static_cast<std::uint32_t>(line);
    if (added) {
      e_.add(number(rank), record::RegionDefinition{it->second, paradigm, role, name, "",
                                                    "solver.c", place, place});
    }
    return it->second;
  }
  std::uint32_t construct(Place who, const char* role, const char* name, int line) {
    return region(static_cast<int>(who.rank), "openmp", role, at_line(name, line), line);
  }
  void visit(Place who, std::uint32_t id, double from, double to) {
    thread(who).enter(id, ticks(from));
    thread(who).leave(id, ticks(to));
  }
  record::TeamPart part_of(Place who, int line, unsigned team) {
    return {construct(who, "parallel", kParallel, line),
            construct(who, "implicit barrier", kImplicit, line), team, 3};
  }

  Experiment e_;
  std::map<std::pair<int, std::string>, std::uint32_t> ids_;
};

// What Score-P writes: all threads have all records, and more constructs have some.
class ScoreP : public Program {
 public:
  TraceBuilder finished() {
    t_.program("app");
    auto& model = t_.model();
    for (auto& region : model.regions) {
      if (region.paradigm != OTF2_PARADIGM_OPENMP) continue;
      region.file = region.name.starts_with("omp_") ? "OMP" : "solver.c";
    }
    // Each team is a communicator of threads.
    for (int rank = 0; rank < 2; ++rank) {
      for (const std::uint32_t threads : {3U, 2U}) {
        std::vector<std::uint64_t> members;
        for (std::uint32_t i = 0; i < threads; ++i)
          members.push_back(thread_of(rank, i).location());
        model.teams.push_back(members);
      }
    }
    return std::move(t_);
  }

  void solve(int rank, double t, bool begins) override {
    begins ? t_.enter(rank, "solve", time(t)) : t_.leave(rank, "solve", time(t));
  }
  void mpi_barrier(int rank, double from, double to) override {
    t_.collective(Place(rank), "MPI_Barrier", time(from), test::leave(to / 1000));
  }
  void fork(int rank, double t, unsigned, std::uint32_t threads) override {
    raw(rank, t, [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
      OTF2_EvtWriter_ThreadFork(w, nullptr, at, OTF2_PARADIGM_OPENMP, threads);
    });
    threads_[static_cast<std::size_t>(rank)] = threads;
  }
  void begin(Place who, int line, double t, unsigned, bool, double) override {
    const auto comm = team_of(who);
    raw(who, t, [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
      OTF2_EvtWriter_ThreadTeamBegin(w, nullptr, at, comm);
    });
    enter(who, kParallel, line, t);
  }
  void arrive(Place who, int line, double t, unsigned) override { enter(who, kImplicit, line, t); }
  void end(Place who, int line, double t, unsigned) override {
    leave(who, kImplicit, line, t);
    leave(who, kParallel, line, t);
    const auto comm = team_of(who);
    raw(who, t, [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
      OTF2_EvtWriter_ThreadTeamEnd(w, nullptr, at, comm);
    });
    if (who.thread != 0) return;
    raw(who, t, [](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
      OTF2_EvtWriter_ThreadJoin(w, nullptr, at, OTF2_PARADIGM_OPENMP);
    });
  }
  void loop(Place who, int line, double from, double arrival, double to) override {
    enter(who, "!$omp for", line, from);
    visit(who, kImplicit, line, arrival, to);
    leave(who, "!$omp for", line, to);
  }
  void barrier(Place who, int line, double from, double to) override {
    visit(who, "!$omp barrier", line, from, to);
  }
  // All threads enter the construct, and the barrier is inside of it.
  void single(Place who, int line, double from, double arrival, double to, bool executes) override {
    enter(who, "!$omp single", line, from, OTF2_REGION_ROLE_SINGLE);
    if (executes)
      visit(who, "!$omp single sblock", line, from, arrival, OTF2_REGION_ROLE_SINGLE_SBLOCK);
    visit(who, kImplicit, line, arrival, to);
    leave(who, "!$omp single", line, to);
  }
  void critical(Place who, int line, double ask, double get, double leave_at,
                std::uint32_t order) override {
    enter(who, "!$omp critical", line, ask);
    has(who, get, 1, order, true);
    visit(who, "!$omp critical sblock", line, get, leave_at);
    has(who, leave_at, 1, order, false);
    leave(who, "!$omp critical", line, leave_at);
  }
  // Each call has a region.
  void lock(Place who, int, double ask, double get, double leave_at, std::uint32_t order,
            bool) override {
    t_.enter(who, "omp_set_lock", time(ask));
    has(who, get, 2, order, true);
    t_.leave(who, "omp_set_lock", time(get));
    t_.enter(who, "omp_unset_lock", time(leave_at));
    has(who, leave_at, 2, order, false);
    t_.leave(who, "omp_unset_lock", time(leave_at));
  }
  void create(Place who, const Task& task) override {
    const auto comm = team_of(who);
    const std::uint32_t creator = task.creator, number = task.number;
    enter(who, "!$omp create task", task.line, task.created, OTF2_REGION_ROLE_TASK_CREATE);
    raw(who, task.created, [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
      OTF2_EvtWriter_ThreadTaskCreate(w, nullptr, at, comm, creator, number);
    });
    leave(who, "!$omp create task", task.line, task.created);
  }
  void begin_task(Place who, const Task& task, double t, double) override {
    switch_to(who, t, task.creator, task.number);
    enter(who, "!$omp task", task.line, t);
  }
  // Afterwards the thread goes on with its implicit task.
  void end_task(Place who, const Task& task, double t) override {
    leave(who, "!$omp task", task.line, t);
    const auto comm = team_of(who);
    const std::uint32_t creator = task.creator, number = task.number;
    raw(who, t, [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
      OTF2_EvtWriter_ThreadTaskComplete(w, nullptr, at, comm, creator, number);
    });
    switch_to(who, t, who.thread, 0);
  }

 private:
  static at time(double t) { return at(t / 1000); }
  [[nodiscard]] std::uint32_t team_of(Place who) const {
    return kFirstTeam + 2 * who.rank + (threads_[who.rank] == 2 ? 1 : 0);
  }
  void raw(Place who, double t, TraceBuilder::Write write) {
    t_.raw(who, time(t), std::move(write));
  }
  void enter(Place who, const char* name, int line, double t,
             OTF2_RegionRole role = OTF2_REGION_ROLE_UNKNOWN) {
    const std::string text = at_line(name, line);
    auto& region = t_.model().regions[t_.model().region(text)];
    region.line = static_cast<std::uint32_t>(line);
    if (role != OTF2_REGION_ROLE_UNKNOWN) {
      region.role = role;
      region.paradigm = OTF2_PARADIGM_OPENMP;
    }
    t_.enter(who, text, time(t));
  }
  void leave(Place who, const char* name, int line, double t) {
    t_.leave(who, at_line(name, line), time(t));
  }
  void visit(Place who, const char* name, int line, double from, double to,
             OTF2_RegionRole role = OTF2_REGION_ROLE_UNKNOWN) {
    enter(who, name, line, from, role);
    leave(who, name, line, to);
  }
  void switch_to(Place who, double t, std::uint32_t creator, std::uint32_t number) {
    const auto comm = team_of(who);
    raw(who, t, [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
      OTF2_EvtWriter_ThreadTaskSwitch(w, nullptr, at, comm, creator, number);
    });
  }
  void has(Place who, double t, std::uint32_t lock, std::uint32_t order, bool acquires) {
    raw(who, t, [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
      acquires
          ? OTF2_EvtWriter_ThreadAcquireLock(w, nullptr, at, OTF2_PARADIGM_OPENMP, lock, order)
          : OTF2_EvtWriter_ThreadReleaseLock(w, nullptr, at, OTF2_PARADIGM_OPENMP, lock, order);
    });
  }

  TraceBuilder t_{2};
  std::array<std::uint32_t, 2> threads_{};
};

// Three threads, and a team of two at the end, in each of two ranks. In rank 1 thread 2 has more of
// the loop than the others, so that this rank is late to the barrier of MPI.
void run(Program& p) {
  for (int rank = 0; rank < 2; ++rank) {
    const double slow = rank == 0 ? 0 : 40;
    const double looped = 35 + slow;  // the end of the loop
    const auto team = [&](double fork, unsigned number, std::uint32_t threads, int line,
                          const std::array<double, 3>& begins, double end, const auto& body) {
      p.fork(rank, fork, number, threads);
      for (std::uint32_t i = 0; i < threads; ++i) {
        const Place who(rank, i);
        p.begin(who, line, begins[i], number, i == 0, fork);
        p.arrive(who, line, body(who, i), number);
        if (line != 40) p.end(who, line, end, number);
      }
    };
    p.solve(rank, 1, true);
    p.mpi_barrier(rank, 2, 3);
    // The loop ends for thread 2 only after a long time. The section has three holders.
    team(10, 0, 3, 10, {10.5, 11, 12}, looped + 32, [&](Place who, std::uint32_t i) {
      p.loop(who, 12, 12 + i, i == 0 ? 30 : i == 1 ? 25 : looped - 1, looped);
      p.barrier(who, 20, looped + 1 + 2 * (i == 1 ? 2 : i == 2 ? 1 : 0), looped + 6);
      const double get = looped + 6 + 8 * i;
      p.critical(who, 30, looped + 6, get, get + 8, i);
      return get + 8;
    });
    // Thread 1 has the `single`. Then thread 0 creates a long task and a short one. Thread 2 has
    // the long one from 22 to 52. At 45 this creates another one, for which thread 1 waits from 28
    // on.
    const double second = looped + 40;
    p.fork(rank, second, 1, 3);
    for (std::uint32_t i = 0; i < 3; ++i) {
      const Place who(rank, i);
      p.begin(who, 40, second + 1, 1, i == 0, second);
      p.single(who, 42, second + 2 + i, i == 1 ? second + 12 : second + 2 + i, second + 13, i == 1);
      const Program::Task is_long{50, 0, 1, second + 20}, is_short{55, 0, 2, second + 21};
      const Program::Task is_late{58, 2, 1, second + 45};
      if (i == 0) {
        p.create(who, is_long);
        p.create(who, is_short);
      }
      p.arrive(who, 40, i == 0 ? second + 25 : second + 14, 1);
      if (i == 2) {
        p.begin_task(who, is_long, second + 22, second + 14);
        p.create(who, is_late);
        p.end_task(who, is_long, second + 52);
      }
      if (i == 1) {
        p.begin_task(who, is_short, second + 23, second + 14);
        p.end_task(who, is_short, second + 28);
        p.begin_task(who, is_late, second + 46, second + 28);
        p.end_task(who, is_late, second + 50);
      }
      p.end(who, 40, second + 53, 1);
    }
    // Two threads and a lock.
    const double third = second + 60;
    team(third, 2, 2, 70, {third + 1, third + 1, 0}, third + 30, [&](Place who, std::uint32_t i) {
      const double ask = third + 2 + i, get = i == 0 ? ask : third + 12;
      p.lock(who, 72, ask, get, i == 0 ? third + 12 : third + 15, i, i == 0);
      return third + (i == 0 ? 20 : 25);
    });
    p.mpi_barrier(rank, third + 35, 240);
    p.solve(rank, 250, false);
  }
}

// Values by metric, region and thread. Regions that our records have in another way get our names;
// those that only Score-P has must have no time.
using Values = std::map<std::string, std::int64_t>;
Values values_of(const AnalyzedTrace& report) {
  Values values;
  const auto& d = report.definitions();
  for (const auto& metric : d.metrics) {
    const auto view = report.metric(metric.name);
    std::set<std::string> seen;
    for (const auto& node : d.call_paths) {
      const std::string name = d.regions[node.region].name;
      if (!seen.insert(name).second) continue;
      std::string ours = name;
      if (ours.starts_with("omp_set_lock")) ours = "omp_set_lock";
      if (ours.starts_with("!$omp single sblock")) ours.erase(12, 7);
      for (int r = 0; r < 2; ++r) {
        for (std::uint32_t thread = 0; thread < 3; ++thread) {
          const auto value = view.at(rank(r, thread), path(name));
          if (value == 0) continue;
          values[metric.name + " " + ours + " " + std::to_string(r) + "." +
                 std::to_string(thread)] += value;
        }
      }
    }
  }
  return values;
}

// Call paths have other numbers, since Score-P has more of them.
nlohmann::json without_numbers(nlohmann::json value) {
  if (value.is_object()) value.erase("call_path");
  for (auto& part : value) {
    if (part.is_structured()) part = without_numbers(part);
  }
  return value;
}

}  // namespace

TEST_CASE("threads: the same values as from the records of Score-P") {
  ScoreP theirs;
  run(theirs);
  const auto expected = analyze(theirs.finished());
  const auto found = analyze([](const std::filesystem::path& directory) {
    Ours ours(directory);
    run(ours);
    ours.write();
  });
  Values wanted = values_of(expected), got = values_of(found);
  CHECK(wanted.size() > 500);
  // Visits of constructs that only Score-P has.
  std::erase_if(wanted, [](const auto& value) {
    for (const char* only : {"visits !$omp single", "visits !$omp create task", "visits omp_"}) {
      if (value.first.starts_with(only)) return true;
    }
    return false;
  });
  std::erase_if(got, [](const auto& value) {
    return value.first.starts_with("visits !$omp single") || value.first.starts_with("visits omp_");
  });
  for (const auto& [name, value] : wanted) {
    INFO(name);
    CHECK(got[name] == value);
  }
  for (const auto& [name, value] : got) {
    INFO(name);
    CHECK(wanted[name] == value);
  }
  // Each kind of waiting is there, with the values that the times above have.
  //   loop, line 12, rank 0: thread 0 34 - 30 = 4, thread 1 34 - 25 = 9.
  CHECK(got["omp_ibarrier_wait !$omp implicit barrier @solver.c:12 0.0"] == 4_ms);
  CHECK(got["omp_ibarrier_wait !$omp implicit barrier @solver.c:12 0.1"] == 9_ms);
  //   Rank 1: the loop of thread 2 ends 40 later.
  CHECK(got["omp_ibarrier_wait !$omp implicit barrier @solver.c:12 1.0"] == 44_ms);
  //   barrier, line 20: the last one comes 4 after thread 0 and 2 after thread 2.
  CHECK(got["omp_ebarrier_wait !$omp barrier @solver.c:20 0.0"] == 4_ms);
  CHECK(got["omp_ebarrier_wait !$omp barrier @solver.c:20 0.2"] == 2_ms);
  CHECK(got["omp_lock_contention_critical !$omp critical @solver.c:30 0.2"] == 16_ms);
  //   single, line 42: thread 1 arrives at 12, thread 2 at 4.
  CHECK(got["omp_ibarrier_wait !$omp implicit barrier @solver.c:42 0.2"] == 8_ms);
  //   Tasks: thread 0 waits from 25 to 52, thread 1 from 28 to 45 and from 50 to 52.
  CHECK(got["omp_ibarrier_starvation !$omp implicit barrier @solver.c:40 0.0"] == 27_ms);
  CHECK(got["omp_ibarrier_starvation !$omp implicit barrier @solver.c:40 0.1"] == 19_ms);
  CHECK(got["omp_lock_contention_api omp_set_lock 0.1"] == 9_ms);
  //   Rank 1 comes 40 later to the barrier of MPI.
  CHECK(got["mpi_barrier_wait MPI_Barrier 0.0"] == 40_ms);
  CHECK(got.contains("delay_barrier_longterm !$omp for @solver.c:12 1.2"));
  for (const char* key : {"efficiency", "time_slices", "collectives", "quality"}) {
    INFO(key);
    CHECK(without_numbers(found.extras()[key]) == without_numbers(expected.extras()[key]));
  }
}
