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

TEST_CASE("ranks that are late in turn, each for its own reason") {
  // Barriers at 11 and 21. First rank 0 is late: 9 s in main, of which it is blocked for 7; rank 1
  // is there for 2. Then rank 1 is late: 9 s in main, of which it is without a core for 7; rank 0
  // is there for 2. So each waits 7 s for the other one. In the sums of the whole run both ranks
  // are in main for 11 s, and rank 0 is blocked 7 s longer, rank 1 without a core 7 s longer.
  TraceBuilder t(2);
  t.property("LATECOMER::SAMPLES", "1");
  t.model().generators = {{.period = 1'000'000'000}};
  t.model().counters = {{"preempted", "s", -9}, {"blocked", "s", -9}, {"page faults"}};
  const auto relax = stack(t, {"main", "relax"}, 88);
  t.init({{0, 1}}).enter_all("main", at(1));
  for (int rank = 0; rank < 2; ++rank) {
    counted(t, rank, at(1), {0, 0, 0});
    sample(t, rank, at(2), relax, 0);
  }
  constexpr std::uint64_t kSeven = 7'000'000'000;
  counted(t, 0, at(10), {0, kSeven, 0});
  t.collective(0, "MPI_Barrier", at(10), leave(11)).collective(1, "MPI_Barrier", at(3), leave(11));
  counted(t, 1, at(20), {kSeven, 0, 0});
  t.collective(0, "MPI_Barrier", at(13), leave(21)).collective(1, "MPI_Barrier", at(20), leave(21));
  const auto report = analyze(t.leave_all(at(21)).finalize({{21, 22}}));
  CHECK(report.metric("delay_blocked").at(rank(0)) == 7_s);
  CHECK(report.metric("delay_preempted").at(rank(1)) == 7_s);
  CHECK(report.metric("delay_reasons").total() == 14_s);
}

TEST_CASE("a reason that the cause has in another stretch is not that of its delay") {
  // Barriers at 11 and 21. Rank 0 is blocked for 8 of the 9 s before the first one, as is rank 1:
  // nobody waits. Before the second one rank 0 is in main for 9 s on a core, rank 1 for 2 s. So
  // rank 1 waits 7 s, because rank 0 computes. In the whole run rank 1 is blocked for 2 s less.
  TraceBuilder t(2);
  t.property("LATECOMER::SAMPLES", "1");
  t.model().generators = {{.period = 1'000'000'000}};
  t.model().counters = {{"preempted", "s", -9}, {"blocked", "s", -9}, {"page faults"}};
  const auto relax = stack(t, {"main", "relax"}, 88);
  t.init({{0, 1}}).enter_all("main", at(1));
  for (int rank = 0; rank < 2; ++rank) {
    counted(t, rank, at(1), {0, 0, 0});
    counted(t, rank, at(10), {0, rank == 0 ? 8'000'000'000U : 6'000'000'000U, 0});
    t.collective(rank, "MPI_Barrier", at(10), leave(11));
    for (int s = 12; s < (rank == 0 ? 20 : 13); ++s) sample(t, rank, at(s), relax, 0);
  }
  t.collective(0, "MPI_Barrier", at(20), leave(21)).collective(1, "MPI_Barrier", at(13), leave(21));
  const auto report = analyze(t.leave_all(at(21)).finalize({{21, 22}}));
  CHECK(report.metric("delay_computed").at(rank(0)) == 7_s);
  CHECK(report.metric("delay_reasons").total() == 7_s);
}

TEST_CASE("samples in the stretches of delays") {
  // 12 s and 4 s in the kernel on the cause, 4 s and 0 on the waiter; 20 samples of a second, whose
  // variance is 20 s * s. Longer by 8 and 4, so of 12 s of costs 8 s are of computation.
  constexpr std::int64_t kSecond = 1'000'000'000;
  causes::ExcessParts told{.cause = {12 * kSecond, 4 * kSecond, 0, 0},
                           .waiter = {4 * kSecond, 0, 0, 0},
                           .variance = 20'000'000'000'000};
  const auto by_samples = [&](std::int64_t cost, bool rest_is_kernel = false) {
    return replay::divided_by_samples(cost, told, 1000, rest_is_kernel);
  };
  CHECK(by_samples(12'000) == OfReasons{8000, 0, 0, 4000});
  // 20 s more than they account for are more than three errors of 4.5 s, and than 9 samples.
  CHECK(by_samples(32'000) == OfReasons{8000, 0, 0, 4000, 20'000});
  CHECK(by_samples(32'000, true) == OfReasons{8000, 0, 0, 24'000});
  CHECK(by_samples(24'000) == OfReasons{16'000, 0, 0, 8000});  // 12 s are not
  // In 5 samples there is too much chance, and where the cause has fewer nothing is longer.
  told = {
      .cause = {4 * kSecond, 0, 0, 0}, .waiter = {kSecond, 0, 0, 0}, .variance = 5'000'000'000'000};
  CHECK_FALSE(by_samples(3000));
  told = {.cause = {4 * kSecond, 0, 0, 0},
          .waiter = {8 * kSecond, 0, 0, 0},
          .variance = 12'000'000'000'000};
  CHECK_FALSE(by_samples(3000));
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
