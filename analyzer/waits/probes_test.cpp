// SPDX-License-Identifier: BSD-3-Clause
// Waiting in probes: traces of a few lines, the arithmetic, the exact numbers.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

namespace {

const path kProbe("MPI_Probe"), kIprobe("MPI_Iprobe");

// MPI_Mprobe and MPI_Improbe as Latecomer records them: the receive is posted where the message is
// matched.
void matched_probe(TraceBuilder& t, std::string_view name, double enter, double exit) {
  t.irecv(0, as(name), at(enter), leave(exit), from(1), req(1));
}

// 0 works until 11, 1 probes for a message and then receives it, 2 waits for 1:
//   0   init 0..1   work 1..11     send 11..12
//   1   init 0..1   probes 2..12   recv 12..13   send 13..14
//   2   init 0..1   recv 2..15
enum class Way { kRecv, kProbe, kIprobe };
TraceBuilder chain(Way way) {
  TraceBuilder t(3);
  t.init({{0, 1}, {0, 1}, {0, 1}});
  t.enter(0, "work", at(1)).leave(0, at(11)).send(0, at(11), leave(12), to(1));
  if (way == Way::kProbe) t.call(1, "MPI_Probe", at(2), leave(12));
  if (way == Way::kIprobe) {
    t.call(1, "MPI_Iprobe", at(2), leave(11.5), standing_for(19, 9.5));
    t.call(1, "MPI_Iprobe", at(11.5), leave(12));
  }
  t.recv(1, at(way == Way::kRecv ? 2 : 12), leave(13), from(0));
  t.send(1, at(13), leave(14), to(2)).recv(2, at(2), leave(15), from(1));
  t.finalize({{20, 20}, {20, 20}, {20, 20}});
  return t;
}

}  // namespace

TEST_CASE("probes: a probe waits for the send of the message that is received next") {
  // Probe 1..6, the send enters at 5: 4. The receive that follows has nothing to wait for.
  TraceBuilder t(2);
  t.call(0, "MPI_Probe", at(1), leave(6)).recv(0, at(6.5), leave(7), from(1));
  t.send(1, at(5), to(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(rank(0), kProbe) == 4_s);
  CHECK(report.metric("mpi_latesender").total() == 4_s);
  CHECK(report.metric("mpi_point2point").at(rank(0), kProbe) == 5_s);
  // Messages are counted where they are received.
  CHECK(report.metric("mpi_cls_count").at(rank(0), path("MPI_Recv")) == 1);
  CHECK(report.metric("mpi_cls_count").total() == 1);
  CHECK_FALSE(report.has_metric("polling"));
  const auto& statistics = report.extras()["statistics"]["mpi_latesender"];
  CHECK(statistics["count"] == 1);
  CHECK(statistics["worst"][0]["seconds"] == 4);
  CHECK(statistics["worst"][0]["enter"] == 0);  // since the first event
  CHECK(statistics["worst"][0]["exit"] == 5);
  // The compatible rules have no waiting in probes.
  CHECK(analyze(t, compatible()).metric("mpi_latesender").total() == 0);
}

TEST_CASE("probes: no waiting where the message does not prove any") {
  const auto waited = [](double send, double receive, std::string_view as_name) {
    TraceBuilder t(2);
    t.call(0, "MPI_Probe", at(2), leave(6));
    t.recv(0, as(as_name), at(receive), leave(20), from(1)).send(1, at(send), to(0));
    return analyze(t).metric("mpi_latesender").at(kProbe);
  };
  CHECK(waited(5, 7, "MPI_Recv") == 3_s);
  CHECK(waited(6, 7, "MPI_Recv") == 4_s);      // the last moment at which this message can end it
  CHECK(waited(6.5, 7, "MPI_Recv") == 0);      // the probe ended earlier: another message was there
  CHECK(waited(1, 7, "MPI_Recv") == 0);        // the message was sent before the probe
  CHECK(waited(9, 7, "MPI_Recv") == 0);        // the message was sent after the receive was posted
  CHECK(waited(5, 7, "MPI_Sendrecv") == 3_s);  // any function that receives
  CHECK(waited(5, 7, "MPI_Mrecv") == 0);       // a message that another kind of probe found
}

TEST_CASE("probes: what a receive has taken is not taken again") {
  // Both sends enter during the first probe. Only the first receive can be the one that was probed
  // for. The second probe 8..9 found what had been sent before.
  TraceBuilder t(2);
  t.call(0, "MPI_Probe", at(1), leave(5));
  t.recv(0, at(5), leave(6), from(1), tag(1)).recv(0, at(6), leave(7), from(1), tag(2));
  t.call(0, "MPI_Probe", at(8), leave(9)).recv(0, at(9), leave(10), from(1), tag(3));
  t.send(1, at(3), to(0), tag(1)).send(1, at(4), to(0), tag(2)).send(1, at(4.5), to(0), tag(3));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").total() == 2_s);
  CHECK(report.metric("mpi_cls_count").total() == 1);
}

TEST_CASE("probes: a receive that is posted before its message is there leaves the probe alone") {
  // While the probe waits for tag 2 (until 5) another receive is posted, whose send enters at 9.
  TraceBuilder t(2);
  t.call(0, "MPI_Probe", at(1), leave(6)).irecv(0, at(6), from(1), tag(1), req(1));
  t.recv(0, at(7), leave(8), from(1), tag(2)).wait(0, at(8), leave(10), req(1));
  t.send(1, at(5), to(0), tag(2)).send(1, at(9), to(0), tag(1));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(kProbe) == 4_s);
  CHECK(report.metric("mpi_latesender").at(path("MPI_Wait")) == 1_s);
  CHECK(report.metric("mpi_latesender").total() == 5_s);
}

