// SPDX-License-Identifier: BSD-3-Clause
// Joins the calls of all ranks.
#include "tracer/watch/live/who_waits.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "patterns/calls/collective_class.hpp"
#include "tracer/stuck/strong_components.hpp"

namespace latecomer::watch {
namespace {

using record::Awaited;
using record::AwaitedOperation;

// So many ranks that have not come to an operation are named.
constexpr std::size_t kMostNamed = 64;

// Fate of all that a call waits for.
struct Outcome {
  std::set<Rank> missing;
  std::size_t came = 0;
  bool unknown = false;                             // it waits for something else, too
  bool counts = true;                               // it has a wait state while the program runs
  bool knows_times = true;                          // of those that came
  Nanoseconds first = INT64_MAX, last = INT64_MIN;  // of those that came
  // Wait states of what is missing, and of what came.
  std::optional<WaitKind> missing_kind, came_kind;
  void misses(Rank rank, std::optional<WaitKind> kind) {
    missing.insert(rank);
    if (!missing_kind) missing_kind = kind;
  }
  void comes(std::optional<Nanoseconds> time, std::optional<WaitKind> kind) {
    ++came;
    if (!came_kind) came_kind = kind;
    knows_times = knows_times && time.has_value();
    first = std::min(first, time.value_or(INT64_MAX));
    last = std::max(last, time.value_or(INT64_MIN));
  }
};

class Joined {
 public:
  Joined(const RunComms& comms, const std::vector<RankNow>& ranks, const SentAt& sent_at)
      : comms_(comms), sent_at_(sent_at) {
    for (const RankNow& one : ranks) ranks_[one.rank] = &one;
    for (const RankNow& one : ranks) {
      if (one.waits) note(one);
    }
  }

  [[nodiscard]] Outcome outcome(const RankNow& one) {
    const auto& call = one.call;
    Outcome out;
    switch (call.awaited) {
      case Awaited::kProbe:
        out.counts = false;
        [[fallthrough]];
      case Awaited::kReceive:
        message(out, one.rank, call.object, call.peer, call.tag, false);
        break;
      case Awaited::kSend:
        message(out, one.rank, call.object, call.peer, call.tag, true);
        break;
      case Awaited::kSendReceive:
        message(out, one.rank, call.object, call.peer, call.tag, false);
        message(out, one.rank, call.object, call.other_peer, call.other_tag, true);
        break;
      case Awaited::kCollective:
        collective(out, one.rank, {call.object, call.instance, call.operation, call.root});
        break;
      case Awaited::kRequests:
        for_each_request(call, [&](const record::AwaitedRequest& r) { request(out, one.rank, r); });
        if (call.requests > record::PendingCall::kMostRequests) out.unknown = true;
        break;
      default:
        out.unknown = true;
        out.counts = false;
        break;
    }
    return out;
  }

 private:
  // One end of a message, in a call that its rank is in.
  struct End {
    std::int32_t tag = 0;  // negative: any
    std::optional<Nanoseconds> entered;
  };
  using Pair = std::tuple<CommId, Rank, Rank>;  // the rank that is to come, then the own one
  using Ends = std::map<Pair, std::vector<End>>;
  using Instance = std::pair<CommId, std::uint64_t>;
  struct Meeting {
    std::set<Rank> there;
    bool is_known = false;            // the members below
    std::vector<Rank> missing;        // the first ones
    bool unknown = false;             // a member cannot be seen
    std::optional<Nanoseconds> last;  // of those that are there
  };

  template <typename F>
  static void for_each_request(const record::PendingCall& call, F&& f) {
    const std::size_t listed =
        std::min<std::size_t>(call.requests, record::PendingCall::kMostRequests);
    for (std::size_t i = 0; i < listed; ++i) f(call.listed[i]);
  }

