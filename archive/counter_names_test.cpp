// SPDX-License-Identifier: BSD-3-Clause
#include "archive/counter_names.hpp"

#include <catch2/catch.hpp>

using latecomer::counters_text;
using latecomer::parse_counters;

TEST_CASE("counters are chosen by name, by default, or by their event") {
  const auto two = parse_counters("PAPI_TOT_INS,page-faults");
  REQUIRE(two);
  REQUIRE(two->size() == 2);
  CHECK(two->at(0).name == "PAPI_TOT_INS");
  CHECK(two->at(0).source == 0);
  CHECK(two->at(0).config == 1);
  CHECK(two->at(1).is_usage());
  CHECK_FALSE(two->at(1).is_time());
  CHECK(parse_counters("task-clock")->at(0).is_time());
  CHECK(parse_counters("off")->empty());
  CHECK(counters_text(*parse_counters("default")) == "instructions,cycles");

  const auto raw = parse_counters("cycles,A:B:u=1=4:5300c1");
  REQUIRE(raw);
  CHECK(raw->at(1).name == "A:B:u=1");
  CHECK(raw->at(1).source == 4);
  CHECK(raw->at(1).config == 0x5300c1);
  CHECK(counters_text(*raw) == "cycles,A:B:u=1=4:5300c1");
  CHECK(counters_text({}) == "off");
}

TEST_CASE("texts that choose no counters are refused") {
  for (const char* text : {"", "cycle", "cycles,", ",cycles", "A=", "A=4", "A=4:", "A=:1", "A=-1:1",
                           "A=4:xyz", "=4:1", "A B=4:1", "A=4:11111111111111111", "off,cycles",
                           "cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_counters(text));
  }
}
