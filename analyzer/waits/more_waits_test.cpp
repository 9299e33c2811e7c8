// SPDX-License-Identifier: BSD-3-Clause
// Late receivers, wrong order, rooted and prefix operations, beginning and end of the program. Each
// test is a trace of a few lines with the arithmetic and the exact number.
#include <catch2/catch.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

constexpr const char* kLateReceiver = "mpi_latereceiver";
constexpr const char* kWrongOrder = "mpi_latesender_wo";

}  // namespace

TEST_CASE("Alltoallv and Alltoallw: like Alltoall where everybody sends to everybody") {
  // Begins 3 9 4, ends 10 12 11: waits 9 - 3 = 6, 0, 9 - 4 = 5; completion as for Alltoall.
  for (const char* name : {"MPI_Alltoallv", "MPI_Alltoallw", "MPI_Alltoall"}) {
    auto t = TraceBuilder(3);
    t.collective(name, {{3, 10}, {9, 12}, {4, 11}}, all_positive{});
    const auto report = analyze(t);
    INFO(name);
    CHECK(report.metric("mpi_wait_nxn").at(rank(0)) == 6_s);
    CHECK(report.metric("mpi_wait_nxn").at(rank(1)) == 0_s);
    CHECK(report.metric("mpi_wait_nxn").at(rank(2)) == 5_s);
    auto plain = TraceBuilder(3);
    plain.collective("MPI_Alltoall", {{3, 10}, {9, 12}, {4, 11}});
    const auto expected = analyze(plain);
    for (int r = 0; r < 3; ++r) {
      CHECK(report.metric("mpi_nxn_completion").at(rank(r)) ==
            expected.metric("mpi_nxn_completion").at(rank(r)));
    }
    CHECK(report.metric("mpi_nxn_completion").total() > 0);
    // The compatible rules do not know the attribute.
    const bool base = std::string_view(name) == "MPI_Alltoall";
    CHECK(analyze(t, compatible()).metric("mpi_wait_nxn").total() == (base ? 11_s : 0));
  }
}

TEST_CASE("Alltoallv: nothing is claimed if one process leaves somebody out") {
  // Rank 2 does not record that its counts are positive: it is unknown which rank waits for which.
  auto t = TraceBuilder(3);
  t.collective(0, "MPI_Alltoallv", at(3), leave(10), all_positive{});
  t.collective(1, "MPI_Alltoallv", at(9), leave(10), all_positive{});
  t.collective(2, "MPI_Alltoallv", at(4), leave(10));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_wait_nxn").total() == 0);
  CHECK(report.metric("mpi_nxn_completion").total() == 0);
  CHECK(!report.partial());
}

TEST_CASE("late receiver: a send waits until the receive is posted") {
  // send 1..8, receive posted at 5: 5 - 1 = 4
  auto t = TraceBuilder(2).send(0, at(1), leave(8), to(1)).recv(1, at(5), leave(8), from(0));
  const auto report = analyze(t);
  CHECK(report.metric(kLateReceiver).at(rank(0), path("MPI_Send")) == 4_s);
  CHECK(report.metric(kLateReceiver).total() == 4_s);
  CHECK(report.metric("mpi_clr_count").at(rank(0)) == 1);
  CHECK(report.metric("mpi_slr_count").total() == 0);
}

TEST_CASE("late receiver: the receive is posted by MPI_Irecv, the send completed by a wait") {
  // MPI_Wait 3..9 for the send that was started at 1; MPI_Irecv at 5, MPI_Wait of the receiver at
  // 7: 5 - 3 = 2. MPI_Issend is synchronous, and a zero-byte message counts as a synchronization.
  auto t = TraceBuilder(2)
               .isend(0, at(1), to(1), bytes(0), as("MPI_Issend"), req(1))
               .wait(0, at(3), leave(9), req(1))
               .irecv(1, at(5), from(0), bytes(0), req(1))
               .wait(1, at(7), leave(9), req(1));
  const auto report = analyze(t);
  CHECK(report.metric(kLateReceiver).at(rank(0), path("MPI_Wait")) == 2_s);
  CHECK(report.metric("mpi_slr_count").at(rank(0)) == 1);
}

