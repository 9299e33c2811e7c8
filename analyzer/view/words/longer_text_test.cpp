// SPDX-License-Identifier: BSD-3-Clause
// The sentence about lines in which a cause of waiting computed longer than others.
#include "analyzer/view/words/longer_text.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::view;

namespace {

report::LongerComputation::Line line(const char* function, std::uint32_t number, double seconds) {
  return {.function = function, .file = "/a/heat.c", .line = number, .seconds = seconds};
}

}  // namespace

TEST_CASE("one line that computed longer") {
  // 1.95 of 2 s
  const report::LongerComputation longer{
      .delay_costs = 2, .lines = {line("relax", 88, 1.95), line("relax", 90, 0.05)}};
  CHECK(longer_text(longer, {"relax(int)"}) ==
        "it computed longer for 2.000 s of the waiting in relax (heat.c:88)");
}

TEST_CASE("more instructions, or slower ones") {
  const auto text = [](double instructions, double time_for_each) {
    const report::LongerComputation longer{.delay_costs = 2,
                                           .instructions = instructions,
                                           .time_for_each = time_for_each,
                                           .lines = {line("relax", 88, 1.95)}};
    const std::string whole = longer_text(longer, {"relax"});
    const std::string begin = "it computed longer for 2.000 s of the waiting in relax (heat.c:88)";
    REQUIRE(whole.starts_with(begin));
    return whole.substr(begin.size());
  };
  CHECK(text(1.9, 1.02) == ", with 1.9 times the instructions");
  CHECK(text(1.04, 1.7) == ", with as many instructions, each 1.7 times as long");
  CHECK(text(1.5, 1.5) == ", with 1.5 times the instructions, each 1.5 times as long");
  CHECK(text(0.8, 1.7) == ", with 0.8 times the instructions, each 1.7 times as long");
  CHECK(text(1.01, 1.01).empty());
  CHECK(text(0, 0).empty());
}

TEST_CASE("several lines that computed longer") {
  // Line 88 is at two call paths: 0.7 + 0.5 of 2 s. 3 % are not worth naming.
  const report::LongerComputation longer{
      .delay_costs = 2,
      .lines = {line("relax", 88, 0.7), line("relax", 90, 0.6), line("relax", 88, 0.5),
                line("relax", 91, 0.06)}};
  CHECK(longer_text(longer, {"relax"}) ==
        "it computed longer for 2.000 s of the waiting in relax: 60 % at heat.c:88, 30 % at "
        "heat.c:90");
}

TEST_CASE("functions without lines that computed longer") {
  const report::LongerComputation longer{.delay_costs = 2,
                                         .lines = {line("relax", 0, 1), line("norm", 0, 0.9)}};
  CHECK(longer_text(longer, {"step"}) ==
        "it computed longer for 2.000 s of the waiting in step: 50 % in relax, 45 % in norm");
  const report::LongerComputation all{.delay_costs = 2, .lines = {line("relax", 0, 2)}};
  CHECK(longer_text(all, {"relax"}) == "it computed longer for 2.000 s of the waiting in relax");
  CHECK(longer_text(all, {"a", "b", "c", "relax"}) ==
        "it computed longer for 2.000 s of the waiting in b > c > relax");
}

TEST_CASE("the rank that the text is about") {
  CHECK(naming_rank("it computed longer for 2.000 s of the waiting", 3) ==
        "rank 3 computed longer for 2.000 s of the waiting");
  CHECK(naming_rank("by time in fsync itself", 3) == "by time in fsync itself");
}

