// SPDX-License-Identifier: BSD-3-Clause
// Functions and lines of two sampled runs, and the error of their samples.
#include "analyzer/view/difference/computation_changes.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace latecomer;
using namespace latecomer::view;
using report::Computation;

namespace {

// Samples of 10 ms. `relax` has so many, all in one line, and `norm` has 100.
Computation run(std::uint64_t relax, std::uint32_t line = 88,
                const std::string& folder = "/version1/") {
  const auto seconds = [](std::uint64_t samples) { return 0.01 * static_cast<double>(samples); };
  const auto error = [](std::uint64_t samples) {
    return 0.01 * std::sqrt(static_cast<double>(samples));
  };
  Computation c;
  c.samples = relax + 100;
  c.processor_seconds = c.seconds = seconds(c.samples);
  if (relax > 0) {
    c.functions.push_back({.name = "relax",
                           .file = folder + "heat.c",
                           .self = seconds(relax),
                           .inclusive = seconds(relax + 100),
                           .error = error(relax),
                           .inclusive_error = error(relax + 100),
                           .samples = relax,
                           .inclusive_samples = relax + 100});
    c.lines.push_back({.call_path = 1,
                       .function = "relax",
                       .file = folder + "heat.c",
                       .line = line,
                       .seconds = seconds(relax),
                       .error = error(relax),
                       .samples = relax});
  }
  c.functions.push_back({.name = "norm",
                         .file = folder + "heat.c",
                         .self = 1,
                         .inclusive = 1,
                         .error = error(100),
                         .inclusive_error = error(100),
                         .samples = 100,
                         .inclusive_samples = 100});
  return c;
}

}  // namespace

TEST_CASE("a function that changed by more than twice the error of its samples") {
  // relax: 4 s of 400 samples and 9 s of 900; error = sqrt(4 * 4 / 400 + 9 * 9 / 900) = 0.36 s
  const auto changes = computation_changes(run(400), run(900, 88, "/version2/"));
  REQUIRE(changes.functions.size() == 2);
  const auto& relax = changes.functions[0];
  CHECK(relax.name == "relax");
  CHECK(relax.file == "/version1/heat.c");
  CHECK(relax.self.seconds.change() == Approx(5));
  CHECK(relax.self.error == Approx(std::sqrt(0.13)));
  CHECK(relax.self.is_clear());
  CHECK(relax.inclusive.seconds.after == Approx(10));
  REQUIRE(relax.lines.size() == 1);
  CHECK(relax.lines[0].self.is_clear());
  CHECK_FALSE(changes.functions[1].self.is_clear());  // norm: 1 s in both runs
  CHECK(functions_text(changes, 0.1, 10) ==
        "Functions that changed      A      B  change       %  error  lines\n"
        "  relax                 4.000  9.000  +5.000  +125.0  0.361  heat.c:88\n");
  const auto json = computation_changes_json(changes);
  CHECK(json["functions"][0]["self"]["clear"] == true);
  CHECK(json["functions"][0]["lines"][0]["line"] == 88);
  CHECK(json["functions"][1]["self"]["clear"] == false);
}

TEST_CASE("a change by samples of different weights has their error") {
  // 5 s more is clear with the error of 0.36 s that equal weights leave, but not with 3 s.
  auto after = run(900);
  after.functions[0].error = 3;
  const auto relax = computation_changes(run(400), after).functions[0].self;
  CHECK(relax.error == Approx(std::sqrt(0.04 + 9)));
  CHECK_FALSE(relax.is_clear());
}

TEST_CASE("a change within the error of the samples is not named") {
  // 4 s and 4.5 s: the error is sqrt(0.04 + 0.045) = 0.29 s, twice of which is more than 0.5 s.
  CHECK(
      functions_text(computation_changes(run(400), run(450)), 0, 10) ==
      "No function changed by more than twice the error of its samples and 0.05 % of the time.\n");
  // With 6 s it is sqrt(0.04 + 0.06) = 0.32 s. Less than 3 s is not worth a line.
  const auto changes = computation_changes(run(400), run(600));
  CHECK(changes.functions[0].self.is_clear());
  CHECK(functions_text(changes, 3, 10).starts_with("No function"));
}

TEST_CASE("a function without samples has the error of one") {
  // 0 and 0.04 s of 4 samples: error = sqrt(0.01 * 0.01 + 0.04 * 0.04 / 4) = 0.022 s
  const auto few = computation_changes(run(0), run(4)).functions[0].self;
  CHECK(few.error == Approx(std::sqrt(0.0005)));
  CHECK_FALSE(few.is_clear());
  CHECK(computation_changes(run(0), run(9)).functions[0].self.is_clear());
  CHECK(functions_text(computation_changes(run(0), run(900)), 0, 10).find("new") !=
        std::string::npos);
}

TEST_CASE("a function that a list lacks because it is cut off") {
  // It may have as much as the last function of the list, 1 s.
  auto before = run(0);
  before.other_functions = 3;
  const auto unlisted = [&](std::uint64_t samples) {
    return computation_changes(before, run(samples)).functions[0].self;
  };
  CHECK(unlisted(110).unlisted == 1);
  CHECK_FALSE(unlisted(110).is_clear());  // 1.1 s; error sqrt(0.0001 + 0.011) = 0.11 s
  CHECK(unlisted(200).is_clear());        // 2 s; error 0.14 s
}

TEST_CASE("a line whose function is in the list of the other run only") {
  auto before = run(400);
  before.functions.erase(before.functions.begin());  // relax
  before.other_functions = 4;
  const auto changes = computation_changes(before, run(900));
  REQUIRE(changes.functions[0].name == "relax");
  REQUIRE(changes.functions[0].lines.size() == 1);
  CHECK(changes.functions[0].lines[0].self.seconds.before == Approx(4));
  CHECK(changes.functions[0].lines[0].self.seconds.after == Approx(9));
}

TEST_CASE("lines that share the change of their function") {
  // relax: 9 s more, of which two lines have 6 s and 3 s
  auto before = run(0), after = run(900);
  after.lines[0].samples = 600;
  after.lines[0].seconds = 6;
  after.lines.push_back(after.lines[0]);
  after.lines[1].line = 90;
  after.lines[1].samples = 300;
  after.lines[1].seconds = 3;
  CHECK(
      functions_text(computation_changes(before, after), 0, 10).find("heat.c:88 67 %, :90 33 %") !=
      std::string::npos);
}

TEST_CASE("lines that have other numbers since the source was edited are not named") {
  // Line 88 has lost 4 s, and line 90 has got 9 s: more than the function has.
  CHECK(functions_text(computation_changes(run(400, 88), run(900, 90)), 0, 10) ==
        "Functions that changed      A      B  change       %  error  lines\n"
        "  relax                 4.000  9.000  +5.000  +125.0  0.361  heat.c\n");
}

TEST_CASE("parts in which the program did not run") {
  auto after = run(400);
  after.not_computing = {.preempted = 1, .blocked = 2, .kernel = 3, .off_processor = 4};
  const auto changes = computation_changes(run(400), after);
  REQUIRE(changes.not_computing.size() == 4);
  CHECK(changes.not_computing[1].seconds.change() == 2);
  CHECK(computation_changes_json(changes)["not_computing"]["kernel"]["after"] == 3);
}

TEST_CASE("no samples") {
  const auto changes = computation_changes({}, {});
  CHECK(changes.functions.empty());
  CHECK(functions_text(changes, 0, 10).starts_with("No function"));
}