  void note(const RankNow& one) {
    const auto& call = one.call;
    switch (call.awaited) {
      case Awaited::kReceive:
        note_end(receives_, one, call.object, call.peer, call.tag);
        break;
      case Awaited::kSend:
        note_end(sends_, one, call.object, call.peer, call.tag);
        break;
      case Awaited::kSendReceive:
        note_end(receives_, one, call.object, call.peer, call.tag);
        note_end(sends_, one, call.object, call.other_peer, call.other_tag);
        break;
      case Awaited::kCollective:
        note_member(one, call.object, call.instance);
        break;
      case Awaited::kRequests:
        for_each_request(call, [&](const record::AwaitedRequest& r) {
          if (r.operation == AwaitedOperation::kSend) {
            note_end(sends_, one, r.comm, r.peer, r.tag);
          } else if (r.operation == AwaitedOperation::kReceive ||
                     r.operation == AwaitedOperation::kSendReceive) {
            note_end(receives_, one, r.comm, r.peer, r.tag);
          } else if (r.operation == AwaitedOperation::kCollective) {
            note_member(one, r.comm, static_cast<std::uint32_t>(r.tag));
          }
        });
        break;
      default:
        break;
    }
  }
  void note_end(Ends& ends, const RankNow& one, std::uint32_t id, std::int32_t peer,
                std::int32_t tag) const {
    const CommId comm = comms_.find(one.rank, id);
    if (comm == kNone) return;
    const Rank partner =
        peer < 0 ? kNone : comms_.world_rank(comm, one.rank, static_cast<Rank>(peer));
    if (peer >= 0 && partner == kNone) return;
    ends[{comm, partner, one.rank}].push_back({tag, one.entered});
  }
  void note_member(const RankNow& one, std::uint32_t id, std::uint64_t instance) {
    const CommId comm = comms_.find(one.rank, id);
    if (comm == kNone || instance == 0) return;
    Meeting& meeting = meetings_[{comm, instance}];
    meeting.there.insert(one.rank);
    if (one.entered) meeting.last = std::max(meeting.last.value_or(INT64_MIN), *one.entered);
  }

  // An end that fits, of a message between two ranks. `tag`: of the own end.
  static const End* fitting(const Ends& ends, const Pair& key, std::int32_t tag) {
    const auto found = ends.find(key);
    if (found == ends.end()) return nullptr;
    for (const End& end : found->second) {
      if (tag < 0 || end.tag < 0 || end.tag == tag) return &end;
    }
    return nullptr;
  }

