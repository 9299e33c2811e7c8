// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/program_waits.hpp"

#include <algorithm>

#include "patterns/finalize_wait.hpp"
#include "patterns/init_completion.hpp"

namespace latecomer::replay {

void book_program_waits(Booking& booking, parallel::Processes& processes) {
  using trace::kNone;
  using trace::Ticks;
  struct Latest {
    Ticks enter = INT64_MIN;
    std::uint32_t rank = kNone;  // the lowest of those that entered last
  };
  const auto& mine = booking.mine;
  Latest init, finalize;
  Ticks earliest_leave = INT64_MAX;
  const auto add = [](Latest& latest, Ticks enter, std::uint32_t rank) {
    if (enter > latest.enter || (enter == latest.enter && rank < latest.rank))
      latest = {enter, rank};
  };
  for (std::size_t l = 0; l < mine.size(); ++l) {
    const std::uint32_t rank = booking.rank_of(l);
    if (mine[l].init != kNone) {
      add(init, mine[l].calls[mine[l].init].enter, rank);
      earliest_leave = std::min(earliest_leave, mine[l].calls[mine[l].init].leave);
    }
    if (mine[l].finalize != kNone) add(finalize, mine[l].calls[mine[l].finalize].enter, rank);
  }
  const auto agree = [&](Latest& latest) {
    const Ticks enter = processes.max(latest.enter);
    const auto rank = processes.min(latest.enter == enter ? latest.rank : std::int64_t{kNone});
    latest = {enter, static_cast<std::uint32_t>(rank)};
  };
  agree(init);
  agree(finalize);
  earliest_leave = processes.min(earliest_leave);
  const bool grid = booking.definitions.metahosts.size() > 1;
  for (std::size_t l = 0; l < mine.size(); ++l) {
    if (mine[l].init != kNone) {
      const auto& call = mine[l].calls[mine[l].init];
      booking.part(
          booking.map.init_completion,
          {l, call, patterns::init_completion(call.leave, init.enter, earliest_leave), grid});
    }
    if (mine[l].finalize != kNone) {
      const auto& call = mine[l].calls[mine[l].finalize];
      booking.part(booking.map.finalize_wait,
                   {l, call, patterns::finalize_wait(call.enter, call.leave, finalize.enter), grid,
                    finalize.rank});
    }
  }
}

}  // namespace latecomer::replay
