// SPDX-License-Identifier: BSD-3-Clause
// Reads what the main threads are doing.
#include "tracer/watch/live/waiting_now.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include "archive/layout.hpp"
#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/convert/process_records.hpp"
#include "tracer/stuck/thread_view.hpp"

namespace latecomer::watch {
namespace {

using record::Awaited;

RankNow rank_now(const FollowedProcess& about, stuck::ThreadView& thread,
                 std::optional<Nanoseconds> now) {
  RankNow one;
  one.rank = about.rank;
  one.ended = about.ended;
  one.waits = !about.ended && thread.has_words && thread.call.left == 0 &&
              thread.call.awaited != Awaited::kThreadEnded &&
              thread.call.awaited != Awaited::kInside;
  one.one_is_enough =
      convert::one_request_is_enough(convert::mpi_function_name(thread.call.region));
  one.call = thread.call;
  one.operations = std::move(thread.operations);
  constexpr Nanoseconds kTolerance = 1'000'000;  // the file was read after the clock
  if (now && thread.call.entered != 0) {
    one.entered = time_of(about.clock, thread.call.entered);
    if (*one.entered > *now + kTolerance) one.entered.reset();
  }
  return one;
}

}  // namespace

Present look_at(const RunFollower& run) {
  const std::string records = (std::filesystem::path(run.directory()) / layout::kRecords).string();
  Present present;
  for (const FollowedProcess& about : run.processes()) {
    if (!about.not_followed.empty() || !about.has_clock) continue;
    auto thread = stuck::read_thread(convert::thread_path(records, about.rank, 0));
    if (thread) present.ranks.push_back(rank_now(about, *thread, run.now()));
  }
  present.time = run.now();
  return present;
}

WaitingNow waiting_now(RunFollower& run, const Watcher& watcher, Present present) {
  for (RankNow& one : present.ranks) {
    if (one.entered && watcher.last_leave(one.rank) > *one.entered) one.waits = false;
  }
  const auto sent_at = [&](CommId comm, Rank source, Rank destination, std::int32_t tag) {
    return watcher.sent_at(comm, source, destination, tag);
  };
  WaitingNow now = who_waits(run.comms(), present.ranks, present.time, sent_at);
  auto at = present.ranks.begin();
  for (WaitingRank& waiting : now.waiting) {
    while (at->rank != waiting.rank) ++at;
    waiting.call = convert::mpi_function_name(at->call.region);
    waiting.path = run.path_of(waiting.rank, at->call.frame, at->call.region);
  }
  return now;
}

}  // namespace latecomer::watch
