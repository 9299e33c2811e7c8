// SPDX-License-Identifier: BSD-3-Clause
// POP efficiencies: traces of a few lines, the arithmetic, the exact numbers.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replay/thread_words.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

// The run lasts from 0 to 13; MPI starts in 0..1 and ends in 12..13: 11 are left. Useful time of 0:
// 4 + 4 = 8, of 1: 2 + 5 = 7; 7.5 on average.
//   0   init 0..1   work 1..5   send 5..6   6..10    finalize 10..13
//   1   init 0..1   work 1..3   recv 3..7   7..12    finalize 12..13
TraceBuilder two() {
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .enter(0, "work", at(1))
      .leave(0, at(5))
      .send(0, at(5), leave(6), to(1))
      .enter(1, "work", at(1))
      .leave(1, at(3))
      .recv(1, at(3), leave(7), from(0))
      .finalize({{10, 13}, {12, 13}});
  return t;
}

}  // namespace

TEST_CASE("efficiency: products of what the trace lost") {
  const auto efficiency = analyze(two()).extras()["efficiency"];
  CHECK(efficiency["run_time"].get<double>() == 11);
  CHECK(efficiency["useful"]["mean"].get<double>() == 7.5);
  CHECK(efficiency["useful"]["largest"].get<double>() == 8);
  CHECK(efficiency["useful"]["rank"] == 0);
  CHECK(efficiency["parallel"].get<double>() == 7.5 / 11);
  CHECK(efficiency["load_balance"].get<double>() == 7.5 / 8);
  CHECK(efficiency["communication"].get<double>() == 8.0 / 11);
  // On an ideal network 0 sends at 4, after its work, and ends at 4 + 4 = 8; 1 has worked at 2,
  // waits for the message until 4, and ends at 4 + 5 = 9.
  CHECK(efficiency["ideal_run_time"].get<double>() == 9);
  CHECK(efficiency["serialization"].get<double>() == 8.0 / 9);
  CHECK(efficiency["transfer"].get<double>() == 9.0 / 11);
  CHECK(efficiency["metahosts"].empty());
}

TEST_CASE("efficiency: what comes before MPI_Init is part of the ideal run") {
  // One process: setup 0..4, init 4..5, finalize 8..10. Useful 4 + 3 = 7 of 10 - 1 - 2 = 7, and no
  // network makes it shorter than that.
  auto t = TraceBuilder(1);
  t.enter(0, "setup", at(0)).leave(0, at(4)).init({{4, 5}}).finalize({{8, 10}});
  const auto efficiency = analyze(t).extras()["efficiency"];
  CHECK(efficiency["parallel"].get<double>() == 1);
  CHECK(efficiency["load_balance"].get<double>() == 1);
  CHECK(efficiency["ideal_run_time"].get<double>() == 7);
  CHECK(efficiency["serialization"].get<double>() == 1);
  CHECK(efficiency["transfer"].get<double>() == 1);
}

TEST_CASE("efficiency: a flush of the trace that ends behind a call is time outside of MPI") {
  // Rank 0: work 1..3, flush 3..8. The send 5..6 lies within the flush: it took no time of its own.
  // Until the send 5 - 1 = 4, then up to 10 all but that: 4 + 5 = 9. Rank 1 ends at 4 + 1 = 5.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .enter(0, "work", at(1))
      .leave(0, at(3))
      .flush(0, at(3), 8)
      .send(0, at(5), leave(6), to(1))
      .recv(1, at(3), leave(7), from(0))
      .finalize({{10, 13}, {8, 13}});
  const auto efficiency = analyze(t).extras()["efficiency"];
  CHECK(efficiency["ideal_run_time"].get<double>() == 9);
}

