// SPDX-License-Identifier: BSD-3-Clause
// Overhead taken out of traces: a few lines with arithmetic, and random programs whose times
// without overhead are known to the tick.
#include "analyzer/predict/compensation.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/support/analyze.hpp"

using namespace latecomer;
using namespace latecomer::test;
using predict::OverheadMethod;

namespace {

// Costs are whole seconds of the trace.
AnalyzedTrace without_overhead(const TraceBuilder& trace, OverheadMethod method, int cost,
                               std::optional<std::uint64_t> eager_limit = {}) {
  replay::Options options;
  options.overhead = {method, cost * 1e9};
  options.eager_limit = eager_limit;
  return analyze(trace, options);
}

double run_time(const AnalyzedTrace& report) {
  return report.extras().at("run").at("duration").get<double>();
}
double taken_out(const AnalyzedTrace& report, const char* kind) {
  return report.extras().at("compensation").at("taken_out").at(kind).get<double>();
}

// An enter and a leave cost 2 each, after their time stamps. Without that:
//
//   0   init 0..1   work 1..5   send 5..6   6..10   finalize 10..13
//   1   init 0..1   1..2   recv 2..7        7..12   finalize 12..13
//
// The message leaves when MPI_Send has really begun and takes 2.
TraceBuilder two() {
  auto t = TraceBuilder(2);
  t.init({{0, 3}, {0, 3}})                 // 2 for the enter, then 1
      .enter(0, "work", at(5))             // 2 for the leave of MPI_Init
      .leave(0, at(11))                    // 2, then 4 of work
      .send(0, at(13), leave(16), to(1))   // 2 before; 2 inside, then 1
      .recv(1, at(6), leave(17), from(0))  // 13 + 2 + 2
      .finalize({{22, 27}, {24, 27}});     // 16 + 2 + 4, 17 + 2 + 5; 24 + 2 + 1
  return t;
}

}  // namespace

TEST_CASE("overhead: a late sender whose delay was larger") {
  const auto recorded = without_overhead(two(), OverheadMethod::kNone, 0);
  CHECK(recorded.metric("mpi_latesender").at(rank(1)) == 7_s);  // 13 - 6
  CHECK_FALSE(recorded.extras().contains("compensation"));

  // The sender comes 13 - 5 = 8 too late, the receiver 6 - 2 = 4: 7 - (8 - 4) = 3.
  const auto parallel = without_overhead(two(), OverheadMethod::kParallel, 2);
  CHECK(parallel.metric("mpi_latesender").at(rank(1)) == 3_s);
  CHECK(parallel.metric("mpi_finalize_wait").at(rank(0)) == 2_s);  // 12 - 10
  CHECK(parallel.metric("time").at(rank(0), path("work")) == 4_s);
  CHECK(parallel.metric("time").at(rank(1), path("MPI_Recv")) == 5_s);
  CHECK(run_time(parallel) == 13);
  CHECK(parallel.extras()["compensation"]["recorded"] == 27);
  CHECK(parallel.extras()["compensation"]["compensated"] == 13);
  CHECK(parallel.extras()["compensation"]["method"] == "parallel");
  // Enters and leaves of three calls and of MPI_Finalize, without its leave, at which all ends: 5
  // and 5 events of MPI. Their costs inside calls that need others are taken out, too.
  CHECK(taken_out(parallel, "mpi_events") == 20);
  CHECK(taken_out(parallel, "region_events") == 4);
}

TEST_CASE("overhead: local compensation leaves waits as they were") {
  // 1 saves 2 in each of the enters and leaves before its end at 27: 5 events.
  const auto local = without_overhead(two(), OverheadMethod::kLocal, 2);
  CHECK(local.metric("time").at(rank(1), path("MPI_Recv")) == 9_s);  // 11 - 2
  CHECK(run_time(local) == 17);
  CHECK(local.extras()["compensation"]["method"] == "local");
}

TEST_CASE("overhead: threads follow the first thread of their own process") {
  // The first thread of 0 has lost 7 at 12 and 8 at
  // 16, that of 1 only 4: init 2, 2; work 2 from 5 and 2 from 11.
  auto t = TraceBuilder(2);
  t.init({{0, 3}, {0, 3}})
      .enter(0, "work", at(5))
      .leave(0, at(11))
      .enter(thread_of(0, 1), "helper", at(12))
      .leave(thread_of(0, 1), at(16))
      .enter(thread_of(1, 1), "other", at(12))
      .leave(thread_of(1, 1), at(16))
      .finalize({{20, 25}, {20, 25}});
  for (const auto method : {OverheadMethod::kLocal, OverheadMethod::kParallel}) {
    const auto report = without_overhead(t, method, 2);
    CHECK(report.metric("time").at(rank(0, 1), path("helper")) == 3_s);  // 16 - 8 - (12 - 7)
    CHECK(report.metric("time").at(rank(1, 1), path("other")) == 4_s);   // 16 - 4 - (12 - 4)
  }
}