  void message(Outcome& out, Rank here, std::uint32_t id, std::int32_t peer, std::int32_t tag,
               bool is_send) const {
    const CommId comm = comms_.find(here, id);
    if (comm == kNone) {
      out.unknown = true;
      out.counts = false;
      return;
    }
    if (peer < 0) return any_source(out, here, comm, tag);
    const Rank partner = comms_.world_rank(comm, here, static_cast<Rank>(peer));
    const auto there = ranks_.find(partner);
    if (there == ranks_.end()) out.counts = false;  // left out when it ends
    const auto kind = is_send ? WaitKind::kLateReceiver : WaitKind::kLateSender;
    if (partner == kNone || partner == here) {
      out.unknown = true;
      return;
    }
    // The sender may wait for its nonblocking send now, but it has come when it began the send.
    if (!is_send && tag >= 0) {
      if (const auto sent = sent_at_(comm, partner, here, tag)) return out.comes(sent, kind);
    }
    const Ends& others = is_send ? receives_ : sends_;
    const End* end = fitting(others, {comm, here, partner}, tag);
    if (end == nullptr && is_send) end = fitting(receives_, {comm, kNone, partner}, tag);
    if (end != nullptr) return out.comes(end->entered, kind);
    out.misses(partner, kind);
  }
  void any_source(Outcome& out, Rank here, CommId comm, std::int32_t tag) const {
    for (auto at = sends_.lower_bound({comm, here, 0});
         at != sends_.end() && std::get<0>(at->first) == comm && std::get<1>(at->first) == here;
         ++at) {
      if (const End* end = fitting(sends_, at->first, tag))
        return out.comes(end->entered, WaitKind::kLateSender);
    }
    out.unknown = true;
    if (!out.missing_kind) out.missing_kind = WaitKind::kLateSender;
  }
  void request(Outcome& out, Rank here, const record::AwaitedRequest& r) {
    switch (r.operation) {
      case AwaitedOperation::kReceive:
      case AwaitedOperation::kSendReceive:
        return message(out, here, r.comm, r.peer, r.tag, false);
      case AwaitedOperation::kSend:
        return message(out, here, r.comm, r.peer, r.tag, true);
      case AwaitedOperation::kCollective:
        return collective(out, here,
                          {r.comm, static_cast<std::uint32_t>(r.tag),
                           static_cast<std::uint32_t>(r.peer), record::kRootNone});
      default:
        out.unknown = true;
        return;
    }
  }
  // A collective operation: ids and the root are those of the process.
  struct Meet {
    std::uint32_t comm = 0;
    std::uint64_t instance = 0;
    std::uint32_t operation = 0, root = record::kRootNone;
  };
  void collective(Outcome& out, Rank here, const Meet& meet) {
    const CommId comm = comms_.find(here, meet.comm);
    if (comm == kNone || meet.instance == 0 || !comms_[comm].known) {
      out.unknown = true;
      out.counts = false;
      return;
    }
    if (comm == RunComms::kSelf) return out.comes(std::nullopt, {});
    const Meeting& meeting = met(comm, meet.instance);
    const auto kind = kind_of(here, comm, meet, meeting);
    for (const Rank member : meeting.missing) out.misses(member, kind);
    if (meeting.unknown) out.counts = false;
    if (!meeting.missing.empty()) return;
    if (meeting.unknown) {
      out.unknown = true;
    } else {
      out.comes(meeting.last, kind);
    }
  }
  // In rooted operations ranks wait for the root only, or only the root waits.
  std::optional<WaitKind> kind_of(Rank here, CommId comm, const Meet& meet,
                                  const Meeting& meeting) const {
    using patterns::CollectiveClass;
    if (meet.operation > UINT8_MAX) return {};
    const auto operation = static_cast<std::uint8_t>(meet.operation);
    const Rank root =
        meet.root < comms_[comm].members.size() ? comms_.world_rank(comm, here, meet.root) : kNone;
    switch (patterns::collective_class(operation, true)) {
      case CollectiveClass::kBarrier:
        return WaitKind::kBarrier;
      case CollectiveClass::kNToN:
        return WaitKind::kNxN;
      case CollectiveClass::kOneToN:
        if (root == kNone || root == here || has_come(root, comm, meet.instance, meeting))
          return {};
        return WaitKind::kLateBroadcast;
      case CollectiveClass::kNToOne:
        if (root != here) return {};
        return WaitKind::kEarlyReduce;
      default:
        return {};
    }
  }
  // Nonblocking operations are counted when they begin, blocking ones when they end.
  bool has_come(Rank member, CommId comm, std::uint64_t instance, const Meeting& meeting) const {
    if (meeting.there.contains(member)) return true;
    const auto found = ranks_.find(member);
    if (found == ranks_.end()) return false;
    const auto& operations = found->second->operations;
    const auto own = comms_.id_on(member, comm);
    return own < operations.size() && operations[own] >= instance;
  }
  // Members that are not in an operation of a communicator, and have not left it.
  const Meeting& met(CommId comm, std::uint64_t instance) {
    Meeting& meeting = meetings_[{comm, instance}];
    if (std::exchange(meeting.is_known, true)) return meeting;
    const RunComm& one = comms_[comm];
    for (const auto* side : {&one.members, &one.remote}) {
      for (const Rank member : *side) {
        if (has_come(member, comm, instance, meeting)) continue;
        if (!ranks_.contains(member)) {
          meeting.unknown = true;
          continue;
        }
        if (meeting.missing.size() < kMostNamed) meeting.missing.push_back(member);
      }
    }
    return meeting;
  }

