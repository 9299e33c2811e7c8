// SPDX-License-Identifier: BSD-3-Clause
// Delay costs by reason: parts that are longer than elsewhere, and sums that close.
#include "analyzer/attribution/computation/delay_reason_booking.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "tests/replay/sampled_trace.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer;
using namespace latecomer::test;
using replay::OfReasons;

TEST_CASE("costs are divided by what is longer than on others") {
  // The means of the 2 others are 1, 0 and 3: 7 and 1 are longer, the third part is shorter.
  CHECK(replay::divided_cost(16, {8, 1, 0, 0, 0}, {10, 1, 6, 0, 0}, 3) == OfReasons{14, 2});
  // 8 could have caused 16, not half of 90: as the time itself.
  CHECK(replay::divided_cost(90, {8, 1, 0, 0, 0}, {10, 1, 6, 0, 0}, 3) == OfReasons{80, 10});
  // Nothing to compare with: all of it is longer.
  CHECK(replay::divided_cost(6, {2, 0, 4, 0, 0}, {2, 0, 4, 0, 0}, 1) == OfReasons{2, 0, 4});
  // Nothing is longer: as the time itself.
  CHECK(replay::divided_cost(5, {3, 0, 0, 2, 0}, {6, 0, 0, 4, 0}, 2) == OfReasons{3, 0, 0, 2, 0});
}

TEST_CASE("shares of costs are not negative, and their sum is the cost") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    OfReasons own{}, all{};
    for (std::size_t r = 0; r < own.size(); ++r) {
      own[r] = static_cast<std::int64_t>(random() >> (4 + random() % 60));
      all[r] = own[r] + static_cast<std::int64_t>(random() >> (4 + random() % 60));
    }
    own[i % own.size()] += 1;
    all[i % own.size()] += 1;
    const auto cost = static_cast<std::int64_t>(random() >> (10 + random() % 54));
    const auto shares = replay::divided_cost(cost, own, all, 1 + i % 5);
    CHECK(std::accumulate(shares.begin(), shares.end(), std::int64_t{0}) == cost);
    CHECK(*std::ranges::min_element(shares) >= 0);
  }
}

TEST_CASE("reasons of a delay in main, in a file and in MPI") {
  // Both ranks are in main from 1. Rank 0 comes to the barrier at 18, rank 1 at 3; so rank 1 waits
  // 15 s. Rank 0 spends 10 s in main itself: by the kernel 2 s without a core and 5 s blocked, and
  // by samples 3 s on a core. Then it writes for 4 s and packs for 3 s. Rank 1 spends 2 s in main:
  // 1 s without a core, and 1 s on one. So rank 0 is longer in main by 2 s of computation, 1 s
  // without a core and 5 s blocked, which bear the 8 s of its delay in main. 4 s are those of the
  // file, 3 s those of MPI.
  TraceBuilder t(2);
  t.property("LATECOMER::SAMPLES", "3");
  t.model().generators = {{.period = 1'000'000'000}};
  t.model().counters = {{"preempted", "s", -9}, {"blocked", "s", -9}, {"page faults"}};
  const auto relax = stack(t, {"main", "relax"}, 88);
  t.init({{0, 1}}).enter_all("main", at(1));
  t.model().regions[t.model().region("write")].role = OTF2_REGION_ROLE_FILE_IO;
  for (int rank = 0; rank < 2; ++rank) counted(t, rank, at(1), {0, 0, 0});
  sample(t, 1, at(2), relax, 0);
  counted(t, 1, at(3), {1'000'000'000, 0, 0});
  sample(t, 0, at(2), relax, 0);
  sample(t, 0, at(3), relax, 0);
  counted(t, 0, at(11), {2'000'000'000, 5'000'000'000, 0});
  t.enter(0, "write", at(11)).leave(0, at(15));
  t.call(0, "MPI_Pack", at(15), leave(18));
  t.collective(0, "MPI_Barrier", at(18), leave(19)).collective(1, "MPI_Barrier", at(3), leave(19));
  const auto report = analyze(t.leave_all(at(19)).finalize({{19, 20}}));
  CHECK(report.metric("delay_computed").at(path("main")) == 2_s);
  CHECK(report.metric("delay_preempted").at(path("main")) == 1_s);
  CHECK(report.metric("delay_blocked").at(path("main")) == 5_s);
  CHECK(report.metric("delay_in_files").at(path("main/write")) == 4_s);
  CHECK(report.metric("delay_in_mpi").at(path("main/MPI_Pack")) == 3_s);
  // All of them together are all delay costs.
  CHECK(report.metric("delay_reasons").total() == 15_s);
  CHECK(report.metric("delay").total() == 15_s);
}

TEST_CASE("reasons of a delay on a rank that may not have been sampled") {
  // Rank 0 is 4 s longer in main, and has no sample since the kernel refused them there.
  TraceBuilder t(2);
  t.property("LATECOMER::SAMPLES", "1").property("LATECOMER::SAMPLES_REFUSED", "1");
  t.model().generators = {{.period = 1'000'000'000}};
  const auto relax = stack(t, {"main", "relax"}, 88);
  t.init({{0, 1}}).enter_all("main", at(1));
  sample(t, 1, at(2), relax, 0);
  t.collective(0, "MPI_Barrier", at(7), leave(8)).collective(1, "MPI_Barrier", at(3), leave(8));
  const auto report = analyze(t.leave_all(at(8)).finalize({{8, 9}}));
  CHECK(report.metric("delay_not_sampled").at(path("main")) == 4_s);
  CHECK(report.metric("delay_reasons").total() == 4_s);
}

TEST_CASE("reasons of delays are not computed without samples") {
  TraceBuilder t(2);
  t.init({{0, 1}});
  t.collective(0, "MPI_Barrier", at(1), leave(2)).collective(1, "MPI_Barrier", at(1), leave(2));
  CHECK_THROWS(analyze(t.finalize({{2, 3}})).metric("delay_reasons").total());
}
