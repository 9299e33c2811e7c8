// SPDX-License-Identifier: BSD-3-Clause
// Graphs of waiting ranks, and the sentences about them.
#include "tracer/stuck/standstill.hpp"

#include <catch2/catch.hpp>

using namespace latecomer::stuck;

namespace {

std::vector<std::uint32_t> all_but(std::uint32_t rank, std::uint32_t size) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (i != rank) ranks.push_back(i);
  }
  return ranks;
}

ThreadState in(const std::string& call, Need need) {
  ThreadState thread;
  thread.doing = Doing::kWaits;
  thread.call = call;
  thread.place = "a.c:12";
  thread.needs.push_back(std::move(need));
  return thread;
}

ThreadState message(const std::string& call, Need::Kind kind, std::int64_t peer, std::int64_t tag) {
  Need need;
  need.kind = kind;
  need.peer = peer;
  need.tag = tag;
  need.object = "world";
  return in(call, need);
}
ThreadState receive(std::int64_t peer, std::int64_t tag = 5) {
  return message("MPI_Recv", Need::Kind::kReceive, peer, tag);
}
ThreadState send(std::int64_t peer, std::int64_t tag = 5) {
  return message("MPI_Send", Need::Kind::kSend, peer, tag);
}
ThreadState collective(const std::string& call, std::uint64_t instance, std::uint32_t rank,
                       std::uint32_t size) {
  Need need;
  need.kind = Need::Kind::kCollective;
  need.object = "world";
  need.name = "MPI_COMM_WORLD";
  need.instance = instance;
  need.operation = call;
  need.members = all_but(rank, size);
  return in(call, need);
}
ThreadState outside() {
  ThreadState thread;
  thread.call = "MPI_Barrier";
  thread.place = "b.c:1";
  thread.seconds = 40;
  thread.knows_time = true;
  return thread;
}

// A rank per thread.
std::vector<RankState> ranks(const std::vector<ThreadState>& threads) {
  std::vector<RankState> states;
  for (const ThreadState& thread : threads) {
    RankState& rank = states.emplace_back();
    rank.rank = static_cast<std::uint32_t>(states.size() - 1);
    rank.standing = Standing::kThere;
    rank.threads = {thread};
  }
  return states;
}

using Strings = std::vector<std::string>;
Strings texts(const Standstill& found) {
  Strings out;
  for (const Finding& finding : found.findings) out.push_back(finding.text);
  return out;
}

}  // namespace

TEST_CASE("two receives wait for each other") {
  const auto found = find_standstill(ranks({receive(1), receive(0)}));
  CHECK(found.is_deadlock());
  CHECK(found.waits_for == std::vector<std::vector<std::uint32_t>>{{1}, {0}});
  CHECK(texts(found) ==
        Strings{"ranks 0 and 1 wait for each other: both are in MPI_Recv from the other (a.c:12)"});
}

TEST_CASE("a receive and its send are no deadlock, whatever the tag of the receive") {
  for (const std::int64_t tag : {std::int64_t{5}, kAny}) {
    const auto found = find_standstill(ranks({receive(1, tag), send(0)}));
    CHECK_FALSE(found.is_deadlock());
    CHECK(found.findings.empty());
  }
}

TEST_CASE("another tag is a deadlock, and both calls are named") {
  const auto found = find_standstill(ranks({receive(1), send(0, 6)}));
  CHECK(found.is_deadlock());
  CHECK(texts(found).front() ==
        "rank 0 is in MPI_Recv from 1, tag 5 (a.c:12), rank 1 is in MPI_Send to 0, tag 6 (a.c:12): "
        "the tags differ");
}

// 0 -> 1 -> 2 -> 0, and 3 waits for them.
TEST_CASE("a circle is told in its order") {
  const auto found = find_standstill(ranks({send(1), send(2), send(0), receive(1)}));
  CHECK(found.stuck == std::vector<bool>{true, true, true, true});
  CHECK(texts(found) == Strings{"ranks 0-2 wait for each other in a circle: 0 for 1, 1 for 2, 2 "
                                "for 0; all are in MPI_Send (a.c:12)"});
}

TEST_CASE("a rank that computes is waited for, and nothing is stuck") {
  const auto found = find_standstill(ranks(
      {collective("MPI_Allreduce", 7, 0, 3), outside(), collective("MPI_Allreduce", 7, 2, 3)}));
  CHECK_FALSE(found.is_deadlock());
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].kind == Finding::Kind::kComputing);
  CHECK(found.findings[0].text ==
        "rank 1 is in no MPI call for 40.0 s, since MPI_Barrier (b.c:1), ranks 0, 2 wait in "
        "MPI_Allreduce on MPI_COMM_WORLD (a.c:12) for it");
}

