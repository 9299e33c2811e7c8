// SPDX-License-Identifier: BSD-3-Clause
// Lines in which a rank computed longer than others, which waited for it, and calls in which it was
// blocked longer.
#include "analyzer/attribution/computation/compare_computation.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tests/replay/sampled_trace.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

// Ranks 0, 1, ... compute in main, one sample per second, each line for so many seconds. Then all
// wait in a barrier for the last one. `lines[rank][i]` is the time in line i. With `seems_open` the
// call paths are from stacks, and exchange seems to be open meanwhile.
TraceBuilder computing_ranks(const std::vector<std::vector<std::int64_t>>& lines, bool has_sources,
                             bool seems_open = false) {
  TraceBuilder t(static_cast<int>(lines.size()));
  t.property("LATECOMER::SAMPLES", "1");
  t.model().generators = {{.period = 1'000'000'000}};
  const std::vector<std::uint32_t> stacks = {stack(t, {"main", "even"}, 10),
                                             stack(t, {"main", "step", "relax"}, 20),
                                             stack(t, {"main", "step", "relax"}, 21)};
  if (has_sources) {
    for (auto& region : t.model().regions) region.file = "/a/heat.c";
  }
  t.init({{0, 1}}).enter_all("main", at(1));
  if (seems_open) {
    t.property("LATECOMER::CALL_PATHS_FROM_STACKS", "true").enter_all("exchange", at(1));
    t.model().regions[t.model().region("exchange")].paradigm = OTF2_PARADIGM_COMPILER;
  }
  std::vector<std::int64_t> ends(lines.size(), 1);
  for (std::size_t rank = 0; rank < lines.size(); ++rank) {
    for (std::size_t i = 0; i < lines[rank].size(); ++i) {
      for (std::int64_t n = 0; n < lines[rank][i]; ++n) {
        sample(t, static_cast<int>(rank), at(static_cast<double>(ends[rank]++)), stacks[i], 0);
      }
    }
  }
  const auto last = static_cast<double>(*std::ranges::max_element(ends));
  for (std::size_t rank = 0; rank < lines.size(); ++rank) {
    t.collective(static_cast<int>(rank), "MPI_Barrier", at(static_cast<double>(ends[rank])),
                 leave(last + 1));
  }
  if (seems_open) t.leave_all(at(last + 1));
  return t.leave_all(at(last + 1)).finalize({{last + 1, last + 2}});
}

nlohmann::json longer(const AnalyzedTrace& report) {
  return report.extras().at("longer_computation");
}

}  // namespace

TEST_CASE("the line in which one rank computed longer") {
  // Rank 0: 100 s at line 10, 110 s at 20, 10 s at 21. The others: 100, 10 and 10 s. So rank 0
  // computes 100 s longer, all of it at line 20, and each of the others waits 100 s for it. Both
  // delays are that of one stretch, in which rank 0 has 110 samples, so twice 110 s have the error
  // 220 / sqrt(110). The others' 10 samples each leave sqrt(20): together sqrt(440 + 20) = 21.4.
  const auto report =
      analyze(computing_ranks({{100, 110, 10}, {100, 10, 10}, {100, 10, 10}}, true));
  const auto found = longer(report);
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("location") == 0);
  CHECK(found[0].at("delay_costs").get<double>() == Approx(200));
  REQUIRE(found[0].at("lines").size() == 1);
  const auto line = found[0].at("lines")[0];
  CHECK(line.at("function") == "relax");
  CHECK(line.at("line") == 20);
  CHECK(line.at("seconds").get<double>() == Approx(200));
  CHECK(line.at("error").get<double>() == Approx(std::sqrt(220.0 * 220 / 110 + 20)));
  CHECK(line.at("samples") == 110);
  // main > step > relax has all of it.
  CHECK(found[0].at("within").get<int>() > found[0].at("call_path").get<int>() + 1);
}

TEST_CASE("reports for Scalasca have no delay costs, so no rank is named") {
  replay::Options options;
  options.scalasca_compatible = true;
  CHECK(longer(analyze(computing_ranks({{3}, {1}}, true), options)).empty());
}

TEST_CASE("a longer line outside of a function that only seemed to be open") {
  const auto report =
      analyze(computing_ranks({{100, 110, 10}, {100, 10, 10}, {100, 10, 10}}, true, true));
  const auto found = longer(report);
  REQUIRE(found.size() == 1);
  const auto name = [&](const char* key) {
    return report.call_paths().at(found[0].at(key).get<std::size_t>());
  };
  CHECK(name("call_path") == "program/main/exchange");
  CHECK(name("within") == "program/main/step/relax");
  REQUIRE(found[0].at("lines").size() == 1);
  CHECK(found[0].at("lines")[0].at("line") == 20);
  CHECK(found[0].at("lines")[0].at("seconds").get<double>() == Approx(200));
}

