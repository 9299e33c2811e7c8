// SPDX-License-Identifier: BSD-3-Clause
// Options are read, and a wrong one is named.
#include "tracer/watch/gather/gather_options.hpp"

#include <catch2/catch.hpp>

using namespace latecomer::watch;
using std::chrono::milliseconds;

TEST_CASE("options of gathering are read") {
  GatherOptions options;
  CHECK(read_gather_options("", options).empty());
  CHECK(options.arity == 8);
  CHECK(read_gather_options("arity=2,rate=500ms,pull,patience=2min", options).empty());
  CHECK(options.arity == 2);
  CHECK(options.rate == milliseconds(500));
  CHECK(options.pull);
  CHECK(options.patience == milliseconds(120'000));
  CHECK(read_gather_options("push,rate=0.25", options).empty());
  CHECK(!options.pull);
  CHECK(options.rate == milliseconds(250));
}

TEST_CASE("wrong options of gathering are named") {
  GatherOptions options;
  for (const char* text : {"arity=0", "arity=1.5", "arity=9999", "arity=x", "arity"})
    CHECK(read_gather_options(text, options) == "arity is not a number from 1 to 1024");
  for (const char* text : {"rate=0", "rate=1h", "rate=", "rate=-1s", "rate=1e30"})
    CHECK(read_gather_options(text, options) == "rate is not a time, such as 500ms or 2s");
  for (const char* text : {"sometimes", "push=1", "=", "arity=2,,x"})
    CHECK(read_gather_options(text, options).starts_with("not one of"));
}