TEST_CASE("members that have left an operation are not missed") {
  auto states = ranks({collective("MPI_Bcast", 7, 0, 3), outside(), outside()});
  states[1].operations = {{"world", 7}};
  states[2].operations = {{"world", 6}};
  const auto found = find_standstill(states);
  CHECK(found.waits_for[0] == std::vector<std::uint32_t>{2});
}

TEST_CASE("different operations and different roots are a mismatch") {
  auto states =
      ranks({collective("MPI_Bcast", 7, 0, 3), collective("MPI_Reduce", 7, 1, 3), outside()});
  CHECK(texts(find_standstill(states)).front() ==
        "different calls as operation 7 of MPI_COMM_WORLD: rank 0 is in MPI_Bcast (a.c:12), rank 1 "
        "is in MPI_Reduce (a.c:12)");
  states[1] = ranks({outside(), collective("MPI_Bcast", 7, 1, 3)})[1];
  states[0].threads[0].needs[0].root = 0;
  states[1].threads[0].needs[0].root = 1;
  CHECK(texts(find_standstill(states)).front() ==
        "different calls as operation 7 of MPI_COMM_WORLD: rank 0 is in MPI_Bcast with root 0 "
        "(a.c:12), rank 1 is in MPI_Bcast with root 1 (a.c:12)");
}

TEST_CASE("a rank that has left cannot help, nor can one that waits for it") {
  auto states = ranks({receive(1), outside(), receive(0)});
  states[1].standing = Standing::kFinished;
  const auto found = find_standstill(states);
  CHECK(found.stuck == std::vector<bool>{true, false, true});
  CHECK(texts(found) ==
        Strings{"rank 0 is in MPI_Recv from 1, tag 5 (a.c:12), which has left (MPI_Finalize)"});
}

TEST_CASE("a rank in MPI_Finalize sends nothing more, and is not stuck itself") {
  auto states = ranks({receive(1), collective("MPI_Finalize", 0, 1, 2)});
  states[1].leaves = true;
  const auto found = find_standstill(states);
  CHECK(found.stuck == std::vector<bool>{true, false});
  CHECK(texts(found) ==
        Strings{"rank 0 is in MPI_Recv from 1, tag 5 (a.c:12), which has left (MPI_Finalize)"});
  states = ranks({outside(), collective("MPI_Finalize", 0, 1, 2)});
  states[1].leaves = true;
  CHECK_FALSE(find_standstill(states).is_deadlock());
}

TEST_CASE("a receive from any rank goes on as long as one of them can") {
  ThreadState any = receive(kAny);
  any.needs[0].members = {1, 2};
  auto states = ranks({any, outside(), outside()});
  states[1].standing = Standing::kFinished;
  CHECK_FALSE(find_standstill(states).is_deadlock());
  states[2].standing = Standing::kExited;
  const auto found = find_standstill(states);
  CHECK(found.is_deadlock());
  CHECK(texts(found) == Strings{"rank 0 is in MPI_Recv from any rank, tag 5 (a.c:12), but ranks 1, "
                                "2 have left (MPI_Finalize)"});
}

// Rank 0 waits for 1 and 2. Rank 2 computes, and the message of rank 1 may have come already.
TEST_CASE("several requests are only stuck if none of them can come") {
  ThreadState wait = receive(1);
  wait.needs.push_back(receive(2).needs[0]);
  auto states = ranks({wait, receive(0), outside()});
  CHECK_FALSE(find_standstill(states).is_deadlock());
  states[2] = ranks({outside(), outside(), receive(0)})[2];
  CHECK(find_standstill(states).stuck == std::vector<bool>{true, true, true});
  states[0].threads[0].unlisted = 1;
  CHECK_FALSE(find_standstill(states).is_deadlock());
}

TEST_CASE("a second thread that is in no call keeps its rank alive") {
  auto states = ranks({receive(1), receive(0)});
  states[1].threads.push_back(outside());
  CHECK_FALSE(find_standstill(states).is_deadlock());
}

TEST_CASE("ranks that move or cannot be seen are not stuck") {
  auto states = ranks({receive(1), receive(0)});
  states[1].moved = true;
  CHECK_FALSE(find_standstill(states).is_deadlock());
  states[1].moved = false;
  states[1].standing = Standing::kUnseen;
  const auto found = find_standstill(states);
  CHECK_FALSE(found.is_deadlock());
  CHECK(texts(found) == Strings{"rank 1 cannot be seen from here, rank 0 waits in MPI_Recv from 1, "
                                "tag 5 (a.c:12) for it"});
}

TEST_CASE("peers that no run has are no rank") {
  CHECK_FALSE(find_standstill(ranks({receive(77)})).findings.size() > 1);
}

TEST_CASE("durations") {
  CHECK(duration_text(12.34) == "12.3 s");
  CHECK(duration_text(250) == "4 min 10 s");
  CHECK(duration_text(7500) == "2 h 5 min");
  CHECK(duration_text(-1) == "0.0 s");
}