TEST_CASE("a cause that did not compute") {
  const report::LongerComputation off{.delay_costs = 2, .not_computing = {.off_processor = 1.9}};
  CHECK(longer_text(off, {"relax"}) ==
        "it was not on a core for 1.900 s of the waiting: asleep, waiting for a file "
        "or a lock, or without a free core");
  const report::LongerComputation preempted{.delay_costs = 2, .not_computing = {.preempted = 2}};
  CHECK(longer_text(preempted, {"relax"}) ==
        "it had no core for 2.000 s of the waiting, since something else ran there");
  const report::LongerComputation blocked{.delay_costs = 2, .not_computing = {.blocked = 2}};
  CHECK(longer_text(blocked, {"relax"}) ==
        "it was blocked for 2.000 s of the waiting: asleep, or waiting for a file, a lock, "
        "a socket, a thread or a child");
}

TEST_CASE("a cause that was blocked in known calls") {
  const auto call = [](const char* function, std::uint32_t line, double seconds) {
    return report::LongerComputation::Blocked{.function = function,
                                              .caller = "rest",
                                              .file = "/a/heat.c",
                                              .line = line,
                                              .seconds = seconds};
  };
  report::LongerComputation blocked{
      .delay_costs = 2, .not_computing = {.blocked = 2}, .blocked = {call("usleep", 12, 1.9)}};
  CHECK(longer_text(blocked, {"relax"}) ==
        "it was blocked for 2.000 s of the waiting: it slept in usleep (heat.c:12)");
  blocked.blocked = {call("recv", 33, 0.5), call("pthread_mutex_lock", 0, 1.2)};
  CHECK(longer_text(blocked, {"relax"}) ==
        "it was blocked for 2.000 s of the waiting: it waited for a lock in "
        "pthread_mutex_lock (called by rest) for 60 % of that, waited for data in recv (heat.c:33) "
        "for 25 % of that");
  blocked.blocked = {call("wait", 5, 2)};
  CHECK(longer_text(blocked, {"relax"}).ends_with(": it waited for a child in wait (heat.c:5)"));
  blocked.blocked = {call("pthread_cond_clockwait", 5, 2)};
  CHECK(longer_text(blocked, {"relax"})
            .ends_with("waited for another thread in pthread_cond_clockwait (heat.c:5)"));
  // Too little of it is known.
  blocked.blocked = {call("usleep", 12, 0.1)};
  CHECK(longer_text(blocked, {"relax"}).ends_with("a thread or a child"));
}

TEST_CASE("a cause in the kernel") {
  // A page fault takes about a microsecond: 500,000 are half a second of 1.9, one every 3.8 us.
  // 100,000 are too few to be the reason.
  report::LongerComputation longer{.delay_costs = 2,
                                   .not_computing = {.kernel = 1.9},
                                   .page_faults = 500'000,
                                   .lines = {line("relax", 88, 1.9)}};
  CHECK(longer_text(longer, {"relax"}) ==
        "it was in the kernel for 1.900 s of the waiting in relax (heat.c:88), with "
        "a page fault every 3.800 us");
  longer.page_faults = 100'000;
  CHECK(longer_text(longer, {"relax"}) ==
        "it was in the kernel for 1.900 s of the waiting in relax (heat.c:88)");
}

TEST_CASE("a cause with several reasons, the largest first") {
  // 1.2 s computed, 0.5 s blocked, 0.2 s in the kernel; 0.1 s without a core are less than a tenth.
  const report::LongerComputation longer{
      .delay_costs = 2,
      .not_computing = {.preempted = 0.1, .blocked = 0.5, .kernel = 0.2},
      .lines = {line("relax", 88, 1.4)}};
  CHECK(longer_text(longer, {"relax"}) ==
        "it computed longer for 1.200 s of the waiting in relax (heat.c:88); was blocked for 500.0 "
        "ms: "
        "asleep, or waiting for a file, a lock, a socket, a thread or a child; was in the kernel "
        "for 200.0 ms");
}

TEST_CASE("nothing that computed longer") {
  CHECK(longer_text({.delay_costs = 2}, {"relax"}).empty());
  CHECK(longer_text({.delay_costs = 0, .lines = {line("relax", 88, 1)}}, {"relax"}).empty());
}
