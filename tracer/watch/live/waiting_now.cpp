// SPDX-License-Identifier: BSD-3-Clause
// Joins the words of all main threads.
#include "tracer/watch/live/waiting_now.hpp"

#include <time.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "archive/layout.hpp"
#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/convert/process_records.hpp"
#include "tracer/stuck/thread_view.hpp"

namespace latecomer::watch {
namespace {

using record::Awaited;
using record::AwaitedOperation;

// A rank that others may wait for is looked at among so many members of a communicator.
constexpr std::size_t kMostNamed = 64;

struct Seen {
  FollowedProcess about;
  stuck::ThreadView thread;
  [[nodiscard]] bool waits() const {
    return thread.has_words && thread.call.left == 0 &&
           thread.call.awaited != Awaited::kThreadEnded && thread.call.awaited != Awaited::kInside;
  }
};

Nanoseconds since(const Seen& one) {
  const record::ClockDefinition& clock = one.about.clock;
  if (clock.emulation != nullptr || one.thread.call.entered == 0) return -1;
  timespec t{};
  clock_gettime(clock.timer == "realtime" ? CLOCK_REALTIME : CLOCK_MONOTONIC, &t);
  const Nanoseconds now = std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  const double entered =
      static_cast<double>(static_cast<std::int64_t>(one.thread.call.entered - clock.base_ticks));
  const double passed =
      static_cast<double>(now - clock.base_nanoseconds) - entered * clock.nanoseconds_per_tick;
  constexpr double kLongest = 1e18;
  return passed < -1e6 || passed > kLongest
             ? -1
             : std::max<Nanoseconds>(0, static_cast<Nanoseconds>(passed));
}

class Joined {
 public:
  Joined(RunFollower& run, const std::map<Rank, Seen>& seen) : run_(run), seen_(seen) {
    for (const auto& [rank, one] : seen) {
      if (!one.waits()) continue;
      const auto& call = one.thread.call;
      if (call.awaited == Awaited::kCollective) note(rank, call.object, call.instance);
      for_each_request(call, [&](const record::AwaitedRequest& request) {
        if (request.operation == AwaitedOperation::kCollective)
          note(rank, request.comm, static_cast<std::uint32_t>(request.tag));
      });
    }
  }

  [[nodiscard]] std::vector<Rank> needs(const Seen& one) const {
    const auto& call = one.thread.call;
    const Rank rank = one.about.rank;
    std::set<Rank> ranks;
    switch (call.awaited) {
      case Awaited::kReceive:
      case Awaited::kProbe:
      case Awaited::kSend:
        partner(ranks, rank, call.object, call.peer);
        break;
      case Awaited::kSendReceive:
        partner(ranks, rank, call.object, call.peer);
        partner(ranks, rank, call.object, call.other_peer);
        break;
      case Awaited::kCollective:
        missing(ranks, rank, call.object, call.instance);
        break;
      case Awaited::kRequests:
        for_each_request(call, [&](const record::AwaitedRequest& request) {
          if (request.operation == AwaitedOperation::kCollective) {
            missing(ranks, rank, request.comm, static_cast<std::uint32_t>(request.tag));
          } else if (request.operation == AwaitedOperation::kReceive ||
                     request.operation == AwaitedOperation::kSend ||
                     request.operation == AwaitedOperation::kSendReceive) {
            partner(ranks, rank, request.comm, request.peer);
          }
        });
        break;
      default:
        break;
    }
    ranks.erase(rank);
    return {ranks.begin(), ranks.end()};
  }

 private:
  template <typename F>
  static void for_each_request(const record::PendingCall& call, F&& f) {
    if (call.awaited != Awaited::kRequests) return;
    const std::size_t listed =
        std::min<std::size_t>(call.requests, record::PendingCall::kMostRequests);
    for (std::size_t i = 0; i < listed; ++i) f(call.listed[i]);
  }
  void note(Rank rank, std::uint32_t id, std::uint64_t instance) {
    const CommId comm = run_.comms().find(rank, id);
    if (comm != kNone) there_.insert({comm, instance, rank});
  }
  void partner(std::set<Rank>& ranks, Rank here, std::uint32_t id, std::int32_t peer) const {
    const CommId comm = run_.comms().find(here, id);
    if (comm == kNone || peer < 0) return;
    const Rank rank = run_.comms().world_rank(comm, here, static_cast<Rank>(peer));
    if (rank != kNone) ranks.insert(rank);
  }
  // Members that are not in an operation of a communicator, and have not left it.
  void missing(std::set<Rank>& ranks, Rank here, std::uint32_t id, std::uint64_t instance) const {
    const CommId comm = run_.comms().find(here, id);
    if (comm == kNone || comm == RunComms::kSelf || instance == 0) return;
    const RunComm& one = run_.comms()[comm];
    for (const auto* side : {&one.members, &one.remote}) {
      for (const Rank member : *side) {
        if (ranks.size() >= kMostNamed) return;
        const auto found = seen_.find(member);
        if (member == here || found == seen_.end()) continue;
        if (there_.contains({comm, instance, member})) continue;
        const auto& operations = found->second.thread.operations;
        const auto own = run_.comms().id_on(member, comm);
        // Nonblocking ones are counted when they begin, blocking ones when they end.
        if (own < operations.size() && operations[own] >= instance) continue;
        ranks.insert(member);
      }
    }
  }
  RunFollower& run_;
  const std::map<Rank, Seen>& seen_;
  std::set<std::tuple<CommId, std::uint64_t, Rank>> there_;
};

}  // namespace

WaitingNow waiting_now(RunFollower& run) {
  const std::string records = (std::filesystem::path(run.directory()) / layout::kRecords).string();
  std::map<Rank, Seen> seen;
  for (FollowedProcess& about : run.processes()) {
    if (!about.not_followed.empty() || about.ended || !about.has_clock) continue;
    auto thread = stuck::read_thread(convert::thread_path(records, about.rank, 0));
    if (thread) seen[about.rank] = {std::move(about), std::move(*thread)};
  }
  const Joined joined(run, seen);
  WaitingNow now;
  std::map<Rank, LateRank> late;
  for (const auto& [rank, one] : seen) {
    if (!one.waits()) continue;
    WaitingRank waiting;
    waiting.rank = rank;
    const auto functions = convert::mpi_functions();
    if (one.thread.call.region < functions.size())
      waiting.call = functions[one.thread.call.region].name;
    waiting.path = run.path_of(rank, one.thread.call.frame, one.thread.call.region);
    waiting.since = since(one);
    waiting.waits_for = joined.needs(one);
    for (const Rank other : waiting.waits_for) {
      LateRank& to = late[other];
      to.rank = other;
      ++to.waited_by;
      to.longest = std::max(to.longest, waiting.since);
    }
    now.waiting.push_back(std::move(waiting));
  }
  for (auto& [rank, one] : late) {
    const auto found = seen.find(rank);
    one.computes = found != seen.end() && !found->second.waits();
    now.late.push_back(one);
  }
  std::ranges::stable_sort(now.late, [](const LateRank& a, const LateRank& b) {
    return std::pair(a.computes, a.waited_by) > std::pair(b.computes, b.waited_by);
  });
  return now;
}

}  // namespace latecomer::watch
