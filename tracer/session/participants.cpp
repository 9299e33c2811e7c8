// SPDX-License-Identifier: BSD-3-Clause
// Decides from the attendance whether all, some or no processes record.
#include "tracer/session/participants.hpp"

#include <algorithm>
#include <array>

#include "archive/settings.hpp"
#include "tracer/session/agreement/introduction.hpp"
#include "tracer/session/job/identity.hpp"
#include "tracer/session/process/inside.hpp"
#include "tracer/session/run.hpp"

namespace latecomer::session {

Attendance& attendance() {
  return process().session.attendance.get(
      [] { return Attendance(JobEnvironment::read(), ProcessManager::of_environment()); });
}

namespace {

// True if none of these settings is given: then the processes of a node share clock and directory.
bool has_usual_place() {
  using enum SettingId;
  constexpr std::array kAboutPlace{kNode,  kMetahostId,    kMetahostName, kMetahostGlobalClock,
                                   kTimer, kTimerEmulation};
  return std::ranges::none_of(kAboutPlace, setting_given);
}

}  // namespace

void announce() {
  const Inside inside;
  begin();
  attendance().announce(process().session.phase.load() == detail::Phase::kEarly, node_identity(),
                        has_usual_place());
}

Turnout turnout(int rank, int size) {
  Attendance& all = attendance();
  all.find_out(rank, size);
  if (process().session.phase.load() != detail::Phase::kEarly) return Turnout::kNobody;
  if (all.everybody_records()) return Turnout::kEverybody;
  const std::vector<int> off = all.ranks(Presence::kOff);
  if (off.empty()) return Turnout::kSome;
  if (rank == all.ranks(Presence::kRecords).front()) {
    say("nothing is recorded: recording is switched off (LATECOMER_ENABLE=0) on " +
        std::to_string(off.size()) + " of " + std::to_string(size) + " processes");
  }
  return Turnout::kNobody;
}

bool everybody_came(int rank, int size) {
  const Inside inside;
  const Turnout came = turnout(rank, size);
  if (came == Turnout::kEverybody) return true;
  if (came == Turnout::kSome && rank == attendance().ranks(Presence::kRecords).front()) {
    const std::vector<int> missing = attendance().ranks(Presence::kUnknown);
    say("nothing is recorded: " + rank_list(missing) + (missing.size() == 1 ? " takes" : " take") +
        " no part in the measurement, and the program uses MPI sessions without MPI_Init");
  }
  stop_recording();
  return false;
}

bool recorded_together() {
  const SessionState& s = process().session;
  return s.phase.load() == detail::Phase::kRunning && !s.apart;
}

bool all_recorded(std::span<const std::uint32_t> world_ranks) {
  if (!process().session.apart) return true;
  const std::vector<Presence>& presence = attendance().presence();
  return std::ranges::all_of(world_ranks, [&](std::uint32_t rank) {
    return rank < presence.size() && presence[rank] == Presence::kRecords;
  });
}

}  // namespace latecomer::session
