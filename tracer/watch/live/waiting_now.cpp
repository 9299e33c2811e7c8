// SPDX-License-Identifier: BSD-3-Clause
// Reads what the main threads are doing.
#include "tracer/watch/live/waiting_now.hpp"

#include <algorithm>
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
                 std::optional<Nanoseconds> now, bool run_ended) {
  RankNow one;
  one.rank = about.rank;
  one.ended = about.ended && !about.gone;
  // Ranks that were killed are in their last calls, at the end of the run.
  one.gone = about.gone && !run_ended;
  one.waits = !one.ended && !one.gone && thread.has_words && thread.call.left == 0 &&
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

// When a process of a run that has ended was there last.
std::optional<Nanoseconds> end_of(const RunFollower& run) {
  std::optional<Nanoseconds> latest;
  for (const FollowedProcess& about : run.processes()) {
    const auto end = run.end_of(about.rank);
    for (const auto& time : {about.last, end}) {
      if (about.not_followed.empty() && time) latest = std::max(latest.value_or(INT64_MIN), *time);
    }
  }
  return latest;
}

}  // namespace

Present look_at(const RunFollower& run) {
  const std::string records = (std::filesystem::path(run.directory()) / layout::kRecords).string();
  Present present;
  present.time = run.now();
  if (run.ended()) present.time = end_of(run);
  for (const FollowedProcess& about : run.processes()) {
    if (!about.not_followed.empty() || !about.has_clock) continue;
    auto thread = stuck::read_thread(convert::thread_path(records, about.rank, 0));
    if (thread) present.ranks.push_back(rank_now(about, *thread, present.time, run.ended()));
  }
  if (!run.ended()) present.time = run.now();
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
