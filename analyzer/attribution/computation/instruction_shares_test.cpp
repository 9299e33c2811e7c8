// SPDX-License-Identifier: BSD-3-Clause
// Longer computation: more instructions or slower ones, and sums that close.
#include "analyzer/attribution/computation/instruction_shares.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/replay/sampled_trace.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer;
using namespace latecomer::test;
using replay::compared;
using replay::cost_of_more;
using replay::Instructions;

TEST_CASE("more instructions and slower ones") {
  // Two others with 200 instructions in 400 ticks on average: 2 ticks for each. 300 in 900 are 100
  // more, which would take 200 ticks there; 300 of them take 3 instead of 2 ticks.
  const auto both = compared({1, 300, 900}, {3, 700, 1700});
  REQUIRE(both);
  CHECK(both->more == 200);
  CHECK(both->slower == 300);
  CHECK(both->instructions == 1.5);
  CHECK(both->time_for_each == 1.5);
  CHECK(cost_of_more(50, *both) == 20);
  // Fewer instructions, so all of the cost is for slower ones.
  const auto slower = compared({1, 100, 900}, {2, 300, 1300});
  REQUIRE(slower);
  CHECK(slower->more == -200);
  CHECK(slower->slower == 700);
  CHECK(cost_of_more(50, *slower) == 0);
  // Neither more nor slower.
  CHECK_FALSE(cost_of_more(50, *compared({1, 100, 100}, {2, 300, 500})));
}

TEST_CASE("without instructions there is nothing to compare") {
  CHECK_FALSE(compared({0, 0, 0}, {2, 400, 800}));
  CHECK_FALSE(compared({1, 300, 900}, {1, 300, 900}));
  CHECK_FALSE(compared({1, 300, 0}, {2, 400, 800}));
}

TEST_CASE("more and slower together are how much longer it computed") {
  std::mt19937_64 random(11);
  const auto number = [&] {
    return static_cast<std::int64_t>(1 + (random() >> (14 + random() % 48)));
  };
  for (int i = 0; i < 1000; ++i) {
    const Instructions own{1, number(), number()};
    const std::int64_t others = 1 + i % 4;
    const Instructions all{1 + others, own.number + number(), own.ticks + number()};
    const auto parts = compared(own, all);
    REQUIRE(parts);
    const double mean = static_cast<double>(all.ticks - own.ticks) / static_cast<double>(others);
    const double longer = static_cast<double>(own.ticks) - mean;
    const double scale = std::abs(parts->more) + std::abs(parts->slower) + 1;
    CHECK(std::abs(parts->more + parts->slower - longer) < 1e-9 * scale);
    const std::int64_t cost = number();
    if (const auto more = cost_of_more(cost, *parts)) {
      CHECK(*more >= 0);
      CHECK(*more <= cost);
    }
  }
}

TEST_CASE("a delay in main by more instructions and by slower ones") {
  // Rank 0 computes in main from 1 to 10 and rank 1 from 1 to 5, so rank 1 waits 5 s. By samples
  // both were on a core all the time, one per 0.1 s. Rank 0 executes 300 instructions in 9 s, 0.03
  // s for each; rank 1 200 in 4 s, 0.02 s for each. 100 more are 2 s, 300 slower ones 3 s.
  for (const bool counts : {true, false}) {
    TraceBuilder t(2);
    t.property("LATECOMER::SAMPLES", "130");
    t.model().generators = {{.period = 100'000'000}};
    t.model().counters = {{counts ? "PAPI_TOT_INS" : "PAPI_TOT_CYC"}};
    const auto relax = stack(t, {"main", "relax"}, 88);
    t.init({{0, 1}}).enter_all("main", at(1));
    for (int rank = 0; rank < 2; ++rank) {
      const int end = rank == 0 ? 10 : 5;
      counted(t, rank, at(1), {7});
      for (int tenth = 11; tenth <= 10 * end; ++tenth) sample(t, rank, at(tenth / 10.0), relax, 0);
      counted(t, rank, at(end), {rank == 0 ? 307U : 207U});
      t.collective(rank, "MPI_Barrier", at(end), leave(11));
    }
    const auto report = analyze(t.leave_all(at(11)).finalize({{11, 12}}));
    CHECK(report.metric("delay_computed").total() == 5_s);
    CHECK(report.metric("delay_reasons").total() == 5_s);
    const auto& longer = report.extras().at("longer_computation").at(0);
    if (!counts) {
      CHECK_THROWS(report.metric("delay_more").total());
      CHECK_FALSE(longer.contains("instructions"));
      continue;
    }
    CHECK(report.metric("delay_more").at(path("main")) == 2_s);
    CHECK(report.metric("delay_slower").at(path("main")) == 3_s);
    CHECK(longer.at("instructions") == 1.5);
    CHECK(longer.at("time_for_each").get<double>() == Approx(1.5));
  }
}
