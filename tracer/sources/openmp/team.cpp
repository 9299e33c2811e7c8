// SPDX-License-Identifier: BSD-3-Clause
// Each member asks for its writer at every event: the process may have been forked, or its session
// may have ended, and recording may have been switched off.
#include "tracer/sources/openmp/team.hpp"

#include "tracer/sources/openmp/worksharing.hpp"

namespace latecomer::openmp {

using session::now;
using session::detail::thread_state;
using session::detail::ThreadState;

thread_local constinit bool makes_team = false;

namespace {

// Finds the regions of a team. Most threads make teams at few places, so the last ones are kept
// with the thread: a look at them costs less than two searches in the table of the process.
void find_regions(Team& team, Construct construct, std::uintptr_t place) {
  const std::uintptr_t key = place << kConstructBits | static_cast<std::uintptr_t>(construct);
  ThreadState::TeamRegions& last = thread_state.team_regions[(place ^ place >> 3) % 8];
  if (last.key != key) [[unlikely]] {
    team.parallel = region_of(construct, place);
    // Without its barrier a team would have no end.
    team.barrier = region_of(Construct::kImplicitBarrier, place, true);
    if (team.parallel == 0 || team.barrier == 0) return;
    last = {key, team.parallel, team.barrier};
    return;
  }
  team.parallel = last.parallel;
  team.barrier = last.barrier;
}

// A number for a team. Records of a thread are short if the numbers of its teams follow each other.
// Where each thread makes teams of its own, a thread takes several numbers at once, since taking
// one is an atomic operation. Threads in teams of others would have to go back and forth then, so
// with nested teams numbers are taken one by one.
std::uint32_t next_number(bool is_nested) {
  constexpr std::uint32_t kAtOnce = 64;
  OpenMpState& openmp = process().openmp;
  if (is_nested && !openmp.has_nested.load(std::memory_order_relaxed))
    openmp.has_nested.store(true);
  if (openmp.has_nested.load(std::memory_order_relaxed))
    return openmp.teams.fetch_add(1, std::memory_order_relaxed);
  ThreadState& t = thread_state;
  if (t.next_team == t.end_of_teams) [[unlikely]] {
    t.next_team = openmp.teams.fetch_add(kAtOnce, std::memory_order_relaxed);
    t.end_of_teams = t.next_team + kAtOnce;
  }
  return t.next_team++;
}

}  // namespace

bool begin_team(Team& team, Construct construct, std::uintptr_t place, unsigned threads,
                bool is_nested) {
  find_regions(team, construct, place);
  if (team.parallel == 0 || team.barrier == 0) return false;
  team.number = next_number(is_nested);
  team.maker = &thread_state;
  team.threads = threads;
  team.forked_at = now();
  makes_team = true;
  return true;
}

void record_begin(const Team& team, ThreadWriter& w, bool is_maker) {
  is_maker ? w.team_begun(team.part(), team.forked_at, now()) : w.team_joined(team.part(), now());
}

void record_arrival(const Team& team, ThreadWriter& w) { w.team_arrived(team.part(), now()); }

void end_team(const Team& team) {
  makes_team = false;
  ThreadWriter* const w = session::writer();
  if (w == nullptr || !team.begun) return;
  team.arrived ? w->team_left(team.part(), now()) : w->leave(team.parallel, now());
}

namespace {

bool begin_member(const Team& team, bool is_maker) {
  ThreadWriter* const w = session::writer();
  ThreadState& t = thread_state;
  t.in_team = w != nullptr && !w->paused();
  t.worksharing = 0;
  t.single = nullptr;
  if (!t.in_team) return false;
  if (!is_maker && t.paths != nullptr) w->call_path(0);
  t.team_path = w->call_path();
  record_begin(team, *w, is_maker);
  return true;
}

// Returns whether it is recorded.
bool arrive(const Team& team) {
  ThreadWriter* const w = session::writer();
  if (w == nullptr || w->paused()) return false;
  record_arrival(team, *w);
  return true;
}

}  // namespace

void run_member(void* argument) {
  Team& team = *static_cast<Team*>(argument);
  ThreadState& t = thread_state;
  const bool in_team = t.in_team;
  const record::FrameId path = t.team_path;
  const RegionId worksharing = t.worksharing;
  SinglePlace* const single = t.single;
  const record::Ticks single_since = t.single_since;
  const bool is_maker = &t == team.maker;
  const bool begun = begin_member(team, is_maker);
  if (is_maker) team.begun = begun;
  if (is_maker) makes_team = false;
  team.body(team.data);
  if (is_maker) makes_team = true;
  if (begun) {
    if (t.single != nullptr) end_work();
    const bool arrived = arrive(team);
    if (is_maker) team.arrived = arrived;
  }
  t.in_team = in_team;
  t.team_path = path;
  t.worksharing = worksharing;
  t.single = single;
  t.single_since = single_since;
}

}  // namespace latecomer::openmp