TEST_CASE("late receiver: a size that was seen to be eager does not block") {
  // 100 bytes return at 2 before they are received at 3: eager. So 50 bytes did not wait, although
  // their send lasted from 4 to 9. 101 bytes did: 16 - 14 = 2.
  auto t = TraceBuilder(2)
               .send(0, at(1), leave(2), to(1), bytes(100))
               .send(0, at(4), leave(9), to(1), bytes(50))
               .send(0, at(14), leave(19), to(1), bytes(101))
               .recv(1, at(3), leave(4), from(0), bytes(100))
               .recv(1, at(6), leave(9), from(0), bytes(50))
               .recv(1, at(16), leave(19), from(0), bytes(101));
  CHECK(analyze(t).metric(kLateReceiver).total() == 2_s);
  // The compatible rules count the send of 50 bytes, too: 6 - 4 more.
  CHECK(analyze(t, compatible()).metric(kLateReceiver).total() == 4_s);
  latecomer::replay::Options told;
  told.eager_limit = 49;
  CHECK(analyze(t, told).metric(kLateReceiver).total() == 4_s);
}

TEST_CASE("late receiver: buffered sends never wait, tests do") {
  // Bsend 1..8; Isend at 9, test 10..18, received at 15: 15 - 10 = 5
  auto t = TraceBuilder(2)
               .send(0, at(1), leave(8), to(1), as("MPI_Bsend"))
               .isend(0, at(9), to(1), req(1))
               .test(0, at(10), leave(18), req(1))
               .recv(1, at(5), leave(8), from(0))
               .recv(1, at(15), leave(18), from(0));
  CHECK(analyze(t).metric(kLateReceiver).total() == 5_s);
  CHECK(analyze(t, compatible()).metric(kLateReceiver).total() == 0);
}

