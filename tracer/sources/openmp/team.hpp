// SPDX-License-Identifier: BSD-3-Clause
// Records of a team of threads, of its members, and of constructs in it.
#pragma once

#include <cstdint>
#include <utility>

#include "tracer/record/construct_words.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/sources/openmp/constructs.hpp"

namespace latecomer::openmp {

using session::RegionId;
using session::ThreadWriter;

// One execution of a parallel region. It is on the stack of the thread that makes the team, which
// stays there until all members have returned from run_member().
struct Team {
  void* reductions = nullptr;     // the runtime looks for them here (GOMP_parallel_reductions)
  void (*body)(void*) = nullptr;  // what the program wants each member to do
  void* data = nullptr;
  std::uint32_t number = 0, threads = 0;  // threads: asked for
  record::Ticks forked_at = 0;
  RegionId parallel = 0, barrier = 0;
  const session::detail::ThreadState* maker = nullptr;
  bool begun = false, arrived = false;  // what the maker has recorded

  [[nodiscard]] record::TeamPart part() const { return {parallel, barrier, number, threads}; }
};

// The writer of this thread if a team that it makes now is to be recorded, else null.
[[gnu::always_inline]] inline ThreadWriter* maker_writer() {
  const Process& p = process();
  if (!p.openmp.is_recorded.load(std::memory_order_relaxed) ||
      p.session.phase.load(std::memory_order_relaxed) != session::detail::Phase::kRunning) {
    return nullptr;
  }
  ThreadWriter* const w = session::writer();
  return w != nullptr && !w->paused() ? w : nullptr;
}

// A team is made now; the writer has the call path. The fork is recorded with the begin of the
// thread's part in the team. False: the team is not recorded.
bool begin_team(Team& team, Construct construct, std::uintptr_t place, unsigned threads);
// Records that the thread begins its part.
void record_begin(const Team& team, ThreadWriter& w, bool is_maker);
// True while this thread is in a function of the runtime that makes a team for gomp_*.cpp.
extern thread_local constinit bool makes_team [[gnu::tls_model("initial-exec")]];

// Records that this thread has done its part, and that the team has ended.
void record_arrival(const Team& team, ThreadWriter& w);
void end_team(const Team& team);

// What the runtime calls in each member; `team` is the Team.
[[gnu::section("latecomer_pass")]] void run_member(void* team);

// Gives the thread back the constructs that it was in, after a team within them.
class AroundTeam {
 public:
  AroundTeam() {
    const session::detail::ThreadState& t = session::detail::thread_state;
    in_team_ = t.in_team;
    path_ = t.team_path;
    worksharing_ = t.worksharing;
    single_ = t.single;
    single_since_ = t.single_since;
  }
  ~AroundTeam() {
    session::detail::ThreadState& t = session::detail::thread_state;
    t.in_team = in_team_;
    t.team_path = path_;
    t.worksharing = worksharing_;
    t.single = single_;
    t.single_since = single_since_;
  }
  AroundTeam(const AroundTeam&) = delete;
  AroundTeam& operator=(const AroundTeam&) = delete;

 private:
  bool in_team_;
  record::FrameId path_;
  RegionId worksharing_;
  decltype(session::detail::ThreadState::single) single_;
  record::Ticks single_since_;
};

// While it exists, this thread is in no recorded team: it is in one that is not recorded, within a
// recorded one. Constructs that end there are not those of the recorded one.
class OutsideTeam {
 public:
  OutsideTeam() {
    session::detail::ThreadState& t = session::detail::thread_state;
    t.in_team = false;
    t.worksharing = 0;
    t.single = nullptr;
  }

 private:
  const AroundTeam around_;
};

// The writer of a member of a recorded team, else null.
[[gnu::always_inline]] inline ThreadWriter* member_writer() {
  return session::detail::thread_state.in_team ? session::writer() : nullptr;
}

// That writer for constructs in which threads work or wait shortly: loops and critical sections.
[[gnu::always_inline]] inline ThreadWriter* worker_writer() {
  return process().openmp.only_waits.load(std::memory_order_relaxed) ? nullptr : member_writer();
}

// Constructs are at the call path of their parallel region, whatever the thread called since.
[[gnu::always_inline]] inline void enter(ThreadWriter& w, RegionId region) {
  const session::detail::ThreadState& t = session::detail::thread_state;
  if (t.paths != nullptr) w.call_path(t.team_path);
  w.enter(region, session::now());
}

// Time of the last record of this thread. Samples that session::writer() takes are records of now,
// so what a construct did before is asked for earlier.
[[gnu::always_inline]] inline record::Ticks last_record() {
  const ThreadWriter* const w = session::detail::thread_state.current;
  return w == nullptr ? 0 : w->last_time();
}

// A task that was created at this time begins. If the thread had nothing to record from `last` on,
// it may have waited for that.
inline void note_creation(ThreadWriter& w, record::Ticks created, record::Ticks last) {
  if (created == 0 || created <= last || w.paused()) return;
  const record::Ticks t = session::now();
  const std::uint64_t word = t > created ? t - created : 0;
  w.extended(record::kTaskAwaited, t, {&word, 1});
}

// Records a construct around a call. The program's tasks may run in it.
template <typename Call>
[[gnu::always_inline]] inline void around(ThreadWriter* w, RegionId region, Call&& call) {
  if (region == 0) return call();
  enter(*w, region);
  call();
  w = session::writer();
  if (w != nullptr) w->leave(region, session::now());
}

}  // namespace latecomer::openmp