  const RunComms& comms_;
  const SentAt& sent_at_;
  std::unordered_map<Rank, const RankNow*> ranks_;
  Ends sends_, receives_;
  std::map<Instance, Meeting> meetings_;
};

WaitingRank waiting_rank(const RankNow& one, const Outcome& out, std::optional<Nanoseconds> now) {
  WaitingRank waiting;
  waiting.rank = one.rank;
  waiting.one_is_enough = one.one_is_enough;
  const bool is_first = one.one_is_enough && out.came > 0;
  waiting.all_came = is_first || (out.came > 0 && out.missing.empty() && !out.unknown);
  if (!waiting.all_came) waiting.waits_for = {out.missing.begin(), out.missing.end()};
  if (!one.entered || !now) return waiting;
  waiting.since = std::max<Nanoseconds>(0, *now - *one.entered);
  waiting.begin = waiting.end = *one.entered;
  if (!out.counts) return waiting;
  waiting.kind = out.missing_kind ? out.missing_kind : out.came_kind;
  Nanoseconds end = *now;
  if (waiting.all_came) {
    end = is_first ? out.first : out.last;
    if (!out.knows_times) end = waiting.begin;
  }
  waiting.end = std::max(waiting.begin, std::min(end, *now));
  return waiting;
}

std::vector<Circle> circles_of(const std::vector<WaitingRank>& waiting) {
  if (waiting.empty()) return {};
  std::vector<std::vector<Rank>> edges(waiting.back().rank + 1);
  std::vector<bool> included(edges.size());
  std::unordered_map<Rank, Nanoseconds> since;
  for (const WaitingRank& one : waiting) {
    // Another rank than the one in the circle can free a call that waits for any of several.
    if (!one.one_is_enough) edges[one.rank] = one.waits_for;
    included[one.rank] = true;
    since[one.rank] = one.since;
  }
  std::vector<Circle> circles;
  for (auto& component : stuck::strong_components(edges, included)) {
    if (component.size() < 2) continue;
    Circle circle;
    circle.shortest = INT64_MAX;
    for (const Rank rank : component) circle.shortest = std::min(circle.shortest, since[rank]);
    circle.ranks = std::move(component);
    circles.push_back(std::move(circle));
  }
  std::ranges::sort(circles, {}, &Circle::ranks);
  return circles;
}

}  // namespace

WaitingNow who_waits(const RunComms& comms, const std::vector<RankNow>& ranks,
                     std::optional<Nanoseconds> now, const SentAt& sent_at) {
  WaitingNow all;
  all.time = now;
  Joined joined(comms, ranks, sent_at);
  std::map<Rank, LateRank> late;
  for (const RankNow& one : ranks) {
    if (!one.waits) continue;
    const WaitingRank& waiting =
        all.waiting.emplace_back(waiting_rank(one, joined.outcome(one), now));
    for (const Rank other : waiting.waits_for) {
      LateRank& to = late[other];
      to.rank = other;
      ++to.waited_by;
      to.longest = std::max(to.longest, waiting.since);
    }
  }
  all.circles = circles_of(all.waiting);
  for (const Circle& circle : all.circles) {
    for (const Rank rank : circle.ranks) late.erase(rank);
  }
  for (auto& [rank, one] : late) {
    const auto there = std::ranges::lower_bound(ranks, rank, {}, &RankNow::rank);
    if (there == ranks.end() || there->rank != rank) continue;  // it is not watched
    const auto in = std::ranges::lower_bound(all.waiting, rank, {}, &WaitingRank::rank);
    using enum LateRank::Doing;
    if (there->gone) {
      one.doing = kGone;
    } else if (there->ended) {
      one.doing = kEnded;
    } else if (there->waits) {
      one.doing = in->all_came ? kTransfers : kWaits;
    }
    all.late.push_back(one);
  }
  std::ranges::stable_sort(all.late, [](const LateRank& a, const LateRank& b) {
    const bool a_waits = a.doing == LateRank::Doing::kWaits;
    const bool b_waits = b.doing == LateRank::Doing::kWaits;
    return std::pair(!a_waits, a.waited_by) > std::pair(!b_waits, b.waited_by);
  });
  return all;
}

}  // namespace latecomer::watch