TEST_CASE("overhead: a wait appears that the receiver's own overhead hid") {
  // Messages take no time. Without overhead 0 sends at 9, and 1 receives from 3 on.
  //
  //   0   init 0..3   5..13            send 13..16
  //   1   init 0..3   work 5..8  work 10..13   recv 15..17
  //
  // 1 did not wait: 13 - 15 < 0. It came 12 later by overhead, 0 came 4 later: 0 - 2 + 12 - 4 = 6.
  auto t = TraceBuilder(2);
  t.init({{0, 3}, {0, 3}})
      .send(0, at(13), leave(16), to(1))
      .enter(1, "work", at(5))
      .leave(1, at(8))
      .enter(1, "work", at(10))
      .leave(1, at(13))
      .recv(1, at(15), leave(17), from(0))
      .finalize({{20, 25}, {20, 25}});
  CHECK(without_overhead(t, OverheadMethod::kNone, 0).metric("mpi_latesender").total() == 0);
  const auto parallel = without_overhead(t, OverheadMethod::kParallel, 2);
  CHECK(parallel.metric("mpi_latesender").at(rank(1)) == 6_s);
  CHECK(parallel.metric("time").at(rank(1), path("work")) == 2_s);
  CHECK(parallel.metric("time").at(rank(1), path("MPI_Recv")) == 6_s);
}

TEST_CASE("overhead: a collective operation follows the last of those that had to come") {
  // Without overhead the members come at 2, 6, 3, and leave at 7.
  //
  //   0   init 0..3   6: 1 of its own              barrier 6..16
  //   1   init 0..3   10: 5 of its own             barrier 10..16
  //   2   init 0..3   work 5..8, 10..13: 1 and 1   barrier 15: 2 inside and no time is left
  //
  // In the run 2 was the last one, and 0 waited 15 - 6 = 9. Then 1 is: 0 waits 6 - 2 = 4, 2 waits
  // 6 - 3 = 3. The operation itself takes 18 - 17 = 1.
  auto t = TraceBuilder(3);
  t.init({{0, 3}, {0, 3}, {0, 3}})
      .enter(2, "work", at(5))
      .leave(2, at(8))
      .enter(2, "work", at(10))
      .leave(2, at(13))
      .collective("MPI_Barrier", {{6, 18}, {10, 18}, {15, 18}})
      .finalize({{20, 23}, {20, 23}, {20, 23}});
  const auto recorded = without_overhead(t, OverheadMethod::kNone, 0);
  CHECK(recorded.metric("mpi_barrier_wait").at(rank(0)) == 9_s);
  const auto parallel = without_overhead(t, OverheadMethod::kParallel, 2);
  CHECK(parallel.metric("mpi_barrier_wait").at(rank(0)) == 4_s);
  CHECK(parallel.metric("mpi_barrier_wait").at(rank(1)) == 0);
  CHECK(parallel.metric("mpi_barrier_wait").at(rank(2)) == 3_s);
  CHECK(parallel.metric("time").at(rank(2), path("MPI_Barrier")) == 4_s);  // 3..7
  CHECK(run_time(parallel) == 8);  // MPI_Finalize: 2 for the enter, then 1
}

TEST_CASE("overhead: a nonblocking receive is corrected where it is completed") {
  // Without overhead, the message takes no time:
  //
  //   0   init 0..1   1..9            send 9..10
  //   1   init 0..1   irecv 1..2  2..4   wait 4..9
  //
  // With it 1 comes to MPI_Wait at 10, and waits until the send has really begun: 13 + 2.
  auto t = TraceBuilder(2);
  t.init({{0, 3}, {0, 3}})
      .send(0, at(13), leave(16), to(1))
      .irecv(1, at(5), leave(8), from(0), req(1))
      .wait(1, at(12), leave(15), req(1))
      .finalize({{20, 23}, {20, 23}});
  const auto parallel = without_overhead(t, OverheadMethod::kParallel, 2);
  CHECK(parallel.metric("mpi_latesender").at(rank(1), path("MPI_Wait")) == 5_s);
  CHECK(parallel.metric("time").at(rank(1), path("MPI_Irecv")) == 1_s);
  CHECK(parallel.metric("time").at(rank(1), path("MPI_Wait")) == 5_s);
}