TEST_CASE("a difference that may be chance is not named") {
  // 14 s against 10 s: the error is sqrt(14 + 10) = 4.9.
  const auto report = analyze(computing_ranks({{100, 14}, {100, 10}}, true));
  CHECK(longer(report).empty());
}

TEST_CASE("lines that only the delayer has") {
  // Two lines of 50 s each that rank 1 never reaches. One sample there would have been possible:
  // the error is sqrt(50 + 1).
  const auto found = longer(analyze(computing_ranks({{10, 50, 50}, {10}}, true)));
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].at("lines").size() == 2);
  CHECK(found[0].at("lines")[0].at("error").get<double>() == Approx(std::sqrt(51.0)));
}

TEST_CASE("without source files the innermost functions are named") {
  const auto found = longer(analyze(computing_ranks({{10, 100}, {10}}, false)));
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("within") == found[0].at("call_path"));
  CHECK(found[0].at("lines")[0].at("function") == "relax");
}

TEST_CASE("a rank that computed something else, not longer, is no cause") {
  // Rank 0 has 30 s at line 20, the others have them at line 21; rank 1 has 30 s more at line 10.
  // So rank 0 makes nobody wait, and rank 1 is the only cause.
  const auto found =
      longer(analyze(computing_ranks({{10, 30, 0}, {40, 0, 30}, {10, 0, 30}}, true)));
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("location") == 1);
  // 70 s against 40 s, for each of the others.
  CHECK(found[0].at("delay_costs").get<double>() == Approx(60));
}

