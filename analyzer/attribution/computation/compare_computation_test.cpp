// SPDX-License-Identifier: BSD-3-Clause
// Lines in which a rank computed longer than others, which waited for it.
#include "analyzer/attribution/computation/compare_computation.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
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
  // computes 100 s longer, all of it at line 20, and each of the others waits 100 s for it. The
  // error is that of 110 s by 110 samples, and that of 20 s by 20 samples, divided by the 2 others:
  // sqrt(110 + 20 / 4) = 10.72.
  const auto report =
      analyze(computing_ranks({{100, 110, 10}, {100, 10, 10}, {100, 10, 10}}, true));
  const auto found = longer(report);
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("location") == 0);
  CHECK(found[0].at("delay_costs").get<double>() == Approx(200));
  CHECK(found[0].at("seconds").get<double>() == Approx(100));
  REQUIRE(found[0].at("lines").size() == 1);
  const auto line = found[0].at("lines")[0];
  CHECK(line.at("function") == "relax");
  CHECK(line.at("line") == 20);
  CHECK(line.at("seconds").get<double>() == Approx(100));
  CHECK(line.at("error").get<double>() == Approx(std::sqrt(110 + 20 / 4.0)));
  CHECK(line.at("samples") == 110);
  // main > step > relax has all of it.
  CHECK(found[0].at("within").get<int>() > found[0].at("call_path").get<int>() + 1);
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
  CHECK(found[0].at("lines")[0].at("seconds").get<double>() == Approx(100));
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
  // 70 s against 40 s.
  CHECK(found[0].at("seconds").get<double>() == Approx(30));
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
  CHECK(found[0].at("seconds").get<double>() == Approx(8));  // 10 and 2 s
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
  // 10 - 2 s longer: 8 - 1.5 s blocked. Rank 1's rest of 0.5 s is shorter than 9 periods of 0.1 s,
  // so it may well be computation; rank 0's 2 s are in the kernel or without a core.
  CHECK(found[0].at("not_computing").at("blocked").get<double>() == Approx(6.5));
  CHECK(found[0].at("not_computing").at("off_processor").get<double>() == Approx(2));
  // Of the 8 s that rank 1 waits, rank 0 was blocked for 6.5 s longer. The others are the 2 s of
  // rank 0 that were not blocked, without the 0.5 s of rank 1.
  CHECK(report.metric("delay_blocked").total() == 6'500'000'000);
  CHECK(report.metric("delay_off_core").total() == 1'500'000'000);
}

TEST_CASE("lines of a run in which nobody waits") {
  CHECK(longer(analyze(computing_ranks({{10, 20}, {10, 20}}, true))).empty());
}
