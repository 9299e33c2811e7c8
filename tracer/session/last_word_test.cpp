// SPDX-License-Identifier: BSD-3-Clause
// Messages to the user at the end of a run about data that is not in the trace.
#include "tracer/session/last_word.hpp"

#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/support/environment_variable.hpp"

using namespace latecomer;
using namespace latecomer::session;

namespace {

using Lines = std::vector<std::string>;

std::vector<LastWord> of(std::size_t processes) { return std::vector<LastWord>(processes); }

}  // namespace

TEST_CASE("nothing is said where everything was recorded, or nobody is told", "[last_word]") {
  CHECK(lines_about(of(3), "there").empty());
  const Variable iterations("LATECOMER_ITERATIONS", "step:2-3");
  CHECK(lines_about({}, "there").empty());  // every rank except 0
}

TEST_CASE("losses of all processes are added up, with the first reason", "[last_word]") {
  std::vector<LastWord> words = of(5);
  words[1].losses = {.records = 2, .bytes = 80, .clamped_times = 0, .error = ENOSPC};
  words[4].losses = {.records = 3, .bytes = 20, .clamped_times = 0, .error = EMFILE};
  CHECK(lines_about(words, "there") ==
        Lines{"warning: 5 records (100 bytes) of ranks 1, 4 could not be written to there: "
              "No space left on device; the trace ends early there"});
  words[1].losses.error = words[4].losses.error = 0;
  CHECK(lines_about(words, "there") ==
        Lines{"warning: 5 records (100 bytes) of ranks 1, 4 are of calls in signal handlers that "
              "interrupted the recording of another call; they are not in the trace"});
}

TEST_CASE("iterations are those of the process with the most", "[last_word]") {
  const Variable iterations("LATECOMER_ITERATIONS", "step:4-6");
  std::vector<LastWord> words = of(3);
  CHECK(lines_about(words, "there") ==
        Lines{"the program has no region 'step' (--iterations step:4-6), so nothing was recorded "
              "between MPI_Init and MPI_Finalize: name one with latecomer.h, or compile with "
              "-finstrument-functions"});
  words[2].found_region = true;
  words[2].visits = 1;
  CHECK(lines_about(words, "there") ==
        Lines{"region 'step' was visited 1 time, recording was to begin at visit 4 "
              "(--iterations step:4-6)"});
  words[1].found_region = true;
  words[1].visits = 3;
  CHECK(lines_about(words, "there") ==
        Lines{"region 'step' was visited 3 times, recording was to begin at visit 4 "
              "(--iterations step:4-6)"});
  words[1].visits = 4;
  CHECK(lines_about(words, "there").empty());
}

TEST_CASE("processes that had their share are counted", "[last_word]") {
  const Variable size("LATECOMER_MAX_SIZE", "1M");
  std::vector<LastWord> words = of(4);
  words[0].was_full = words[3].was_full = true;
  CHECK(lines_about(words, "there") ==
        Lines{"recording was stopped on 2 of 4 processes, whose records had reached their share of "
              "--max-size 1M; what came later is not in the trace"});
}

TEST_CASE("a window that never opened is said once", "[last_word]") {
  const Variable from("LATECOMER_FROM", "10s");
  std::vector<LastWord> words = of(4);
  words[1].never_began = words[2].never_began = true;
  CHECK(lines_about(words, "there") ==
        Lines{"the program ended before recording was to begin, 10s after MPI_Init (--from)"});
}
