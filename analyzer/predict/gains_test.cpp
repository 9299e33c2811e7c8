// SPDX-License-Identifier: BSD-3-Clause
// Run times if causes of waiting took less time: traces of a few lines, the arithmetic, the exact
// numbers.
#include "analyzer/predict/gains.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/replay/two_ranks.hpp"

using namespace latecomer;
using namespace latecomer::test;

TEST_CASE("gains: the causes of waiting, unasked") {
  // 1 waits 2 for the work of 0. In balance: 12, as above. A tenth less time: 0 sends at 1 + 3.6 =
  // 4.6; the message is there at 6.6, then 5 and 1: 12.6.
  // 0 waits 2 in MPI_Finalize for what 1 did outside of functions: 5, and 0 did 4. In balance 1
  // does 4.5: 7 + 4.5 + 1 = 12.5. A tenth less time: 7 + 4.5 + 1.
  const auto report = analyze(two());
  const auto& gains = report.extras()["gains"];
  CHECK(gains["recorded"] == 13);
  const auto paths = report.call_paths();
  double last = 0;
  bool any = false;
  for (const auto& cause : gains["causes"]) {
    const auto& path = paths[cause["call_path"].get<std::size_t>()];
    const auto balanced = cause["balanced"].get<double>(), faster = cause["faster"].get<double>();
    if (path.ends_with("work")) {
      any = true;
      CHECK(balanced == 12);
      CHECK(faster == 12.6);
      // If a part p of both works remains, 0 sends at 1 + 4 p. The message is there 2 later, after
      // 1 has come. Then 5 and 1: the run lasts 9 + 4 p.
      CHECK(cause["curve"] == nlohmann::json::parse(R"([{"part": 0.9, "run_time": 12.6},
        {"part": 0.75, "run_time": 12.0}, {"part": 0.5, "run_time": 11.0},
        {"part": 0.0, "run_time": 9.0}])"));
    } else {
      CHECK(path == "program");
      CHECK(balanced == 12.5);
      CHECK(faster == 12.5);
    }
    double before = 13;  // less time never makes the run longer
    for (const auto& point : cause["curve"]) {
      CHECK(point["run_time"] <= before);
      before = point["run_time"];
    }
    CHECK(std::min(balanced, faster) >= last);
    last = std::min(balanced, faster);
  }
  CHECK(any);
  // If parts p of work and q of what 1 did outside of functions remain, 1 comes to MPI_Finalize at
  // 3 + 4 p + 5 q, always after 0. The run lasts 4 + 4 p + 5 q: there is one path.
  const bool first = paths[gains["causes"][0]["call_path"].get<std::size_t>()].ends_with("work");
  CHECK(gains["paths"] == nlohmann::json{{{"fixed", 4.0},
                                          {"of_cause", first ? std::vector<double>{4, 5}
                                                             : std::vector<double>{5, 4}}}});
  CHECK(gains["error"] == 0);
}

TEST_CASE("gains: several causes with less time at once") {
  //   0   init 0..1   a 1..11   barrier 11..12   a 12..14   barrier 14..19   finalize 19..20
  //   1   init 0..1   b 1..9    barrier 9..12    b 12..18   barrier 18..19   finalize 19..20
  // Each barrier ends 1 after the last one has come. If parts p of a and q of b remain:
  //
  //   run time = 4 + max(10 p, 8 q) + max(2 p, 6 q)
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .enter(0, "a", at(1))
      .leave(0, at(11))
      .enter(1, "b", at(1))
      .leave(1, at(9))
      .collective("MPI_Barrier", {{11, 12}, {9, 12}})
      .enter(0, "a", at(12))
      .leave(0, at(14))
      .enter(1, "b", at(12))
      .leave(1, at(18))
      .collective("MPI_Barrier", {{14, 19}, {18, 19}})
      .finalize({{19, 20}, {19, 20}});
  const auto report = analyze(t);
  const auto& gains = report.extras()["gains"];
  CHECK(gains["recorded"] == 20);
  CHECK(gains["error"] == 0);
  REQUIRE(gains["causes"].size() == 2);
  const auto paths = report.call_paths();
  const std::size_t a =
      paths[gains["causes"][0]["call_path"].get<std::size_t>()].ends_with("a") ? 0 : 1;
  for (const double p : {0.0, 0.1, 0.25, 0.5, 0.8, 1.0}) {
    for (const double q : {0.0, 0.1, 0.25, 0.5, 0.8, 1.0}) {
      double longest = 0;
      for (const auto& path : gains["paths"]) {
        longest =
            std::max(longest, path["fixed"].get<double>() + p * path["of_cause"][a].get<double>() +
                                  q * path["of_cause"][1 - a].get<double>());
      }
      CAPTURE(p, q);
      CHECK(longest == Approx(4 + std::max(10 * p, 8 * q) + std::max(2 * p, 6 * q)));
    }
  }
}