TEST_CASE("efficiency: the ideal run is another one than the critical path") {
  // Messages take 4. In the recorded run no process waits: 1 comes to its receives at 8 and 13,
  // long after the messages were sent. The critical path is 1 alone: 1 + 7 + 1 + 1 = 10 outside of
  // MPI.
  //   0   init 0..1   work 1..7   send 7..8   work 8..13   send 13..14  finalize 14
  //   1   init 0..1   work 1..8   recv 8..12  12..13       recv 13..17  17..18 finalize
  // Without transfers 0 sends at 0 + 6 = 6 and 6 + 5 = 11, and ends at 11. 1 comes at 7 to the
  // first message, which has arrived, then at 8 to the second one. It waits for that until 11; then
  // 1: 12.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .send(0, at(7), leave(8), to(1))
      .send(0, at(13), leave(14), to(1))
      .recv(1, at(8), leave(12), from(0))
      .recv(1, at(13), leave(17), from(0))
      .finalize({{14, 18}, {18, 18}});
  const auto efficiency = analyze(t).extras()["efficiency"];
  CHECK(efficiency["ideal_run_time"].get<double>() == 12);
  // The run time is 18 - 1; the largest useful time is that of 0: 6 + 5 = 11.
  CHECK(efficiency["serialization"].get<double>() == 11.0 / 12);
  CHECK(efficiency["transfer"].get<double>() == 12.0 / 17);
}

TEST_CASE("efficiency: synchronous sends wait for their receives on an ideal network, too") {
  // 0 comes to its send at 2 - 1 = 1, 1 to its receive at 5 - 1 = 4; then 3 and 1 more.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .send(0, at(2), leave(7), to(1), as("MPI_Ssend"))
      .recv(1, at(5), leave(7), from(0))
      .finalize({{10, 10}, {8, 10}});
  CHECK(analyze(t).extras()["efficiency"]["ideal_run_time"].get<double>() == 4 + 3);
}

TEST_CASE("efficiency: a send that ended before its receive was posted waits for it nowhere") {
  // A send that MPI_Start starts may have any mode, so the trace shows no eager limit. But this
  // send was over at 3, and the receive was posted at 5. 0: 2 + 1 + 4; if it waited for the
  // receive, it would be 9.
  auto t = TraceBuilder(2);
  t.init({{0, 0}, {0, 0}})
      .send_init(0, at(1), to(1), req(1))
      .start(0, at(2), req(1))
      .wait(0, at(3), req(1))
      .recv(1, at(5), leave(6), from(0))
      .finalize({{7, 7}, {6, 7}});
  const auto efficiency = analyze(t).extras()["efficiency"];
  CHECK(efficiency["ideal_run_time"].get<double>() == 7);
  CHECK_FALSE(efficiency.contains("contradictions"));
}

TEST_CASE("efficiency: messages that need each other do not stop the replay") {
  // Both ranks first receive what the other one sends afterwards. One of the needs is left out.
  auto t = TraceBuilder(2);
  t.init({{0, 0}, {0, 0}});
  for (const int r : {0, 1}) t.recv(r, at(1), leave(2), from(1 - r)).send(r, at(3), to(1 - r));
  t.finalize({{9, 9}, {9, 9}});
  const auto efficiency = analyze(t).extras()["efficiency"];
  CHECK(efficiency["contradictions"] == 1);
  CHECK(efficiency["transfer"] <= 1);
}

TEST_CASE("efficiency: MPI_Sendrecv shows what is eager, as MPI_Send does") {
  // The send in MPI_Sendrecv of 0 is over at 3, before 1 posts its receive at 5. So the later send
  // of the same size does not wait for its receiver: 0 ends at 2 + 3 + 3 = 8, 1 at 1 + 4 + 7 = 12.
  // If it waited, 0 would end at 12 + 3.
  auto t = TraceBuilder(2);
  t.init({{0, 0}, {0, 0}})
      .send(1, at(1), leave(1), to(0), bytes(8))
      .sendrecv(0, at(2), leave(3), to(1), from(1), bytes(8))
      .recv(1, at(5), leave(5), from(0), bytes(8))
      .send(0, at(6), leave(12), to(1), bytes(8))
      .recv(1, at(12), leave(12), from(0), bytes(8))
      .finalize({{15, 15}, {12, 15}});
  CHECK(analyze(t).extras()["efficiency"]["ideal_run_time"].get<double>() == 12);
}

