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

bool begin_team(Team& team, Construct construct, std::uintptr_t place, unsigned threads) {
  team.parallel = region_of(construct, place);
  // Without its barrier a team would have no end.
  team.barrier = region_of(Construct::kImplicitBarrier, place, true);
  if (team.parallel == 0 || team.barrier == 0) return false;
  team.number = process().openmp.teams.fetch_add(1, std::memory_order_relaxed);
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
  const AroundTeam around;
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
}

}  // namespace latecomer::openmp
