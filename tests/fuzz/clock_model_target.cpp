// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: files of emulated clocks, and texts of measurements and latencies in the properties
// of archives.
#include "sync/clock_model.hpp"
#include "sync/latency.hpp"
#include "sync/measurement.hpp"
#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kWords[] = {" offset=1.5ms"sv,
                                       " drift=20ppm"sv,
                                       " drift=-0.1ppb"sv,
                                       " wander=5ppb/1s"sv,
                                       " seed=7"sv,
                                       " jump=5us@10s"sv,
                                       " jump=-2us@1ns"sv,
                                       "\nnode0"sv,
                                       "\n* "sv,
                                       "#"sv,
                                       "ns"sv,
                                       "us"sv,
                                       "ms"sv,
                                       "s"sv,
                                       "ppb"sv,
                                       "ppm"sv,
                                       "/"sv,
                                       "@"sv,
                                       "="sv,
                                       "-"sv,
                                       " shf "sv,
                                       "inside"sv,
                                       "between 0 1 5"sv,
                                       ";"sv,
                                       "9223372036854775807"sv,
                                       "-9223372036854775808"sv};

}  // namespace

void run(std::span<const std::uint8_t> input) {
  const std::string text = text_of(input);
  for (const char* node : {"node0", "other"}) {
    const auto clock = sync::clock_of_node(text, node);
    if (!clock) {
      must(!clock.problem().what.empty(), "a problem has words");
      continue;
    }
    if (!*clock) continue;
    // Text written for a clock is parsed to the same clock.
    const auto again = sync::parse_clock(sync::to_text(**clock));
    must(again.ok() && sync::to_text(*again) == sync::to_text(**clock), "a clock has one text");
    const sync::ClockModel model(**clock);
    sync::Nanoseconds before = 0;
    for (const sync::Nanoseconds t : {0LL, 1LL, 1'000'000'000LL, 3'600'000'000'000LL}) {
      const sync::Nanoseconds local = model.local(t);
      must(model.true_time(local) <= t, "a clock shows no time before it comes");
      if (model.spec().jumps.empty()) must(t == 0 || local >= before, "a clock never goes back");
      before = local;
    }
  }
  if (const auto m = sync::parse_measurement(text)) {
    must(sync::parse_measurement(sync::to_text(*m)).has_value(), "a measurement has a text");
  }
  if (const auto l = sync::parse_latencies(text)) {
    must(sync::parse_latencies(sync::to_text(*l)) == l, "latencies have one text");
  }
}

std::vector<Bytes> seeds() {
  return {bytes_of("node0 offset=-1.5ms drift=12.5ppm wander=20ppb/1s seed=7 jump=5us@10s\n"
                   "* offset=1s jump=-2us@20s # comment\n"),
          bytes_of("node0 offset=20ms drift=30ppm wander=5ppm/10ms seed=1\n"),
          bytes_of("0 4 0 0 fh between 5000123 -1500 1012 1011 1100 35 12 1"),
          bytes_of("inside 0 21500;between 0 1 988000")};
}

void mutate(Bytes& input, Random& random) { mutate_text(input, random, kWords); }

}  // namespace latecomer::fuzz
