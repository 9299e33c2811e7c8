// SPDX-License-Identifier: BSD-3-Clause
// The line that shows the progress of an analysis.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "analyzer/cli/progress_line.hpp"

using namespace std::chrono_literals;
using latecomer::cli::ProgressLine;

namespace {

// Output of a progress line while `use` advances the time.
template <typename Use>
std::string written(bool wanted, Use&& use) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const file = open_memstream(&text, &size);
  {
    ProgressLine::Clock::time_point now{};
    ProgressLine line(wanted, file, [&] { return now; });
    use(line, now);
  }
  std::fclose(file);
  const std::string all(text, size);
  std::free(text);
  return all;
}

}  // namespace

TEST_CASE("progress line: percent, rate and what is left of the time") {
  // 40 of 100 million in 2 s: 20 million/s; the other 60 % take 3 s.
  CHECK(written(true, [](ProgressLine& line, auto& now) {
          now += 2s;
          line.part("reading events", 40'000'000, 100'000'000, "events/s per process");
        }) == "\rreading events:  40 %, 20.0 million events/s per process, 3 s left\033[K\r\033[K");
}

TEST_CASE("progress line: each phase has a rate and an end of its own") {
  // After 10 s of other work 30 of 120 waits in 2 s: 15 a second; the other three quarters take 6
  // s.
  CHECK(written(true, [](ProgressLine& line, auto& now) {
          now += 10s;
          line.ended("a phase");
          now += 2s;
          line.part("finding causes", 30, 120, "waits/s");
        }) == "\rfinding causes:  25 %, 15.0 waits/s, 6 s left\033[K\r\033[K");
}

TEST_CASE("progress line: pieces of work") {
  // 30 of 40 in 2 s: 15 a second; the last quarter takes 0.67 s.
  CHECK(written(true, [](ProgressLine& line, auto& now) {
          now += 2s;
          line.part("preparing the page", 30, 40, "metrics/s");
        }) == "\rpreparing the page:  75 %, 15.0 metrics/s, 1 s left\033[K\r\033[K");
}

TEST_CASE("progress line: at most five times a second") {
  CHECK(written(true, [](ProgressLine& line, auto& now) {
          line.part("reading", 1, 100, "events/s");
          now += 199ms;
          line.part("reading", 2, 100, "events/s");
        }).empty());
}

TEST_CASE("progress line: phases of long analyses") {
  CHECK(written(true, [](ProgressLine& line, auto& now) {
          now += 900ms;
          line.ended("matching");
          now += 11s;
          line.ended("statistics");
          line.ended("no phase");
        }) == "\rfinding causes, 12 s so far\033[K\r\033[K");
}

TEST_CASE("progress line: gone before other text, and only once") {
  CHECK(written(true, [](ProgressLine& line, auto& now) {
          line.clear();
          now += 2s;
          line.part("finding causes", 400, 400, "waits/s");
          line.clear();
          line.clear();
        }) == "\rfinding causes: 100 %, 200 waits/s, 0 s left\033[K\r\033[K");
}

TEST_CASE("progress line: nothing where nobody looks") {
  CHECK(written(false, [](ProgressLine& line, auto& now) {
          now += 10s;
          line.part("reading", 1, 2, "events/s");
          line.ended("waits");
        }).empty());
}