TEST_CASE("late receiver: wait-all counts its longest wait once, behind a late sender") {
  // Rank 0 waits from 2 to 9 for two sends (posted at 5 and 7) and a receive whose send enters at
  // 4: late sender 2, late receiver 7 - 2 - 2 = 3. The compatible rules count the late sender only.
  auto t = TraceBuilder(3)
               .isend(0, at(0), to(1), as("MPI_Issend"), req(1))
               .isend(0, at(0), to(2), as("MPI_Issend"), req(2))
               .irecv(0, at(1), from(1), req(3))
               .waitall(0, at(2), leave(9), req(1), req(2), req(3))
               .send(1, at(4), to(0))
               .recv(1, at(5), leave(9), from(0))
               .recv(2, at(7), leave(9), from(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").total() == 2_s);
  CHECK(report.metric(kLateReceiver).at(rank(0)) == 3_s);
  CHECK(report.metric("mpi_clr_count").total() == 1);
  CHECK(analyze(t, compatible()).metric(kLateReceiver).total() == 0);
}

TEST_CASE("late receiver: sendrecv, which the base leaves out") {
  // Rank 0 sends and receives from 1 to 9. Its message is received at 6; the other message had
  // arrived: 6 - 1 = 5
  auto t = TraceBuilder(2)
               .sendrecv(0, at(1), leave(9), to(1), from(1))
               .send(1, at(0), leave(0.5), to(0), as("MPI_Bsend"))
               .recv(1, at(6), leave(9), from(0));
  CHECK(analyze(t).metric(kLateReceiver).at(rank(0)) == 5_s);
  CHECK(analyze(t, compatible()).metric(kLateReceiver).total() == 0);
}

TEST_CASE("late receiver: grid and who waits for whom") {
  auto t = TraceBuilder(2)
               .metahost(0, "A", {0})
               .metahost(1, "B", {1})
               .send(0, at(1), leave(8), to(1), as("MPI_Ssend"))
               .recv(1, at(5), leave(8), from(0));
  const auto report = analyze(t);
  CHECK(report.metric("grid_latereceiver").total() == 4_s);
  CHECK(report.metric("metahost_pairs_latereceiver_0_1").at(rank(0)) == 4_s);
}

TEST_CASE("wrong order: the wait for a message while an older one is on its way") {
  // Rank 0 waits 1..6 for the message that rank 1 sends at 5 (4), then receives the one that rank 2
  // sent at 2. Then it waits 7..10 for rank 1 (sent at 9: 2) and receives what rank 1 sent at 8.
  auto t = TraceBuilder(3)
               .recv(0, at(1), leave(6), from(1), tag(1))
               .recv(0, at(6), leave(6.5), from(2))
               .recv(0, at(7), leave(10), from(1), tag(3))
               .recv(0, at(11), leave(12), from(1), tag(2))
               .send(1, at(5), to(0), tag(1))
               .send(1, at(8), to(0), tag(2))
               .send(1, at(9), to(0), tag(3))
               .send(2, at(2), to(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").total() == 6_s);
  CHECK(report.metric(kWrongOrder).total() == 6_s);
  CHECK(report.metric("mpi_lswo_different").total() == 4_s);
  CHECK(report.metric("mpi_lswo_same").total() == 2_s);
  CHECK(report.metric("mpi_clswo_count").total() == 2);
}

TEST_CASE("wrong order: without limit here, the last 100 late senders in the base") {
  // 150 messages with waits of 1, in order; then one that was sent before all of them.
  auto t = TraceBuilder(3);
  for (int i = 0; i < 150; ++i) {
    const double begin = 10 + 3 * i;
    t.recv(0, at(begin), leave(begin + 2), from(1)).send(1, at(begin + 1), to(0));
  }
  t.send(2, at(5), to(0)).recv(0, at(1000), leave(1001), from(2));
  CHECK(analyze(t).metric(kWrongOrder).total() == 150_s);
  CHECK(analyze(t, compatible()).metric(kWrongOrder).total() == 100_s);
}

TEST_CASE("early reduce: the root waits for the first contribution") {
  // begins: root 2, others 7 and 5: min(7, 5) - 2 = 3
  auto t = TraceBuilder(3);
  t.collective("MPI_Reduce", {{2, 9}, {7, 8}, {5, 6}}, root(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_earlyreduce").at(rank(0)) == 3_s);
  CHECK(report.metric("mpi_earlyreduce").total() == 3_s);
}

TEST_CASE("late contributor: then the root waits for the last contribution") {
  // begins: root 2, others 7 and 5: 7 - 5 = 2
  auto t = TraceBuilder(3).metahost(0, "A", {0, 2}).metahost(1, "B", {1});
  t.collective("MPI_Reduce", {{2, 9}, {7, 8}, {5, 6}}, root(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_late_contributor").at(rank(0)) == 2_s);
  CHECK(report.metric("mpi_late_contributor").total() == 2_s);
  CHECK(report.metric("mpi_collective").at(rank(0)) == 7_s);  // with its parts
  CHECK(report.metric("metahost_pairs_late_contributor_0_1").total() == 2_s);
  const auto& found = report.extras()["statistics"]["mpi_late_contributor"];
  CHECK(found["count"] == 1);
  CHECK(found["worst"][0]["cause_rank"] == 1);
  // Scalasca knows Early Reduce only.
  const auto base = analyze(t, compatible());
  CHECK(base.metric("mpi_late_contributor").total() == 0);
  CHECK(base.metric("mpi_earlyreduce").total() == 3_s);
}

TEST_CASE("late contributor: a root that comes later waits from then on, or not at all") {
  for (const auto& [begin, wait] : {std::pair(6.0, 1_s), {7.0, 0_s}, {8.0, 0_s}}) {
    auto t = TraceBuilder(3);
    t.collective("MPI_Gather", {{begin, 9}, {7, 8}, {5, 6}}, root(0));
    const auto report = analyze(t);
    CHECK(report.metric("mpi_late_contributor").total() == wait);
    CHECK(report.metric("mpi_earlyreduce").total() == 0);
  }
}

TEST_CASE("early reduce: who contributes nothing is not waited for; a root that gets nothing") {
  auto t = TraceBuilder(3);
  t.collective(0, "MPI_Gatherv", at(2), leave(9), root(0), sent(0), received(8));
  t.collective(1, "MPI_Gatherv", at(3), leave(4), root(0), sent(0), received(0));
  t.collective(2, "MPI_Gatherv", at(6), leave(7), root(0), sent(8), received(0));
  t.collective(0, "MPI_Gatherv", at(12), leave(19), root(0), sent(0), received(0));
  t.collective(1, "MPI_Gatherv", at(13), leave(14), root(0), sent(0), received(0));
  t.collective(2, "MPI_Gatherv", at(16), leave(17), root(0), sent(0), received(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_earlyreduce").total() == 4_s);  // 6 - 2; 0 for the second one
  CHECK(report.metric("mpi_late_contributor").total() == 0);
}

TEST_CASE("late broadcast: everybody but the root waits for the root") {
  // begins: root 8, others 3 and 9: 5 and 0
  auto t = TraceBuilder(3);
  t.collective("MPI_Bcast", {{3, 11}, {8, 10}, {9, 12}}, root(1));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latebroadcast").at(rank(0)) == 5_s);
  CHECK(report.metric("mpi_latebroadcast").total() == 5_s);
}

TEST_CASE("early scan: everybody waits for the lower ranks") {
  // begins 4 2 6 1: latest so far 4 4 6 6: waits 0 2 0 5
  for (const char* function : {"MPI_Scan", "MPI_Exscan"}) {
    auto t = TraceBuilder(4);
    t.collective(function, {{4, 7}, {2, 7}, {6, 7}, {1, 7}});
    const auto report = analyze(t);
    CHECK(report.metric("mpi_earlyscan").at(rank(1)) == 2_s);
    CHECK(report.metric("mpi_earlyscan").at(rank(3)) == 5_s);
    CHECK(report.metric("mpi_earlyscan").total() == 7_s);
  }
}

TEST_CASE("early scan: the order is that of the communicator; grid pairs name the lower rank") {
  // Communicator of ranks 2, 0, 1: begins 3 (rank 2), 1 (rank 0), 5 (rank 1). Rank 0 waits 2 for
  // rank 2 of metahost B.
  auto t = TraceBuilder(3).metahost(0, "A", {0, 1}).metahost(1, "B", {2});
  const auto comm = t.communicator({2, 0, 1});
  t.collective("MPI_Scan", {{3, 7}, {1, 7}, {5, 7}}, on(comm));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_earlyscan").at(rank(0)) == 2_s);
  CHECK(report.metric("mpi_earlyscan").total() == 2_s);
  CHECK(report.metric("metahost_pairs_earlyscan_0_1").total() == 2_s);
}

TEST_CASE("completion of barriers and N x N operations") {
  // begin 3 9 4, end 10 12 11: after max(9, 10): 0 2 1
  auto t = TraceBuilder(3).metahost(0, "A", {0}).metahost(1, "B", {1, 2});
  t.collective("MPI_Barrier", {{3, 10}, {9, 12}, {4, 11}});
  t.collective("MPI_Allreduce", {{23, 30}, {29, 32}, {24, 31}});
  const auto report = analyze(t);
  for (const char* metric : {"mpi_barrier_completion", "mpi_nxn_completion",
                             "grid_barrier_completion", "grid_nxn_completion"}) {
    INFO(metric);
    CHECK(report.metric(metric).at(rank(1)) == 2_s);
    CHECK(report.metric(metric).total() == 3_s);
  }
  CHECK_FALSE(report.has_metric("metahost_pairs_barrier_completion"));
}

TEST_CASE("N x N completion: only among those that send and receive") {
  // Rank 0 receives nothing and leaves at 6; the others end at 10 and 12: 12 - max(5, 10) = 2
  auto t = TraceBuilder(3);
  t.collective(0, "MPI_Allgatherv", at(1), leave(6), sent(8), received(0));
  t.collective(1, "MPI_Allgatherv", at(5), leave(10), sent(8), received(8));
  t.collective(2, "MPI_Allgatherv", at(2), leave(12), sent(8), received(8));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_nxn_completion").at(rank(2)) == 2_s);
  CHECK(report.metric("mpi_nxn_completion").total() == 2_s);
}

TEST_CASE("init completion and wait at finalize") {
  // init: enter 0 4 1, leave 7 6 9: after max(4, 6): 1 0 3.   finalize: enter 13 19 14: 6 0 5
  auto t = TraceBuilder(3).metahost(0, "A", {0, 2}).metahost(1, "B", {1});
  t.init({{0, 7}, {4, 6}, {1, 9}}).finalize({{13, 20}, {19, 20}, {14, 20}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_init_completion").at(rank(0)) == 1_s);
  CHECK(report.metric("mpi_init_completion").at(rank(2)) == 3_s);
  CHECK(report.metric("mpi_init_completion").total() == 4_s);
  CHECK(report.metric("mpi_finalize_wait").at(rank(2)) == 5_s);
  CHECK(report.metric("mpi_finalize_wait").total() == 11_s);
  CHECK(report.metric("metahost_pairs_finalize_wait_0_1").total() == 11_s);
  CHECK(report.metric("grid_init_completion").total() == 4_s);
  CHECK(report.metric("grid_init_exit").total() == 17_s + 14_s);  // 7 + 2 + 8, 7 + 1 + 6
}

TEST_CASE("computational imbalance: by call path, exclusive, over all processes") {
  // solve: 9, 3, none: average 4. The call inside it is no computation. main: 1, 7, 10 of its own:
  // average 6.
  TraceBuilder t(3);
  t.enter(0, "main", at(0)).enter(0, "solve", at(1)).call(0, "MPI_Wtime", at(4), leave(6));
  t.leave(0, at(12)).leave(0, at(12));
  t.enter(1, "main", at(0)).enter(1, "solve", at(7)).leave(1, at(10)).leave(1, at(10));
  t.enter(2, "main", at(0)).leave(2, at(10));
  const auto report = analyze(t);
  CHECK(report.metric("imbalance_above").at(rank(0), path("solve")) == 5_s);
  CHECK(report.metric("imbalance_below").at(rank(1), path("solve")) == 1_s);
  CHECK(report.metric("imbalance_below").at(rank(2), path("solve")) == 4_s);
  CHECK(report.metric("imbalance_below_bypass").total() == 4_s);
  CHECK(report.metric("imbalance_below_singularity").total() == 0);
  CHECK(report.metric("imbalance_above_single").total() == 0);
  CHECK(report.metric("imbalance_below").at(rank(0), path("program/main")) == 5_s);
  CHECK(report.metric("imbalance_above").at(rank(2), path("program/main")) == 4_s);
  CHECK(report.metric("imbalance").total() == 10_s + 5_s + 1_s + 4_s);
  CHECK(report.metric("imbalance").at(path("MPI_Wtime")) == 0);
}

TEST_CASE("computational imbalance: a part that just one process executes") {
  // 6 on one of three: average 2; overload 4, the other two 2 each.
  TraceBuilder t(3);
  t.enter(0, "serial", at(0)).leave(0, at(6));
  t.enter(1, "other", at(0)).leave(1, at(0));
  t.enter(2, "other", at(0)).leave(2, at(0));
  const auto report = analyze(t);
  CHECK(report.metric("imbalance_above_single").at(rank(0), path("serial")) == 4_s);
  CHECK(report.metric("imbalance_below_singularity").at(rank(2), path("serial")) == 2_s);
  CHECK(report.metric("imbalance").total() == 8_s);
}

TEST_CASE("partitioned messages: the last partition is the send") {
  // Rank 1 starts to receive at 0 and waits 1..5 for the last MPI_Pready of rank 0 at 4: 3. Rank 0
  // waits 6..12 for a receive that is started at 10: 4.
  TraceBuilder t(2);
  t.isend(0, at(4), to(1), as("MPI_Pready"), bytes(1'000'000), req(1));
  t.wait(0, at(4.5), leave(4.6), req(1));
  t.isend(0, at(5), to(1), tag(1), as("MPI_Pready_range"), bytes(2'000'000), req(2));
  t.wait(0, at(6), leave(12), req(2));
  t.irecv(1, at(0), from(0), as("MPI_Start"), req(1)).wait(1, at(1), leave(5), req(1));
  t.irecv(1, at(10), from(0), tag(1), as("MPI_Start"), req(2)).wait(1, at(11), leave(12), req(2));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(rank(1), path("MPI_Wait")) == 3_s);
  CHECK(report.metric(kLateReceiver).at(rank(0), path("MPI_Wait")) == 4_s);
}
