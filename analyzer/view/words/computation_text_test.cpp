// SPDX-License-Identifier: BSD-3-Clause
// The lines of the summary about computation: shares, lines, errors.
#include "analyzer/view/words/computation_text.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::view;

namespace {

// 8 s of computation: relax 6 s, all of it at one line; norm 1.8 s, a third of it at line 5, with
// 36 samples; and something small.
report::Computation computation() {
  report::Computation c;
  c.samples = 1'636;
  c.periods = {0.005};
  c.seconds = 8;
  c.functions = {
      {.name = "relax(int)", .file = "/a/heat.c", .self = 6, .error = 0.15, .samples = 1'600},
      {.name = "norm", .file = "/a/heat.c", .self = 1.8, .error = 0.3, .samples = 36},
      {.name = "exp", .file = "", .self = 0.07, .error = 0.022, .samples = 10},
      {.name = "tiny", .file = "", .self = 0.01, .samples = 2}};
  c.lines = {{.function = "relax(int)", .file = "/a/heat.c", .line = 88, .seconds = 4},
             {.function = "relax(int)", .file = "/a/heat.c", .line = 88, .seconds = 2},
             {.function = "norm", .file = "/a/heat.c", .line = 5, .seconds = 0.6},
             {.function = "norm", .file = "/a/heat.c", .line = 6, .seconds = 0.5},
             {.function = "norm", .file = "/a/heat.c", .line = 0, .seconds = 0.7}};
  return c;
}

}  // namespace

TEST_CASE("computation in the summary") {
  // Of 10 s: 60 %, and 18 % with an error of 3 %. Line 5 has 6 %.
  const std::string head =
      "Computation: 80 % of the time, 8.000 s (1,636 samples, one per 5.000 ms)\n";
  const std::string relax = "  60 %           relax (heat.c:88)\n";
  const std::string norm = "  18 %  ± 3 %    norm (heat.c, 6 % at line 5)\n";
  CHECK(computation_summary(computation(), 10, 5) ==
        head + relax + norm + "   1 %  ± 0.2 %  exp\n");
  CHECK(computation_summary(computation(), 12, 2).find("norm") != std::string::npos);
  CHECK(computation_summary(computation(), 12, 2).find("exp") == std::string::npos);
  CHECK(computation_summary({}, 10, 5).empty());
  CHECK(computation_summary(computation(), 0, 5).empty());
}

TEST_CASE("the rates of samples") {
  auto c = computation();
  // The text without the line breaks of narrow terminals.
  const auto says = [&](const std::string& words) {
    auto text = computation_summary(c, 10, 0);
    std::ranges::replace(text, '\n', ' ');
    return text.find(words) != std::string::npos;
  };
  c.periods = {0.01, 0.1};
  CHECK(says("(1,636 samples, one per 10.00 ms, in long stretches without MPI one per 100.0 ms)"));
  c.periods = {0.01, 0.1, 1};
  CHECK(says("one per 10.00 ms, in long stretches without MPI one per 100.0 ms to 1.000 s)"));
  c.periods = {0.01, 0.02, 0.08};  // of timer signals
  CHECK(says("one per 10.00 ms to 80.00 ms)"));
}

TEST_CASE("parts in the summary in which the program did not run") {
  auto c = computation();
  c.not_computing = {.blocked = 1, .off_processor = 2};
  const auto text = computation_summary(c, 10, 0);
  CHECK(text.find("  10 % blocked, 1.000 s: asleep, or waiting for a file, a lock, a socket, a "
                  "thread or a child\n") != std::string::npos);
  CHECK(text.find("  20 % not on a core, 2.000 s: asleep, waiting for files or locks, or no free "
                  "core\n") != std::string::npos);
}