TEST_CASE("overhead: costs larger than the time between events are not taken out") {
  // 0 is in work for 1, which cannot have contained 2.
  auto t = TraceBuilder(1);
  t.init({{0, 3}}).enter(0, "work", at(5)).leave(0, at(6)).finalize({{8, 11}});
  const auto parallel = without_overhead(t, OverheadMethod::kParallel, 2);
  CHECK(parallel.metric("time").at(rank(0), path("work")) == 0);
  CHECK(parallel.extras()["compensation"]["missing"] == 1);
  CHECK(run_time(parallel) == 2);  // MPI_Init 1, MPI_Finalize 1
}

TEST_CASE("overhead: an archive that does not say what events cost") {
  replay::Options options;
  options.overhead.method = OverheadMethod::kParallel;
  CHECK_THROWS_WITH(analyze(two(), options), Catch::Contains("--event-cost"));
}

TEST_CASE("overhead: as the archive tells it, with stacks and flushes") {
  // Events of MPI cost 2, those of regions none, since only stacks know regions. There are 4 call
  // paths of MPI and 12 for stacks, 3 for each: before the call, in which work is seen.
  //
  //   0   init 3..6   work 12: 1 of its own, 2 for MPI_Init, 3 for the stack
  //       barrier 12..15   flush 17..20   finalize 24: 1 of its own, and 3 for the stack
  auto t = TraceBuilder(1);
  t.property("LATECOMER::VERSION", "1")
      .property("LATECOMER::EVENT_COST", "2e9")
      .property("LATECOMER::REGION_EVENTS", "10")
      .property("LATECOMER::REGION_EVENT_COST", "30000000000")
      .property("LATECOMER::CALL_PATHS_FROM_STACKS", "true")
      .property("LATECOMER::STACKS_UNWOUND", "5")
      .property("LATECOMER::STACK_COST", "9000000000")
      .init({{3, 6}})
      .enter(0, "work", at(12))
      .collective("MPI_Barrier", {{12, 15}})
      .flush(0, at(17), 20)
      .leave(0, at(24))
      .finalize({{24, 27}});
  replay::Options options;
  options.overhead.method = OverheadMethod::kParallel;
  const auto report = analyze(t, options);
  CHECK(taken_out(report, "flushes") == 3);
  CHECK(taken_out(report, "stacks") == 6);  // there was no time before MPI_Init
  CHECK(taken_out(report, "region_events") == 0);
  CHECK(report.metric("overhead").total() == 0);
}

namespace {

// A random program, run with or without overhead: operations in an order in which no process
// waits for a later one. Messages take 3 after the send has begun.
class RandomProgram {
 public:
  RandomProgram(unsigned seed, int cost) : cost_(cost), random_(seed) {
    ranks_ = from_to(2, 5);
    now_.assign(static_cast<std::size_t>(ranks_), 0);
    trace_.emplace(ranks_);
    all("MPI_Init");
    // One receiver waits for sure, so that the time of a message is known.
    work(0, 50);
    message(0, 1, false);
    const int operations = from_to(5, 40);
    for (int i = 0; i < operations; ++i) one();
    all("MPI_Finalize");
  }
  [[nodiscard]] const TraceBuilder& trace() const { return *trace_; }
  [[nodiscard]] Ticks overhead() const { return overhead_; }

