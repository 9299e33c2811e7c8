// SPDX-License-Identifier: BSD-3-Clause
// Joins the last records of ranks, their calls, and the time when their processes were there last.
#include "tracer/watch/live/last_state.hpp"

#include <algorithm>
#include <string>

#include "tracer/convert/definitions/mpi_functions.hpp"

namespace latecomer::watch {
namespace {

using State = UnfinishedRank::State;

// The wait counts from the begin of the call on, and as long as the process was there.
std::optional<Wait> wait_in(const UnfinishedRank& one, const WaitingNow& now) {
  const auto at = std::ranges::lower_bound(now.waiting, one.rank, {}, &WaitingRank::rank);
  if (at == now.waiting.end() || at->rank != one.rank || !at->kind) return {};
  const Nanoseconds begin = std::max(at->begin, one.from);
  const Nanoseconds end = std::min(at->end, one.end);
  if (end <= begin) return {};
  const Rank cause = at->waits_for.size() == 1 ? at->waits_for.front() : kNone;
  return Wait{*at->kind, one.rank, cause, one.path, begin, end - begin};
}

}  // namespace

std::vector<UnfinishedRank> unfinished_ranks(RunFollower& run, const Watcher& watcher,
                                             const WaitingNow& now) {
  // If there are records that were not read, nobody knows what goes on since the last one.
  const bool knows_now = run.ended() || run.behind() == 0;
  std::vector<UnfinishedRank> all;
  for (const FollowedProcess& about : run.processes()) {
    if (!about.not_followed.empty() || about.finalized) continue;
    if (!about.began && !about.open && (about.last || !about.gone)) continue;
    UnfinishedRank& one = all.emplace_back();
    one.rank = about.rank;
    one.gone = about.gone;
    if (!about.last) continue;
    const Nanoseconds last_leave = watcher.last_leave(about.rank);
    one.from = last_leave == INT64_MIN ? *about.last : last_leave;
    one.state = about.exited ? State::kExited : State::kOutside;
    if (about.open) {
      one.state = State::kInCall;
      one.in_call = true;
      one.from = about.open->enter;
      one.path = run.path_of(about.rank, about.open->frame, about.open->region);
      const std::string name = convert::mpi_function_name(about.open->region);
      one.kind = patterns::call_kind(name);
      if (name == "MPI_Abort") one.state = State::kAborted;
    }
    if (about.aborted) one.state = State::kAborted;
    one.end = std::max(one.from, *about.last);
    if (one.state == State::kExited || one.state == State::kAborted) continue;
    if (knows_now) one.end = std::max(one.end, run.end_of(about.rank).value_or(one.end));
    if (one.state == State::kInCall) one.wait = wait_in(one, now);
  }
  return all;
}

void add_unfinished(WaitSums& sums, const std::vector<UnfinishedRank>& ranks) {
  for (const UnfinishedRank& one : ranks) {
    if (!one.in_call) {
      sums.stay(one.rank, one.end);
      continue;
    }
    CallEvent call;
    call.rank = one.rank;
    call.path = one.path;
    call.kind = one.kind;
    call.enter = one.from;
    call.leave = one.end;
    call.inside = one.end - one.from;
    sums.add_call(call);
    if (one.wait) sums.add(*one.wait);
  }
}

}  // namespace latecomer::watch