TEST_CASE("efficiency: collective operations on an ideal network") {
  // Work before the operation: 1, 5, 2; after it: 1, 1, 6. MPI_Init takes 0.
  const auto ideal = [](const char* function) {
    auto t = TraceBuilder(3);
    t.init({{0, 0}, {0, 0}, {0, 0}})
        .collective(function, {{1, 9}, {5, 9}, {2, 9}}, root(0), bytes(8))
        .finalize({{10, 15}, {10, 15}, {15, 15}});
    return analyze(t).extras()["efficiency"]["ideal_run_time"].get<double>();
  };
  CHECK(ideal("MPI_Barrier") == 5 + 6);  // 2 waits for 1
  CHECK(ideal("MPI_Allreduce") == 5 + 6);
  CHECK(ideal("MPI_Bcast") == 2 + 6);   // 2 waits for 0, which has entered
  CHECK(ideal("MPI_Reduce") == 2 + 6);  // only 0 waits: 5 + 1
  CHECK(ideal("MPI_Scan") == 5 + 6);    // 2 waits for 0 and 1
}

TEST_CASE("efficiency: phases of the program") {
  // main consists of setup 0..2 and solve; solve: work, and a barrier.
  //   0   setup 0..2   solve 2..13: barrier 4..12
  //   1   setup 0..2   solve 2..13: barrier 8..12
  auto t = TraceBuilder(2);
  t.init({{0, 0}, {0, 0}}).enter_all("main", at(0)).enter_all("setup", at(0)).leave_all(at(2));
  t.enter_all("solve", at(2)).collective("MPI_Barrier", {{4, 12}, {8, 12}}).leave_all(at(13));
  t.leave_all(at(13)).finalize({{13, 13}, {13, 13}});
  const auto phases = analyze(t).extras()["efficiency"]["phases"];
  REQUIRE(phases.size() == 2);
  CHECK(phases[0]["name"] == "setup");
  CHECK(phases[0]["run_time"].get<double>() == 2);
  CHECK(phases[0]["parallel"].get<double>() == 1);
  CHECK(phases[0]["transfer"].get<double>() == 1);
  // solve takes 11; useful are 2 + 1 and 6 + 1. Without transfers 0 waits 4: 3 + 4 = 7, 1 has 7.
  CHECK(phases[1]["name"] == "solve");
  CHECK(phases[1]["run_time"].get<double>() == 11);
  CHECK(phases[1]["parallel"].get<double>() == 5.0 / 11);
  CHECK(phases[1]["load_balance"].get<double>() == 5.0 / 7);
  CHECK(phases[1]["communication"].get<double>() == 7.0 / 11);
  CHECK(phases[1]["ideal_run_time"].get<double>() == 7);
  CHECK(phases[1]["serialization"].get<double>() == 1);
  CHECK(phases[1]["transfer"].get<double>() == 7.0 / 11);
  // In such a trace it is unknown what a function does before its first MPI call.
  t.property("LATECOMER::CALL_PATHS_FROM_STACKS", "true");
  CHECK(analyze(t).extras()["efficiency"]["phases"].empty());
}

TEST_CASE("efficiency: a program of one part has no phases") {
  CHECK(analyze(two()).extras()["efficiency"]["phases"].empty());
}