 private:
  static constexpr Ticks kTransfer = 3;
  int from_to(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  Ticks& now(int r) { return now_[static_cast<std::size_t>(r)]; }
  void pay(int r) {
    now(r) += cost_;
    overhead_ += cost_;
  }
  static Time in(Ticks t) { return {static_cast<double>(t)}; }

  void one() {
    const int r = from_to(0, ranks_ - 1), other = (r + from_to(1, ranks_ - 1)) % ranks_;
    switch (from_to(0, 7)) {
      case 0:
        return work(r, from_to(0, 9));
      case 1:
      case 2:
        for (int i = from_to(1, 6); i > 0; --i) region(r, from_to(0, 3));
        return;
      case 3:
        return message(r, other, false);
      case 4:
        return message(r, other, true);
      case 5:
        return collective("MPI_Barrier");
      case 6:
        return collective("MPI_Allreduce");
      default:
        return rooted(from_to(0, 1) == 0 ? "MPI_Bcast" : "MPI_Reduce", r);
    }
  }
  void work(int r, Ticks time) { now(r) += time; }
  void region(int r, Ticks time) {
    trace_->enter(r, from_to(0, 1) == 0 ? "f" : "g", at(in(now(r))));
    pay(r);
    now(r) += time;
    trace_->leave(r, at(in(now(r))));
    pay(r);
  }
  void message(int source, int target, bool nonblocking) {
    const Ticks posts = now(target);
    if (nonblocking) {
      pay(target);
      now(target) += 1;
      const auto number = ++requests_;
      trace_->irecv(target, at(in(posts)), leave(in(now(target))), from(source), req(number));
      pay(target);
      for (int i = from_to(0, 2); i > 0; --i) region(target, from_to(0, 5));
      work(target, from_to(0, 5));
      const Ticks sent = send(source, target);
      const Ticks enter = now(target);
      pay(target);
      now(target) = std::max(now(target), sent + kTransfer);
      trace_->wait(target, at(in(enter)), leave(in(now(target))), req(number));
    } else {
      const Ticks sent = send(source, target);
      pay(target);
      now(target) = std::max(now(target), sent + kTransfer);
      trace_->recv(target, at(in(posts)), leave(in(now(target))), from(source));
    }
    pay(target);
  }
  // Returns the time at which the send has really begun.
  Ticks send(int source, int target) {
    const Ticks enter = now(source);
    pay(source);
    const Ticks begun = now(source);
    now(source) += from_to(1, 3);
    trace_->send(source, at(in(enter)), leave(in(now(source))), to(target));
    pay(source);
    return begun;
  }
  // All wait for all. Each takes some time of its own.
  void meet(const std::function<void(int r, Ticks enter, Ticks leave)>& put) {
    std::vector<Ticks> enter = now_;
    for (int r = 0; r < ranks_; ++r) pay(r);
    const Ticks last = *std::ranges::max_element(now_);
    for (int r = 0; r < ranks_; ++r) {
      now(r) = last + from_to(1, 4);
      put(r, enter[static_cast<std::size_t>(r)], now(r));
      pay(r);
    }
  }
  void collective(const char* name) {
    meet([&](int r, Ticks enter, Ticks end) {
      trace_->collective(r, name, at(in(enter)), leave(in(end)));
    });
  }
  void all(const char* name) {
    meet([&](int r, Ticks enter, Ticks end) {
      trace_->call(r, name, at(in(enter)), leave(in(end)));
    });
  }
  // MPI_Bcast: all wait for the root. MPI_Reduce: the root waits for all.
  void rooted(const std::string& name, int root_rank) {
    const std::vector<Ticks> enter = now_;
    for (int r = 0; r < ranks_; ++r) pay(r);
    const Ticks of_root = now(root_rank), last = *std::ranges::max_element(now_);
    for (int r = 0; r < ranks_; ++r) {
      if (name == "MPI_Bcast") {
        now(r) = std::max(now(r), of_root);
      } else if (r == root_rank) {
        now(r) = last;
      }
      now(r) += from_to(1, 4);
      trace_->collective(r, name, at(in(enter[static_cast<std::size_t>(r)])), leave(in(now(r))),
                         root(static_cast<std::uint32_t>(root_rank)));
      pay(r);
    }
  }

  const int cost_;
  std::mt19937 random_;
  int ranks_ = 0;
  std::vector<Ticks> now_;
  std::optional<TraceBuilder> trace_;
  std::uint64_t requests_ = 0;
  Ticks overhead_ = 0;
};

}  // namespace

TEST_CASE("overhead: random programs get the times that they have without it") {
  std::int64_t waits = 0;
  unsigned differences = 0;
  const unsigned programs = parallel::Processes(MPI_COMM_WORLD).size() == 1 ? 60 : 12;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    INFO("seed " << seed);
    const int cost = 1 + static_cast<int>(seed % 7);
    const RandomProgram bare(seed, 0), measured(seed, cost);
    constexpr std::uint64_t kEager = 1 << 20;
    const auto truth = without_overhead(bare.trace(), OverheadMethod::kNone, 0, kEager);
    const auto slowed = without_overhead(measured.trace(), OverheadMethod::kNone, 0, kEager);
    const auto found = without_overhead(measured.trace(), OverheadMethod::kParallel, cost, kEager);
    CHECK(run_time(found) == run_time(truth));
    REQUIRE(found.call_paths() == truth.call_paths());
    for (const auto& metric : truth.definitions().metrics) {
      // Whether a message is seen to be in transfer depends on what else the receiver did.
      for (const auto& where : truth.call_paths()) {
        for (std::size_t r = 0; r < truth.definitions().processes.size(); ++r) {
          INFO(metric.name << " " << where << " " << r);
          const rank who(static_cast<int>(r));
          const auto at_path = path(where);
          CHECK(found.metric(metric.name).at(who, at_path) ==
                truth.metric(metric.name).at(who, at_path));
        }
      }
    }
    const auto waiting = [](const AnalyzedTrace& report) {
      return report.metric("mpi_latesender").total() + report.metric("mpi_barrier_wait").total();
    };
    waits += waiting(truth);
    differences += waiting(slowed) != waiting(truth) ? 1 : 0;
  }
  CHECK(waits > 0);
  CHECK(differences > programs / 2);
}
