// SPDX-License-Identifier: BSD-3-Clause
// Records teams and constructs as the runtime reports them.
//
// A runtime that GCC's programs use, too, reports what the functions of gomp_*.cpp record already.
// Teams of theirs are left out here, with all that is in them.
#include "tracer/sources/openmp/ompt_callbacks.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <new>
#include <utility>

#include "tracer/sources/openmp/team.hpp"

namespace latecomer::openmp::ompt {
namespace {

using session::now;
using session::detail::thread_state;

struct ReportedTeam;

// A critical section in which the thread is.
struct Held {
  std::uint64_t lock = 0;
  RegionId region = 0, block = 0;  // block: 0 if nothing is known of the lock
  std::uint32_t number = 0;        // of the lock
  std::uint32_t before = 0;        // earlier holders
  bool acquired = false;
};

// A thread's part in the team in which it works.
struct Part {
  ReportedTeam* team = nullptr;  // null: none, or it is not recorded
  unsigned unrecorded = 0;       // teams inside it that are not recorded
  bool arrived = false;          // at the barrier at its end
  record::FrameId path = 0;
  record::Ticks created = 0;       // time at which it created its last task
  RegionId barrier = 0;            // in which it is; 0: none
  std::size_t works = 0;           // number of work-sharing constructs in which it is
  std::array<RegionId, 8> work{};  // deeper ones are not recorded
  std::size_t depth = 0;           // number of critical sections in which it is
  std::array<Held, 4> held{};      // deeper ones are not recorded
};

struct ReportedTeam : Team {
  std::uintptr_t place = 0;
  bool by_program = false;
  Part outer;  // that of the thread that makes it
};

// Each thread has its own; callbacks find it without a function call.
thread_local constinit Part part [[gnu::tls_model("initial-exec")]];

// Data of an explicit task: its region, when it was created, and whether a thread has entered it.
//
//   bit  0..17   region
//   bit 18..61   time of its creation / 16; 0: it does not count
constexpr std::uint64_t kIsTask = std::uint64_t{1} << 63, kIsEntered = std::uint64_t{1} << 62;
constexpr unsigned kTimeShift = record::kIdBits, kTimeBits = 44, kTimeUnitBits = 4;
static_assert(kTimeShift + kTimeBits == 62);

std::uint64_t task_word(RegionId region, record::Ticks created) {
  const std::uint64_t time = created >> kTimeUnitBits & ((std::uint64_t{1} << kTimeBits) - 1);
  return kIsTask | time << kTimeShift | region;
}
RegionId region_in(std::uint64_t task) { return static_cast<RegionId>(task & record::kMaxId); }
// The upper bits of the time are those of `now`, or of the time before them.
record::Ticks created_in(std::uint64_t task, record::Ticks now) {
  const std::uint64_t time = task >> kTimeShift & ((std::uint64_t{1} << kTimeBits) - 1);
  if (time == 0) return 0;
  constexpr unsigned kUpper = kTimeBits + kTimeUnitBits;
  const record::Ticks created = now >> kUpper << kUpper | time << kTimeUnitBits;
  return created <= now ? created : created - (record::Ticks{1} << kUpper);
}
constexpr std::uint64_t kWorker = 1;  // data of an implicit task; makers have their team there

// Addresses of the runtime's code. It is no place of the program.
std::atomic<std::uintptr_t> runtime_begin{0}, runtime_end{0};

// 0: unknown.
std::uintptr_t place_of(const void* return_address) {
  const auto address = reinterpret_cast<std::uintptr_t>(return_address);
  const bool in_runtime = address >= runtime_begin.load(std::memory_order_relaxed) &&
                          address < runtime_end.load(std::memory_order_relaxed);
  return address == 0 || in_runtime ? 0 : address - 1;
}

bool only_waits() { return process().openmp.only_waits.load(std::memory_order_relaxed); }

bool in_team() { return part.team != nullptr && part.unrecorded == 0; }

// The writer of a thread in a recorded team, else null.
ThreadWriter* part_writer() { return in_team() ? session::writer() : nullptr; }

RegionId region_at(Construct construct, const void* return_address) {
  const std::uintptr_t place = place_of(return_address);
  return region_of(construct, place != 0 ? place : part.team->place);
}

// Constructs are at the call path of their parallel region.
void enter(ThreadWriter& w, RegionId region) {
  if (region == 0) return;
  if (thread_state.paths != nullptr) w.call_path(part.path);
  w.enter(region, now());
}
RegionId enter(ThreadWriter& w, Construct construct, const void* return_address) {
  const RegionId region = region_at(construct, return_address);
  enter(w, region);
  return region;
}

void leave(ThreadWriter* w, RegionId& region) {
  if (region != 0 && w != nullptr) w->leave(region, now());
  region = 0;
}

void begin_part(ReportedTeam& team, Data& task) {
  const bool is_maker = team.maker == &thread_state;
  task.value = kWorker;
  if (is_maker) {
    task.pointer = &team;
    team.outer = part;
  }
  part = {};
  ThreadWriter* const w = session::writer();
  if (w == nullptr || w->paused()) return;
  if (!is_maker && thread_state.paths != nullptr) w->call_path(0);
  part.team = &team;
  part.path = w->call_path();
  team.begun = team.begun || is_maker;
  record_begin(team, *w, is_maker);
}

// Workers end their part at their next one, or never.
void end_part(const Data& task) {
  if (task.value == kWorker) {
    part = {};
  } else {
    part = static_cast<ReportedTeam*>(task.pointer)->outer;
  }
}

void arrive(ThreadWriter& w) {
  ReportedTeam& team = *part.team;
  part.arrived = true;
  if (w.paused()) return;
  record_arrival(team, w);
  if (team.maker == &thread_state) team.arrived = true;
}

// Runtimes before OpenMP 5.1 do not tell the barrier of a team from others. Its place is that of
// the team, and workers do not know it.
bool ends_team(Sync kind, const void* return_address) {
  if (kind == Sync::kImplicitParallel) return true;
  return kind == Sync::kImplicit &&
         (return_address == nullptr || place_of(return_address) == part.team->place);
}

// Runtimes do not tell explicit barriers in programs of GCC from others; those have a place.
Construct construct_of(Sync kind, const void* return_address) {
  const bool is_explicit =
      kind == Sync::kExplicit || kind == Sync::kBarrier ||
      (kind == Sync::kImplementation && part.team->by_program && return_address != nullptr);
  return is_explicit ? Construct::kBarrier : Construct::kImplicitBarrier;
}

// kCount: it is not recorded. A thread that skips a `single` has nothing to show.
Construct construct_of(Work kind) {
  if (kind >= Work::kFirstLoop && kind <= Work::kLastLoop) return Construct::kLoop;
  switch (kind) {
    case Work::kLoop:
      return Construct::kLoop;
    case Work::kSections:
      return Construct::kSections;
    case Work::kSingle:
      return Construct::kSingle;
    case Work::kWorkshare:
      return Construct::kWorkshare;
    case Work::kDistribute:
      return Construct::kDistribute;
    case Work::kTaskLoop:
      return Construct::kTaskLoop;
    case Work::kScope:
      return Construct::kScope;
    default:
      return Construct::kCount;
  }
}

bool is_barrier(Sync kind) {
  return (kind >= Sync::kBarrier && kind <= Sync::kImplementation) ||
         kind == Sync::kImplicitWorkshare || kind == Sync::kImplicitParallel;
}

}  // namespace

void set_runtime(std::uintptr_t begin, std::uintptr_t end) {
  runtime_begin.store(begin, std::memory_order_relaxed);
  runtime_end.store(end, std::memory_order_relaxed);
}

bool in_recorded_team() { return in_team(); }

record::FrameId team_path() { return part.path; }

void parallel_begin(Data*, const void*, Data* parallel, unsigned threads, int flags,
                    const void* return_address) {
  parallel->pointer = nullptr;
  const std::uintptr_t place = place_of(return_address);
  if (makes_team || place == 0 || (flags & kLeague) != 0) return;
  ThreadWriter* const w = maker_writer();
  if (w == nullptr) return;
  session::note_call_path(w);
  const int saved = errno;
  auto* const team = new (std::nothrow) ReportedTeam;
  errno = saved;
  if (team == nullptr) return;
  const bool is_recorded = begin_team(*team, Construct::kParallel, place, threads);
  makes_team = false;
  if (!is_recorded) {
    delete team;
    return;
  }
  team->place = place;
  team->by_program = (flags & kByProgram) != 0;
  parallel->pointer = team;
}

void parallel_end(Data* parallel, Data*, int, const void*) {
  auto* const team = static_cast<ReportedTeam*>(parallel->pointer);
  if (team == nullptr) return;
  end_team(*team);
  parallel->pointer = nullptr;
  delete team;
}

void implicit_task(Scope scope, Data* parallel, Data* task, unsigned, unsigned, int flags) {
  if ((flags & kInitialTask) != 0) return;
  if (scope == Scope::kBegin) {
    auto* const team =
        parallel == nullptr ? nullptr : static_cast<ReportedTeam*>(parallel->pointer);
    if (team != nullptr) return begin_part(*team, *task);
    task->value = 0;
    ++part.unrecorded;
  } else if (scope == Scope::kEnd) {
    if (task->value != 0) return end_part(*task);
    if (part.unrecorded != 0) --part.unrecorded;
  }
}

// A task that goes on in another thread would be left there. So those are not recorded.
void task_create(Data*, const void*, Data* created, int flags, int, const void* return_address) {
  created->value = 0;
  if ((flags & kExplicitTask) == 0 || (flags & kUntiedTask) != 0 || part_writer() == nullptr)
    return;
  const RegionId region = region_at(Construct::kTask, return_address);
  if (region == 0) return;
  // One that is not deferred is executed at once, so no thread waits for it.
  const bool deferred = (flags & kUndeferredTask) == 0;
  if (deferred) part.created = now();
  created->value = task_word(region, deferred ? part.created : 0);
}

void task_schedule(Data* prior, Status status, Data* next) {
  record::Ticks last = last_record();
  ThreadWriter* const w = part_writer();
  if (w == nullptr) return;
  const bool ends =
      status == Status::kComplete || status == Status::kCancel || status == Status::kDetach;
  if (ends && prior != nullptr && (prior->value & kIsTask) != 0) {
    const bool is_entered = (prior->value & kIsEntered) != 0;
    const RegionId region = region_in(prior->value);
    prior->value = 0;
    if (is_entered) w->leave(region, last = now());
  }
  if (next != nullptr && (next->value & (kIsTask | kIsEntered)) == kIsTask) {
    // While the thread created tasks, it did not wait for one.
    const record::Ticks created = created_in(next->value, now());
    if (created > part.created) note_creation(*w, created, last);
    enter(*w, region_in(next->value));
    next->value |= kIsEntered;
  }
}

void sync_region(Sync kind, Scope scope, Data*, Data*, const void* return_address) {
  if (kind == Sync::kTaskWait || kind == Sync::kTaskGroup) {
    ThreadWriter* const w = part_writer();
    if (w == nullptr) return;
    RegionId region = region_at(
        kind == Sync::kTaskWait ? Construct::kTaskWait : Construct::kTaskGroup, return_address);
    return scope == Scope::kBegin ? enter(*w, region) : leave(w, region);
  }
  if (!is_barrier(kind)) return;
  ThreadWriter* const w = part_writer();
  if (w == nullptr || part.arrived) return;  // the maker ends the barrier for all
  if (scope == Scope::kBegin) {
    if (ends_team(kind, return_address)) return arrive(*w);
    part.barrier = enter(*w, construct_of(kind, return_address), return_address);
  } else if (scope == Scope::kEnd) {
    leave(w, part.barrier);
  }
}

// Tasks of a `taskloop` may have constructs inside.
void work(Work kind, Scope scope, Data*, Data*, std::uint64_t, const void* return_address) {
  const Construct construct = construct_of(kind);
  if (construct == Construct::kCount || only_waits()) return;
  ThreadWriter* const w = part_writer();
  if (w == nullptr) return;
  if (scope == Scope::kBegin) {
    const std::size_t depth = part.works++;
    if (depth < part.work.size()) part.work[depth] = enter(*w, construct, return_address);
  } else if (scope == Scope::kEnd && part.works != 0) {
    if (--part.works < part.work.size()) leave(w, part.work[part.works]);
  }
}

// The runtime reports a release when another thread may have the lock already. So what is known of
// the lock is kept with the thread.
void mutex_acquire(Mutex kind, unsigned, unsigned, std::uint64_t lock, const void* return_address) {
  if (kind == Mutex::kOrdered && in_team()) {
    ThreadWriter* const w = session::writer();
    if (w != nullptr) enter(*w, Construct::kOrdered, return_address);
  }
  if (kind != Mutex::kCritical || !in_team() || only_waits()) return;
  session::note_wanted(reinterpret_cast<const void*>(lock));
  const std::size_t depth = part.depth++;
  ThreadWriter* const w = session::writer();
  if (w == nullptr || depth >= part.held.size()) return;
  LockTable& locks = process().openmp.locks;
  LockTable::Lock* const known = locks.find(lock);
  Held held{lock, region_at(Construct::kCritical, return_address)};
  if (known != nullptr) {
    held.block = region_at(Construct::kCriticalBlock, return_address);
    held.number = locks.number(known);
  }
  part.held[depth] = held;
  if (held.region == 0 || held.block == 0) return enter(*w, held.region);
  if (thread_state.paths != nullptr) w->call_path(part.path);
  w->lock_wanted(held.region, held.block, held.number,
                 known->holders.load(std::memory_order_relaxed), now());
}

void mutex_acquired(Mutex kind, std::uint64_t lock, const void* return_address) {
  if (kind == Mutex::kOrdered && in_team()) {
    RegionId region = region_at(Construct::kOrdered, return_address);
    leave(session::writer(), region);
  }
  if (kind != Mutex::kCritical || !in_team() || part.depth == 0) return;
  session::note_wanted(nullptr);
  session::note_held(reinterpret_cast<const void*>(lock));
  if (part.depth > part.held.size()) return;
  Held& held = part.held[part.depth - 1];
  ThreadWriter* const w = session::writer();
  if (w == nullptr || held.region == 0 || held.block == 0 || held.lock != lock) return;
  LockTable::Lock* const known = process().openmp.locks.known(lock);
  if (known == nullptr) return;
  held.before = known->holders.fetch_add(1, std::memory_order_relaxed);
  held.acquired = true;
  w->lock_acquired(held.region, held.block, held.number, held.before, now());
}

void mutex_released(Mutex kind, std::uint64_t lock, const void*) {
  if (kind != Mutex::kCritical || !in_team() || part.depth == 0) return;
  session::note_released(reinterpret_cast<const void*>(lock));
  if (--part.depth >= part.held.size()) return;
  const Held held = std::exchange(part.held[part.depth], {});
  ThreadWriter* const w = session::writer();
  if (w == nullptr || held.lock != lock || held.region == 0) return;
  const record::Ticks t = now();
  if (held.acquired) w->lock_released(held.region, held.block, held.number, held.before, t);
  held.acquired ? w->lock_left(held.region, held.number, t) : w->leave(held.region, t);
}

}  // namespace latecomer::openmp::ompt