TEST_CASE("efficiency: threads begin where their process is") {
  // Thread 1 begins at 6, after the receive of thread 0 that ended at 5, and sends itself at 8.
  //   0    init 0..0   work   send 4..5   8 finalize 9
  //   1    init 0..0   recv 0..5   work 5..7   recv 7..9   finalize 9
  //   1:1                       6..8  send 8..9
  auto t = TraceBuilder(2);
  t.init({{0, 0}, {0, 0}})
      .send(0, at(4), leave(5), to(1))
      .recv(1, at(0), leave(5), from(0))
      .enter(Place(1, 1), "worker", at(6))
      .send(Place(1, 1), at(8), leave(9), to(1), tag(7))
      .leave(Place(1, 1), at(9))
      .recv(1, at(7), leave(9), from(1), tag(7))
      .finalize({{9, 9}, {9, 9}});
  // 1 receives at 4. Its thread begins at 4 + (6 - 5) = 5 and sends at 7. Thread 0 comes at 6 and
  // waits until 7. 0: 4 + 4 = 8.
  CHECK(analyze(t).extras()["efficiency"]["ideal_run_time"].get<double>() == 8);
}

TEST_CASE("efficiency: a product of those of processes and of their threads") {
  // A run of 20 s. Rank 0 has a team of two in 6..16, whose thread 0 comes to the barrier at 14.
  //   0     work 0..6    team: work 6..14, barrier 14..16   send 16..18   work 18..20
  //   0:1   idle 0..6    team: work 6..16                   idle 16..20
  //   1     work 0..14   recv 14..18   work 18..20
  auto t = TraceBuilder(2);
  t.init({{0, 0}, {0, 0}});
  fork(t, 0, 6);
  for (const std::uint32_t thread : {0U, 1U}) {
    const auto who = thread_of(0, thread);
    begin(t, who, 6);
    t.enter(who, kParallel, at(6));
    visit(t, who, kEnd, thread == 0 ? 14 : 16, 16);
    t.leave(who, kParallel, at(16));
    end(t, who, 16);
  }
  join(t, 0, 16);
  t.send(0, at(16), leave(18), to(1))
      .recv(1, at(14), leave(18), from(0))
      .finalize({{20, 20}, {20, 20}});
  const auto efficiency = analyze(t).extras()["efficiency"];
  // Useful: 6 + 8 + 2 = 16, 10, and 14 + 2 = 16 s, 42 in all.
  CHECK(efficiency["parallel"].get<double>() == Approx(42.0 / 60));
  // Rank 0 is outside MPI for 18 s, which count for both threads, and rank 1 for 16: 52 in all.
  const auto& processes = efficiency["processes"];
  CHECK(processes["parallel"].get<double>() == Approx(52.0 / 60));
  CHECK(processes["load_balance"].get<double>() == Approx(52.0 / (3 * 18)));
  CHECK(processes["communication"].get<double>() == Approx(18.0 / 20));
  // The busiest thread of each process worked for 16 s: 48 in all.
  const auto& threads = efficiency["threads"];
  CHECK(threads["parallel"].get<double>() == Approx(42.0 / 52));
  CHECK(threads["load_balance"].get<double>() == Approx(42.0 / 48));
  CHECK(threads["synchronization"].get<double>() == Approx(48.0 / 52));
  // Processes of one thread have no such parts.
  CHECK_FALSE(analyze(two()).extras()["efficiency"].contains("threads"));
}

TEST_CASE("efficiency: without MPI_Init of everybody there is no ideal run") {
  auto t = TraceBuilder(2).send(0, at(1), leave(2), to(1)).recv(1, at(0), leave(4), from(0));
  const auto efficiency = analyze(t).extras()["efficiency"];
  CHECK(efficiency["run_time"].get<double>() == 4);
  CHECK(efficiency["serialization"].is_null());
  CHECK(efficiency["transfer"].is_null());
}

TEST_CASE("efficiency: metahosts have their own") {
  auto t = two();
  t.metahost(0, "fast", {0}).metahost(1, "slow", {1});
  const auto efficiency = analyze(t).extras()["efficiency"];
  REQUIRE(efficiency["metahosts"].size() == 2);
  CHECK(efficiency["metahosts"][0]["name"] == "fast");
  CHECK(efficiency["metahosts"][0]["parallel"].get<double>() == 8.0 / 11);
  CHECK(efficiency["metahosts"][1]["parallel"].get<double>() == 7.0 / 11);
  CHECK(efficiency["metahosts"][1]["load_balance"].get<double>() == 1);
}