TEST_CASE("reasons: what the kernel did with the one that was late") {
  // Rank 0 is in main from 1 to 11, rank 1 from 1 to 3. The kernel says that rank 0 was blocked for
  // 5 s, had no core for 2 s, and had 1280 page faults; rank 1 had no core for 1 s. Of rank 0's
  // last 3 s two samples of 1 s tell, so all of them are on a core.
  TraceBuilder t(2);
  t.property("LATECOMER::SAMPLES", "3");
  t.model().generators = {{.period = 1'000'000'000}};
  t.model().counters = {{"preempted", "s", -9}, {"blocked", "s", -9}, {"page faults"}};
  const auto relax = stack(t, {"main", "relax"}, 88);
  t.init({{0, 1}}).enter_all("main", at(1));
  for (int rank = 0; rank < 2; ++rank) counted(t, rank, at(1), {0, 0, 0});
  sample(t, 1, at(2), relax, 0);
  counted(t, 1, at(3), {1'000'000'000, 0, 0});
  sample(t, 0, at(2), relax, 0);
  sample(t, 0, at(3), relax, 0);
  counted(t, 0, at(11), {2'000'000'000, 5'000'000'000, 1280});
  t.collective(0, "MPI_Barrier", at(11), leave(12)).collective(1, "MPI_Barrier", at(3), leave(12));
  const auto found = longer(analyze(t.leave_all(at(12)).finalize({{12, 13}})));
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("location") == 0);
  CHECK(found[0].at("delay_costs").get<double>() == Approx(8));  // 10 and 2 s
  const auto parts = found[0].at("not_computing");
  CHECK(parts.at("blocked").get<double>() == Approx(5));
  CHECK(parts.at("preempted").get<double>() == Approx(1));
  CHECK(parts.at("kernel").get<double>() == Approx(0));
  CHECK(parts.at("off_processor").get<double>() == Approx(0));
  CHECK(found[0].at("page_faults").get<double>() == Approx(1280));
}

TEST_CASE("reasons: a run without a single sample") {
  // Rank 0 is in main from 1 to 11, rank 1 from 1 to 3. The kernel says that rank 0 was blocked for
  // 8 of its 10 s. Nobody used a processor long enough for a sample, so the rest is unknown.
  TraceBuilder t(2);
  t.model().counters = {{"preempted", "s", -9}, {"blocked", "s", -9}, {"page faults"}};
  t.init({{0, 1}}).enter_all("main", at(1));
  for (int rank = 0; rank < 2; ++rank) counted(t, rank, at(1), {0, 0, 0});
  counted(t, 1, at(3), {0, 1'500'000'000, 0});
  counted(t, 0, at(11), {0, 8'000'000'000, 0});
  t.collective(0, "MPI_Barrier", at(11), leave(12)).collective(1, "MPI_Barrier", at(3), leave(12));
  const auto report = analyze(t.leave_all(at(12)).finalize({{12, 13}}));
  CHECK_FALSE(report.extras().contains("computation"));
  const auto found = longer(report);
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("location") == 0);
  CHECK(found[0].at("lines").empty());
  // 10 - 2 s longer: 8 - 1.5 s blocked. The other 1.5 s are those of rank 0's 2 s that were not
  // blocked, in the kernel or without a core. Rank 1's rest of 0.5 s is shorter than 9 periods of
  // 0.1 s, so it may well be computation.
  CHECK(found[0].at("not_computing").at("blocked").get<double>() == Approx(6.5));
  CHECK(found[0].at("not_computing").at("off_processor").get<double>() == Approx(1.5));
  // Of the 8 s that rank 1 waits, rank 0 was blocked for 6.5 s longer. The others are the 2 s of
  // rank 0 that were not blocked, without the 0.5 s of rank 1.
  CHECK(report.metric("delay_blocked").total() == 6'500'000'000);
  CHECK(report.metric("delay_off_core").total() == 1'500'000'000);
}

TEST_CASE("lines of a run in which nobody waits") {
  CHECK(longer(analyze(computing_ranks({{10, 20}, {10, 20}}, true))).empty());
}

TEST_CASE("lines of the stretches that made others wait, not of the whole run") {
  // Two ranks compute in main, one sample per second, and meet three times:
  //
  //   rank 0   10 s at line 20                  60 s at line 21   110 s at line 20
  //   rank 1   100 s at line 20, 90 s longer    60 s at line 10   10 s at line 20
  //
  // Over the whole run rank 0 computes 10 s longer than rank 1: line 21 is 60 s longer, for which
  // nobody waited, and 10 s more at line 20 may be chance. In the stretch for which rank 1 waits it
  // is line 20 that is 100 s longer. Rank 1 is 90 s longer there in its own stretch.
  TraceBuilder t(2);
  t.property("LATECOMER::SAMPLES", "350");
  t.model().generators = {{.period = 1'000'000'000}};
  const std::vector<std::uint32_t> lines = {stack(t, {"main", "relax"}, 10),
                                            stack(t, {"main", "relax"}, 20),
                                            stack(t, {"main", "relax"}, 21)};
  t.init({{0, 1}}).enter_all("main", at(1));
  double begin = 1;
  const auto step = [&](int rank, std::size_t line, int seconds, double end) {
    for (int n = 0; n < seconds; ++n) sample(t, rank, at(begin + n + 0.5), lines[line], 0);
    t.collective(rank, "MPI_Barrier", at(begin + seconds), leave(end));
  };
  for (const auto& [first, second] : {std::pair(std::pair(1, 10), std::pair(1, 100)),
                                      std::pair(std::pair(2, 60), std::pair(0, 60)),
                                      std::pair(std::pair(1, 110), std::pair(1, 10))}) {
    const double end = begin + std::max(first.second, second.second);
    step(0, static_cast<std::size_t>(first.first), first.second, end);
    step(1, static_cast<std::size_t>(second.first), second.second, end);
    begin = end;
  }
  const auto found = longer(analyze(t.leave_all(at(begin)).finalize({{begin, begin + 1}})));
  REQUIRE(found.size() == 2);
  for (const std::size_t rank : {0U, 1U}) {
    const auto& one = found[rank];
    CHECK(one.at("location") == rank);
    CHECK(one.at("delay_costs").get<double>() == Approx(rank == 0 ? 100 : 90));
    REQUIRE(one.at("lines").size() == 1);
    const auto& line = one.at("lines")[0];
    CHECK(line.at("line") == 20);
    CHECK(line.at("seconds").get<double>() == Approx(rank == 0 ? 100 : 90));
    CHECK(line.at("error").get<double>() == Approx(std::sqrt(rank == 0 ? 120 : 110)));
  }
}

TEST_CASE("a rank that was blocked where nobody waited for it") {
  // Rank 0 is blocked for 50 s of the first 60 s, and rank 1 computes 60 s, so nobody waits. Then
  // rank 0 computes 100 s and rank 1 10 s. Over the whole run rank 0 is blocked 50 s longer and
  // computes only 40 s longer. The 90 s for which rank 1 waits are all computation.
  TraceBuilder t(2);
  t.property("LATECOMER::SAMPLES", "180");
  t.model().generators = {{.period = 1'000'000'000}};
  t.model().counters = {{"preempted", "s", -9}, {"blocked", "s", -9}, {"page faults"}};
  const auto relax = stack(t, {"main", "relax"}, 88);
  t.init({{0, 1}}).enter_all("main", at(1));
  for (int rank = 0; rank < 2; ++rank) {
    const int first = rank == 0 ? 10 : 60, second = rank == 0 ? 100 : 10;
    const std::uint64_t blocked = rank == 0 ? 50'000'000'000 : 0;
    counted(t, rank, at(1), {0, 0, 0});
    for (int n = 0; n < first; ++n) sample(t, rank, at(1.5 + n), relax, 0);
    counted(t, rank, at(61), {0, blocked, 0});
    t.collective(rank, "MPI_Barrier", at(61), leave(61));
    for (int n = 0; n < second; ++n) sample(t, rank, at(61.5 + n), relax, 0);
    counted(t, rank, at(61 + second), {0, blocked, 0});
    t.collective(rank, "MPI_Barrier", at(61 + second), leave(161));
  }
  const auto found = longer(analyze(t.leave_all(at(161)).finalize({{161, 162}})));
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("location") == 0);
  CHECK(found[0].at("delay_costs").get<double>() == Approx(90));
  for (const char* part : {"blocked", "preempted", "kernel", "off_processor"}) {
    CHECK(found[0].at("not_computing").at(part) == 0);
  }
  REQUIRE(found[0].at("lines").size() == 1);
  CHECK(found[0].at("lines")[0].at("seconds").get<double>() == Approx(90));
}

TEST_CASE("a rank without a core inside an MPI call") {
  // Both ranks call MPI_Reduce_local at 2. Rank 1 leaves it at 3 and waits in a barrier from 4 on.
  // Rank 0 has no core from 2.5 to 6, leaves it at 7 and comes to the barrier at 8. So it was 4 s
  // longer in the call: 3.5 s without a core, and 0.5 s are MPI's own.
  TraceBuilder t(2);
  t.model().counters = {{"preempted", "s", -9}, {"blocked", "s", -9}, {"page faults"}};
  t.init({{0, 1}}).enter_all("main", at(1));
  for (int rank = 0; rank < 2; ++rank) {
    counted(t, rank, at(1), {0, 0, 0});
    t.enter(rank, "MPI_Reduce_local", at(2));
  }
  counted(t, 0, at(6), {3'500'000'000, 0, 0});
  t.leave(0, at(7)).leave(1, at(3));
  t.collective(0, "MPI_Barrier", at(8), leave(8)).collective(1, "MPI_Barrier", at(4), leave(8));
  const auto report = analyze(t.leave_all(at(8)).finalize({{8, 9}}));
  CHECK(report.metric("delay_preempted").at(path("main/MPI_Reduce_local")) == 3'500'000'000);
  CHECK(report.metric("delay_in_mpi").at(path("main/MPI_Reduce_local")) == 500'000'000);
  CHECK(report.metric("delay_reasons").total() == report.metric("delay_mpi").total());
  const auto found = longer(report);
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("location") == 0);
  CHECK(found[0].at("not_computing").at("preempted").get<double>() == Approx(3.5));
  CHECK(found[0].at("lines").empty());
}

TEST_CASE("the calls in which one rank was blocked longer") {
  // All ranks are in main from 1. Rank 0 comes to the barrier at 20, the others at 5, so each of
  // them waits 15 s. The kernel says: rank 0 was blocked for 16 s. Of these it slept 10 s at line
  // 12, and received for 5 s at line 33; the place of 1 s is not known. Rank 1 slept 3 s at line
  // 12, rank 2 1 s, so rank 0 slept 7 s and 9 s longer. Rank 2 received for 2 s at line 33, so rank
  // 0 did so 5 s and 3 s longer. Rank 0 was blocked 13 s longer than either, and on a core 2 s.
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
  CHECK(longer[0].at("not_computing").at("blocked").get<double>() == Approx(26));
  const auto calls = longer[0].at("blocked");
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].at("function") == "usleep");
  CHECK(calls[0].at("caller") == "rest");
  CHECK(calls[0].at("line") == 12);
  CHECK(calls[0].at("seconds").get<double>() == Approx(16));
  CHECK(calls[1].at("function") == "recv");
  CHECK(calls[1].at("line") == 33);
  CHECK(calls[1].at("seconds").get<double>() == Approx(8));
  // Such samples stand for no processor time.
  CHECK(report.extras().at("computation").at("samples") == 3);
}
