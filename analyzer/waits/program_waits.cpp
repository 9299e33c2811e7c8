// SPDX-License-Identifier: BSD-3-Clause
// Finds the last process in MPI_Init and in MPI_Finalize, and books the waits for it.
#include "analyzer/waits/program_waits.hpp"

#include <algorithm>

#include "patterns/waits/finalize_wait.hpp"
#include "patterns/waits/init_completion.hpp"

namespace latecomer::replay {
namespace {

using causes::SyncPoint;
using patterns::WaitKind;
using trace::kNone;
using trace::Ticks;

// Instance numbers of these meetings.
constexpr std::uint32_t kInit = 0, kFinalize = 1;

// The location that entered a call last; ties go to the lowest location.
struct Latest {
  Ticks enter = INT64_MIN;
  std::uint32_t location = kNone;
  std::uint32_t call = kNone;
};

void add(Latest& latest, const trace::LocationEvents& events, std::uint32_t call) {
  if (call == kNone) return;
  const Ticks enter = events.calls[call].enter;
  if (enter > latest.enter || (enter == latest.enter && events.location < latest.location)) {
    latest = {enter, events.location, call};
  }
}

void agree(Latest& latest, parallel::Processes& processes) {
  const Ticks enter = processes.max(latest.enter);
  const auto location =
      processes.min(latest.enter == enter ? std::int64_t{latest.location} : std::int64_t{kNone});
  const auto call =
      processes.min(latest.location == location ? std::int64_t{latest.call} : std::int64_t{kNone});
  latest = {enter, static_cast<std::uint32_t>(location), static_cast<std::uint32_t>(call)};
}

}  // namespace

// Finds the last enter of both calls over all processes, then books what each process waited for
// it.
void book_program_waits(Booking& booking, causes::SyncPoints& points,
                        parallel::Processes& processes) {
  const auto& mine = booking.mine;
  Latest init, finalize;
  Ticks earliest_leave = INT64_MAX;
  for (const auto& events : mine) {
    add(init, events, events.init);
    add(finalize, events, events.finalize);
    if (events.init != kNone) {
      earliest_leave = std::min(earliest_leave, events.calls[events.init].leave);
    }
  }
  agree(init, processes);
  agree(finalize, processes);
  earliest_leave = processes.min(earliest_leave);
  const bool grid = booking.definitions.metahosts.size() > 1;
  for (std::uint32_t l = 0; l < mine.size(); ++l) {
    if (mine[l].init != kNone) {
      const auto& call = mine[l].calls[mine[l].init];
      booking.part(
          booking.map[patterns::WaitState::kInitCompletion],
          {l, call, patterns::init_completion(call.leave, init.enter, earliest_leave), grid});
      points.add_meeting(l, {mine[l].init, causes::kEverybody, kInit, SyncPoint::Role::kMeeting,
                             WaitKind::kFinalize, 0, std::min(init.enter, call.leave)});
    }
    if (mine[l].finalize != kNone) {
      const auto& call = mine[l].calls[mine[l].finalize];
      const Ticks wait = patterns::finalize_wait(call.enter, call.leave, finalize.enter);
      booking.part(booking.map[patterns::WaitState::kFinalize],
                   {l, call, wait, grid, booking.definitions.locations[finalize.location].process});
      if (wait <= 0 || points.compatible()) continue;
      points.add_meeting(l, {mine[l].finalize, causes::kEverybody, kFinalize,
                             SyncPoint::Role::kMeeting, WaitKind::kFinalize, wait, call.leave});
      points.add_wait({.location = l,
                       .call = mine[l].finalize,
                       .cause_location = finalize.location,
                       .cause_call = finalize.call,
                       .kind = WaitKind::kFinalize,
                       .path = false,
                       .wait = wait,
                       .begin = call.enter,
                       .event = finalize.enter});
    }
  }
}

}  // namespace latecomer::replay
