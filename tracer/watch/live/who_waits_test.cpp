// SPDX-License-Identifier: BSD-3-Clause
// The calls of ranks decide who waits for whom.
#include "tracer/watch/live/who_waits.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::watch;
using record::Awaited;
using record::AwaitedOperation;
using Ranks = std::vector<Rank>;

namespace {

constexpr std::uint32_t kWorldId = 0;
constexpr Nanoseconds kNow = 1000;

RunComms world(std::uint32_t size) {
  RunComms comms;
  comms.set_size(size);
  for (Rank rank = 0; rank < size; ++rank) {
    record::Definitions d;
    d.comms.push_back({kWorldId, "world", 0, 0, {}, {}, {}});
    static_cast<void>(comms.add(rank, d));
  }
  return comms;
}

// In no call that waits, after so many collective operations.
RankNow outside(Rank rank, std::uint32_t operations = 0) {
  RankNow one;
  one.rank = rank;
  one.operations = {operations};
  return one;
}
RankNow in_call(Rank rank, Nanoseconds entered, Awaited awaited) {
  RankNow one = outside(rank);
  one.waits = true;
  one.entered = entered;
  one.call.awaited = awaited;
  one.call.object = kWorldId;
  return one;
}
RankNow message(Rank rank, Nanoseconds entered, Awaited awaited, std::int32_t peer,
                std::int32_t tag = 0) {
  RankNow one = in_call(rank, entered, awaited);
  one.call.peer = peer;
  one.call.tag = tag;
  return one;
}
RankNow collective(Rank rank, Nanoseconds entered, std::uint64_t instance) {
  RankNow one = in_call(rank, entered, Awaited::kCollective);
  one.operations = {static_cast<std::uint32_t>(instance) - 1};
  one.call.instance = instance;
  return one;
}
RankNow requests(Rank rank, Nanoseconds entered,
                 const std::vector<std::pair<AwaitedOperation, std::int32_t>>& all) {
  RankNow one = in_call(rank, entered, Awaited::kRequests);
  one.call.requests = static_cast<std::uint32_t>(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    one.call.listed[i] = {all[i].first, kWorldId, all[i].second, 0};
  return one;
}

WaitingNow join(
    const std::vector<RankNow>& ranks, std::uint32_t size = 0,
    const SentAt& sent_at = [](auto...) { return std::nullopt; }) {
  const RunComms comms = world(size == 0 ? static_cast<std::uint32_t>(ranks.size()) : size);
  return who_waits(comms, ranks, kNow, sent_at);
}

Nanoseconds wait_of(const WaitingRank& one) { return one.end - one.begin; }

}  // namespace

TEST_CASE("a partner that exchanges messages has come") {
  // Neighbors exchange messages. Rank 0 entered at 100, rank 1 at 300; rank 2 computes.
  //   rank 0: all have come, at 300: waited 200
  //   rank 1: for rank 2 only, 1000 - 300 = 700
  using enum AwaitedOperation;
  const WaitingNow now =
      join({requests(0, 100, {{kReceive, 1}, {kSend, 1}}),
            requests(1, 300, {{kReceive, 0}, {kReceive, 2}, {kSend, 0}, {kSend, 2}}), outside(2)});
  REQUIRE(now.waiting.size() == 2);
  CHECK(now.waiting[0].all_came);
  CHECK(now.waiting[0].waits_for.empty());
  CHECK(wait_of(now.waiting[0]) == 200);
  CHECK(now.waiting[0].since == 900);
  CHECK_FALSE(now.waiting[1].all_came);
  CHECK(now.waiting[1].waits_for == Ranks{2});
  CHECK(wait_of(now.waiting[1]) == 700);
  REQUIRE(now.late.size() == 1);
  CHECK(now.late[0].rank == 2);
  CHECK(now.late[0].waited_by == 1);
  CHECK(now.late[0].longest == 700);
  CHECK(now.late[0].doing == LateRank::Doing::kOutside);
  CHECK(now.circles.empty());
}

TEST_CASE("ranks that receive from each other wait for each other") {
  // 0 -> 1 -> 2 -> 0, and rank 3 waits for rank 0, which is late in no other way
  const WaitingNow now =
      join({message(0, 100, Awaited::kReceive, 1), message(1, 200, Awaited::kReceive, 2),
            message(2, 400, Awaited::kReceive, 0), message(3, 500, Awaited::kReceive, 0)});
  REQUIRE(now.circles.size() == 1);
  CHECK(now.circles[0].ranks == Ranks{0, 1, 2});
  CHECK(now.circles[0].shortest == 600);
  CHECK(now.late.empty());
  CHECK(wait_of(now.waiting[2]) == 600);
}

TEST_CASE("a message that was sent before has come") {
  // Rank 1 sent at 150 with tag 0, and now receives from rank 0, which entered at 100.
  const SentAt sent_at = [](CommId comm, Rank source, Rank destination, std::int32_t tag) {
    const bool is_it = comm == RunComms::kWorld && source == 1 && destination == 0 && tag == 0;
    return is_it ? std::optional<Nanoseconds>(150) : std::nullopt;
  };
  const WaitingNow now = join(
      {message(0, 100, Awaited::kReceive, 1), message(1, 200, Awaited::kReceive, 0)}, 0, sent_at);
  CHECK(now.waiting[0].all_came);
  CHECK(wait_of(now.waiting[0]) == 50);
  CHECK(now.waiting[1].waits_for == Ranks{0});
  REQUIRE(now.late.size() == 1);
  CHECK(now.late[0].doing == LateRank::Doing::kTransfers);
  CHECK(now.circles.empty());
}

TEST_CASE("a rank that waits for its nonblocking send has come when it began to send") {
  // Rank 1 began to send at 150, and waits for that since 900. Rank 0 receives since 100: it waited
  // 150 - 100.
  const SentAt sent_at = [](CommId, Rank source, Rank, std::int32_t) {
    return source == 1 ? std::optional<Nanoseconds>(150) : std::nullopt;
  };
  const WaitingNow now = join(
      {message(0, 100, Awaited::kReceive, 1), requests(1, 900, {{AwaitedOperation::kSend, 0}})}, 0,
      sent_at);
  CHECK(now.waiting[0].all_came);
  CHECK(wait_of(now.waiting[0]) == 50);
}

TEST_CASE("ends of messages fit if their tags do") {
  const auto waits_for = [](std::int32_t send_tag, std::int32_t receive_tag) {
    return join({message(0, 100, Awaited::kReceive, 1, receive_tag),
                 message(1, 100, Awaited::kSend, 0, send_tag)})
        .waiting[0]
        .waits_for;
  };
  CHECK(waits_for(5, 5).empty());
  CHECK(waits_for(5, -1).empty());
  CHECK(waits_for(5, 6) == Ranks{1});
  // A probe is no receive.
  CHECK(join({message(0, 100, Awaited::kSend, 1), message(1, 100, Awaited::kProbe, 0)})
            .waiting[0]
            .waits_for == Ranks{1});
  CHECK(join({message(0, 100, Awaited::kSend, 1), message(1, 100, Awaited::kReceive, -1)})
            .waiting[0]
            .all_came);
}

TEST_CASE("members that have not come to a collective operation") {
  // Second operation: ranks 0 and 1 are in it, rank 2 has finished the first one only.
  const WaitingNow now = join({collective(0, 100, 2), collective(1, 300, 2), outside(2, 1)});
  CHECK(now.waiting[0].waits_for == Ranks{2});
  CHECK(wait_of(now.waiting[0]) == 900);
  CHECK(wait_of(now.waiting[1]) == 700);
  CHECK(now.late.at(0).waited_by == 2);
  // Rank 2 has come at 600, and left: the others still leave. Of those there, rank 1 came last.
  const WaitingNow then = join({collective(0, 100, 2), collective(1, 300, 2), outside(2, 2)});
  CHECK(then.waiting[0].all_came);
  CHECK(wait_of(then.waiting[0]) == 200);
  CHECK(wait_of(then.waiting[1]) == 0);
  CHECK(then.late.empty());
}

TEST_CASE("a receive from any rank waits for nobody in particular") {
  const WaitingNow now = join({message(0, 100, Awaited::kReceive, -1), outside(1)});
  CHECK(now.waiting[0].waits_for.empty());
  CHECK_FALSE(now.waiting[0].all_came);
  CHECK(wait_of(now.waiting[0]) == 900);
  const WaitingNow then =
      join({message(0, 100, Awaited::kReceive, -1), message(1, 400, Awaited::kSend, 0)});
  CHECK(then.waiting[0].all_came);
  CHECK(wait_of(then.waiting[0]) == 300);
}

TEST_CASE("one of the requests may be enough") {
  // Rank 1 sends, rank 2 computes.
  using enum AwaitedOperation;
  RankNow any = requests(0, 100, {{kReceive, 1}, {kReceive, 2}});
  const RankNow sends = message(1, 300, Awaited::kSend, 0);
  CHECK(join({any, sends, outside(2)}).waiting[0].waits_for == Ranks{2});
  any.one_is_enough = true;
  const WaitingNow now = join({any, sends, outside(2)});
  CHECK(now.waiting[0].all_came);
  CHECK(wait_of(now.waiting[0]) == 200);
  CHECK(now.late.empty());
}

TEST_CASE("a call that any of several ranks can free is in no circle") {
  // Rank 1 waits for rank 0, but rank 2 can free that one, too.
  using enum AwaitedOperation;
  RankNow any = requests(0, 100, {{kReceive, 1}, {kReceive, 2}});
  const RankNow receives = message(1, 300, Awaited::kReceive, 0);
  CHECK(join({any, receives, outside(2)}).circles.size() == 1);
  any.one_is_enough = true;
  CHECK(join({any, receives, outside(2)}).circles.empty());
}

TEST_CASE("a rank that has left MPI is named as such") {
  RankNow gone = outside(1, 3);
  gone.ended = true;
  const WaitingNow now = join({collective(0, 100, 4), gone});
  CHECK(now.waiting[0].waits_for == Ranks{1});
  CHECK(now.late.at(0).doing == LateRank::Doing::kEnded);
}

TEST_CASE("waits that do not count when they end do not count before") {
  // On windows, in probes, and with a rank that is not watched.
  const WaitingNow now =
      join({in_call(0, 100, Awaited::kWindow), message(1, 100, Awaited::kProbe, 0),
            message(2, 100, Awaited::kReceive, 3), collective(4, 100, 1)},
           6);
  for (const WaitingRank& one : now.waiting) {
    CHECK(wait_of(one) == 0);
    CHECK(one.since == 900);
    CHECK_FALSE(one.all_came);
  }
  CHECK(now.waiting[2].waits_for == Ranks{3});
}

TEST_CASE("without a clock the waits have no length") {
  const RunComms comms = world(2);
  const WaitingNow now = who_waits(comms, {message(0, 100, Awaited::kReceive, 1), outside(1)}, {},
                                   [](auto...) { return std::nullopt; });
  CHECK(now.waiting[0].since == -1);
  CHECK(wait_of(now.waiting[0]) == 0);
  CHECK(now.late.at(0).longest == -1);
}

TEST_CASE("words of damaged files name nothing that is not there") {
  RankNow one = requests(0, 100, {{AwaitedOperation::kReceive, 77}});
  one.call.requests = 1U << 30;
  RankNow other = collective(1, 100, 1);
  other.call.object = 99;
  const WaitingNow now = join({one, other});
  CHECK(now.waiting[0].waits_for.empty());
  CHECK_FALSE(now.waiting[0].all_came);
  CHECK_FALSE(now.waiting[1].all_came);
  CHECK(wait_of(now.waiting[1]) == 0);
}
