// SPDX-License-Identifier: BSD-3-Clause
// Calls in which a rank was blocked longer than others, which waited for it.
#include "analyzer/attribution/computation/compare_blocked.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replay/sampled_trace.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer;
using namespace latecomer::test;

TEST_CASE("the calls in which one rank was blocked longer") {
  // All ranks are in main from 1. Rank 0 comes to the barrier at 20, the others at 5, so each of
  // them waits 15 s. The kernel says: rank 0 was blocked for 16 s. Of these it slept 10 s at line
  // 12, and received for 5 s at line 33; the place of 1 s is not known. Rank 1 slept 3 s at line
  // 12, rank 2 1 s: 2 s on average, so rank 0 slept 8 s longer. Rank 2 received for 2 s at line 33:
  // 1 s on average, so rank 0 did so 4 s longer. Rank 0 was blocked 16 - (3 + 3) / 2 = 13 s longer.
  TraceBuilder t(3);
  t.property("LATECOMER::SAMPLES", "3");
  t.model().generators = {
      {.period = 1'000'000'000},
      {.period = 1, .exponent = 0, .mode = OTF2_INTERRUPT_GENERATOR_MODE_COUNT, .name = "blocked"}};
  t.model().counters = {{"preempted", "s", -9}, {"blocked", "s", -9}, {"page faults"}};
  const auto relax = stack(t, {"main", "relax"}, 88);
  const auto sleeps = called(t, stack(t, {"main", "rest"}, 12), "usleep");
  const auto receives = called(t, stack(t, {"main", "net"}, 33), "recv");
  for (auto& region : t.model().regions) {
    if (region.name != "usleep" && region.name != "recv") region.file = "/a/heat.c";
  }
  t.init({{0, 1}}).enter_all("main", at(1));
  constexpr std::uint64_t kSecond = 1'000'000'000;
  for (int rank = 0; rank < 3; ++rank) counted(t, rank, at(1), {0, 0, 0});
  sample(t, 0, at(2), relax, 0);
  sample(t, 1, at(2), relax, 0);
  sample(t, 2, at(2), relax, 0);
  blocked(t, 0, at(19), sleeps, 1, 4);
  blocked(t, 0, at(19), receives, 1, 5);
  blocked(t, 0, at(19), sleeps, 1, 6);
  blocked(t, 1, at(5), sleeps, 1, 3);
  blocked(t, 2, at(5), sleeps, 1, 1);
  blocked(t, 2, at(5), receives, 1, 2);
  counted(t, 0, at(20), {0, 16 * kSecond, 0});
  counted(t, 1, at(5), {0, 3 * kSecond, 0});
  counted(t, 2, at(5), {0, 3 * kSecond, 0});
  t.collective(0, "MPI_Barrier", at(20), leave(21));
  t.collective(1, "MPI_Barrier", at(5), leave(21));
  t.collective(2, "MPI_Barrier", at(5), leave(21));
  t.leave_all(at(21)).finalize({{21, 22}});
  const auto report = analyze(t);
  const auto longer = report.extras().at("longer_computation");
  REQUIRE(longer.size() == 1);
  CHECK(longer[0].at("not_computing").at("blocked").get<double>() == Approx(13));
  const auto calls = longer[0].at("blocked");
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].at("function") == "usleep");
  CHECK(calls[0].at("caller") == "rest");
  CHECK(calls[0].at("line") == 12);
  CHECK(calls[0].at("seconds").get<double>() == Approx(8));
  CHECK(calls[1].at("function") == "recv");
  CHECK(calls[1].at("line") == 33);
  CHECK(calls[1].at("seconds").get<double>() == Approx(4));
  // Such samples stand for no processor time.
  CHECK(report.extras().at("computation").at("samples") == 3);
}