TEST_CASE("probes: those of a receive without its message count for no other") {
  // In the trace rank 1 sends nothing with tag 1: the probe may have been for that message.
  TraceBuilder t(2);
  t.call(0, "MPI_Probe", at(1), leave(6)).recv(0, at(6), leave(7), from(1), tag(1));
  t.recv(0, at(7), leave(8), from(1), tag(2)).send(1, at(5), to(0), tag(2));
  CHECK(analyze(t).metric("mpi_latesender").total() == 0);
}

TEST_CASE("probes: the one of several that the send began in") {
  // Two messages are probed for, then received. The first is sent at 3, in the probe 1..4; the
  // second at 2, so the probe 4..5 found it at once.
  TraceBuilder t(3);
  t.call(0, "MPI_Probe", at(1), leave(4)).call(0, "MPI_Probe", at(4), leave(5));
  t.recv(0, at(5), leave(6), from(1)).recv(0, at(6), leave(7), from(2));
  t.send(1, at(3), to(0)).send(2, at(2), to(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(kProbe) == 2_s);
  CHECK(report.extras()["statistics"]["mpi_latesender"]["worst"][0]["exit"] == 3);
}

TEST_CASE("probes: unsuccessful ones wait up to the enter of the send") {
  // Probes 1..2 and 4..6 are unsuccessful, 6.5..8 finds the message; the send enters at 7: 1 + 2 +
  // 0.5. A probe at another call path 2.5..3 belongs to nothing, nor does the one at the end.
  TraceBuilder t(2);
  t.call(0, "MPI_Iprobe", at(1), leave(2));
  t.enter(0, "elsewhere", at(2.5)).call(0, "MPI_Iprobe", at(2.5), leave(3)).leave(0, at(3));
  t.call(0, "MPI_Iprobe", at(4), leave(6)).call(0, "MPI_Iprobe", at(6.5), leave(8));
  t.recv(0, at(8), leave(9), from(1)).call(0, "MPI_Iprobe", at(9), leave(10));
  t.send(1, at(7), to(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(path("MPI_Iprobe")) == 3.5_s);
  CHECK(report.metric("mpi_latesender").at(path("elsewhere/MPI_Iprobe")) == 0);
  CHECK(report.metric("mpi_latesender").total() == 3.5_s);
  CHECK(report.metric("polling_latesender").total() == 3.5_s);
  CHECK(report.metric("polling").total() == 1_s + 0.5_s + 2_s + 1.5_s + 1_s);
  CHECK(report.metric("mpi_cls_count").at(path("MPI_Recv")) == 1);
  const auto& statistics = report.extras()["statistics"]["mpi_latesender"];
  CHECK(statistics["count"] == 1);
  CHECK(statistics["worst"][0]["seconds"] == 3.5);
  CHECK(statistics["worst"][0]["enter"] == 0);
  double sum = 0;
  for (const auto& row : report.extras()["time_slices"]["metrics"]["mpi_latesender"]) {
    for (const double value : row) sum += value;
  }
  CHECK(sum == Approx(3.5));
  const auto base = analyze(t, compatible());
  CHECK(base.metric("mpi_latesender").total() == 0);
  CHECK_FALSE(base.has_metric("polling"));
}

TEST_CASE("probes: unsuccessful to the last, so that what is received next was not asked for") {
  TraceBuilder t(2);
  t.call(0, "MPI_Iprobe", at(1), leave(2)).call(0, "MPI_Iprobe", at(3), leave(4));
  t.recv(0, at(6), leave(7), from(1)).send(1, at(5), to(0));
  CHECK(analyze(t).metric("mpi_latesender").total() == 0);
}

TEST_CASE("probes: a visit that stands for several probes is like these probes") {
  // Five probes of 0.25, from 1 on one every 0.5; 4..5 finds the message; the send enters at 2.625:
  // 3 * 0.25 + 0.125
  const auto run = [](bool merged) {
    TraceBuilder t(2);
    t.enter(0, "poll", at(0.5));
    if (merged) {
      t.call(0, "MPI_Iprobe", at(1), leave(3.25), standing_for(5, 1.25));
    } else {
      for (const double begin : {1.0, 1.5, 2.0, 2.5, 3.0})
        t.call(0, "MPI_Iprobe", at(begin), leave(begin + 0.25));
    }
    t.call(0, "MPI_Iprobe", at(4), leave(5)).recv(0, at(5), leave(6), from(1));
    t.leave(0, at(8)).send(1, at(2.625), to(0));
    return t;
  };
  const auto single = analyze(run(false)), merged = analyze(run(true));
  const path in_poll("poll/MPI_Iprobe");
  CHECK(merged.metric("mpi_latesender").at(rank(0), in_poll) == 0.75_s + 0.125_s);
  CHECK(merged.metric("visits").at(rank(0), in_poll) == 6);
  for (const char* metric : {"visits", "time", "mpi", "mpi_point2point", "polling",
                             "polling_latesender", "mpi_latesender", "mpi_cls_count"}) {
    INFO(metric);
    CHECK(merged.metric(metric).total() == single.metric(metric).total());
  }
}

TEST_CASE("probes: a loop of probes and then one that blocks") {
  // Probes 1..2 and 3..4 are unsuccessful, and the blocking one 5..9 waits for the send that enters
  // at 8: 3. Nothing else counts, because the message may not have been what the loop probed for.
  TraceBuilder t(2);
  t.call(0, "MPI_Iprobe", at(1), leave(2)).call(0, "MPI_Iprobe", at(3), leave(4));
  t.call(0, "MPI_Probe", at(5), leave(9)).recv(0, at(9), leave(10), from(1)).send(1, at(8), to(0));
  CHECK(analyze(t).metric("mpi_latesender").total() == 3_s);
  // The other way round the loop has waited (1 + 0.5), and the last probe was over at once.
  TraceBuilder u(2);
  u.call(0, "MPI_Iprobe", at(1), leave(2)).call(0, "MPI_Iprobe", at(3), leave(4));
  u.call(0, "MPI_Probe", at(5), leave(6))
      .recv(0, at(9), leave(10), from(1))
      .send(1, at(3.5), to(0));
  const auto report = analyze(u);
  CHECK(report.metric("mpi_latesender").at(kIprobe) == 1.5_s);
  CHECK(report.metric("mpi_latesender").total() == 1.5_s);
}

TEST_CASE("probes: a sender waits for the receive of a matched message") {
  //   0   probe 2..3   Mrecv 9..10
  //   1   ssend 1..10
  // The probe takes the message from the order, and the data is asked for at 9: 9 - 1 = 8.
  TraceBuilder t(2);
  matched_probe(t, "MPI_Mprobe", 2, 3);
  t.wait(0, as("MPI_Mrecv"), at(9), leave(10), req(1));
  t.send(1, as("MPI_Ssend"), at(1), leave(10), to(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latereceiver").at(rank(1), path("MPI_Ssend")) == 8_s);
  CHECK(report.metric("mpi_latesender").total() == 0);
  // MPI_Wait completes what MPI_Imrecv asked for, at a time that is not known: 2 - 1, as posted.
  TraceBuilder u(2);
  matched_probe(u, "MPI_Mprobe", 2, 3);
  u.wait(0, at(9), leave(10), req(1)).send(1, as("MPI_Ssend"), at(1), leave(10), to(0));
  CHECK(analyze(u).metric("mpi_latereceiver").at(rank(1), path("MPI_Ssend")) == 1_s);
}

TEST_CASE("probes: matched ones, with the receive posted where the message was found") {
  // The probe 2..7 waits until 5: 3. A plain receive in between takes nothing of it.
  TraceBuilder t(2);
  matched_probe(t, "MPI_Mprobe", 2, 7);
  t.recv(0, at(7), leave(8), from(1), tag(1)).wait(0, as("MPI_Mrecv"), at(8), leave(9), req(1));
  t.send(1, at(4), to(0), tag(1)).send(1, at(5), to(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(path("MPI_Mprobe")) == 3_s);
  CHECK(report.metric("mpi_latesender").total() == 3_s);
  CHECK(report.metric("mpi_cls_count").at(path("MPI_Mrecv")) == 1);
  // Probes 1..2 and 3..4 are unsuccessful, 5..7 finds what is sent at 6: 1 + 1 + 1
  TraceBuilder u(2);
  u.call(0, "MPI_Improbe", at(1), leave(2)).call(0, "MPI_Improbe", at(3), leave(4));
  matched_probe(u, "MPI_Improbe", 5, 7);
  u.wait(0, as("MPI_Mrecv"), at(8), leave(9), req(1)).send(1, at(6), to(0));
  CHECK(analyze(u).metric("mpi_latesender").at(path("MPI_Improbe")) == 3_s);
  // Other tracers record the receive as posted by MPI_Mrecv.
  TraceBuilder v(2);
  v.call(0, "MPI_Probe", at(0), leave(0.5)).call(0, "MPI_Mprobe", at(2), leave(7));
  v.recv(0, as("MPI_Mrecv"), at(8), leave(9), from(1)).send(1, at(5), to(0));
  CHECK(analyze(v).metric("mpi_latesender").at(path("MPI_Mprobe")) == 3_s);
}

TEST_CASE("probes: rows of matched and of other probes do not mix") {
  // MPI_Improbe 1..2 and 3..4 and MPI_Iprobe 2..3 and 4..5, as another tracer would record them:
  // sends at 4.5 (received plainly, 1 + 0.5) and at 3.5 (received matched, 1 + 0.5).
  TraceBuilder t(2);
  t.call(0, "MPI_Improbe", at(1), leave(2)).call(0, "MPI_Iprobe", at(2), leave(3));
  t.call(0, "MPI_Improbe", at(3), leave(4)).call(0, "MPI_Iprobe", at(4), leave(5));
  t.recv(0, at(5), leave(6), from(1), tag(2)).recv(0, as("MPI_Mrecv"), at(6), leave(7), from(1));
  t.send(1, at(3.5), to(0)).send(1, at(4.5), to(0), tag(2));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(kIprobe) == 1.5_s);
  CHECK(report.metric("mpi_latesender").at(path("MPI_Improbe")) == 1.5_s);
}

TEST_CASE("probes: waited for the wrong message") {
  // The probe waits until 5 for tag 1; tag 2 had been sent at 2 and is received later.
  TraceBuilder t(2);
  t.call(0, "MPI_Probe", at(1), leave(6)).recv(0, at(6), leave(7), from(1), tag(1));
  t.recv(0, at(7), leave(8), from(1), tag(2));
  t.send(1, at(2), to(0), tag(2)).send(1, at(5), to(0), tag(1));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_lswo_same").at(kProbe) == 4_s);
  CHECK(report.metric("mpi_clswo_count").at(path("MPI_Recv")) == 1);
}

TEST_CASE("probes: across metahosts the whole time in the probes counts as well") {
  auto t = TraceBuilder(2).metahost(1, "A", {0}).metahost(2, "B", {1});
  t.call(0, "MPI_Probe", at(1), leave(4)).recv(0, at(4), leave(5), from(1), tag(1));
  t.call(0, "MPI_Iprobe", at(5), leave(6)).call(0, "MPI_Iprobe", at(7), leave(9));
  t.recv(0, at(9), leave(10), from(1), tag(2));
  t.call(0, "MPI_Probe", at(10), leave(11));  // not for a known message
  t.send(1, at(3), to(0), tag(1)).send(1, at(8), to(0), tag(2));
  const auto report = analyze(t);
  CHECK(report.metric("grid_latesender").at(rank(0), kProbe) == 2_s);
  CHECK(report.metric("grid_latesender").at(rank(0), kIprobe) == 1_s + 1_s);
  CHECK(report.metric("grid_point2point").at(rank(0), kProbe) == 3_s);
  CHECK(report.metric("grid_point2point").at(rank(0), kIprobe) == 1_s + 2_s);
  CHECK(report.metric("metahost_pairs_latesender_1_2").total() == 4_s);
}

TEST_CASE("probes: whoever lets a prober wait pays for what others wait then") {
  // The numbers are those of MPI_Recv in causes_test: 1 waits 9 for 0, and 2 waits 11 for 1. 9 of
  // these are for 0, 2 for the time of 1 from 11 to 13.
  for (const Way way : {Way::kRecv, Way::kProbe, Way::kIprobe}) {
    INFO(static_cast<int>(way));
    const auto report = analyze(chain(way));
    CHECK(report.metric("mpi_latesender").at(rank(1)) == 9_s);
    CHECK(report.metric("mpi_latesender").at(rank(2)) == 11_s);
    CHECK(report.metric("delay_latesender").at(rank(0), path("work")) == 9_s);
    CHECK(report.metric("delay_latesender").at(rank(1)) == 2_s);
    CHECK(report.metric("delay_latesender_longterm").at(rank(0), path("work")) == 9_s);
    CHECK(report.metric("delay_latesender_longterm").total() == 9_s);
    CHECK(report.metric("delay_unknown").total() == 0);
    CHECK(report.metric("mpi_wait_indirect_latesender").at(rank(2)) == 9_s);
    CHECK(report.metric("mpi_wait_propagating_ls").at(rank(1)) == 9_s);
    CHECK(report.metric("critical_path").at(rank(0), path("work")) == 10_s);
  }
}
