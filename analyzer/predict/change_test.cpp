// SPDX-License-Identifier: BSD-3-Clause
// Changes as users write them: factors become exact ratios, and what is wrong is said.
#include "analyzer/predict/change.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;
using predict::Change;
using predict::read_change;

namespace {

std::string why_not(const std::string& option, const std::string& value) {
  const auto change = read_change(option, value);
  REQUIRE(!change);
  CHECK(change.problem().status == Exit::kUsage);
  return change.problem().what;
}

}  // namespace

TEST_CASE("change: twice as fast takes half of the time, on some ranks or on all") {
  const auto all = read_change("speed", "solve/stencil* x1.3");
  REQUIRE(all);
  CHECK(all->kind == Change::Kind::kSpeed);
  CHECK(all->pattern == "solve/stencil*");
  CHECK(all->pace.numerator == 10);
  CHECK(all->pace.denominator == 13);
  CHECK(all->ranks.empty());
  CHECK(all->text == "--speed 'solve/stencil* x1.3'");
  const auto some = read_change("speed", "work@ranks 0,2-3 x2");
  REQUIRE(some);
  CHECK(some->pattern == "work");
  CHECK(some->ranks == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 0}, {2, 3}});
  CHECK(read_change("speed", "work@rank 0 x2")->ranks.size() == 1);
  // A name may contain what looks like a factor.
  CHECK(read_change("speed", "a x2 b x4")->pattern == "a x2 b");
}

TEST_CASE("change: the network, sends and files") {
  const auto latency = read_change("latency", "x0.5");
  REQUIRE(latency);
  CHECK(latency->pace.numerator == 5);
  CHECK(latency->pace.denominator == 10);
  const auto bandwidth = read_change("bandwidth", "x2");
  REQUIRE(bandwidth);
  CHECK(bandwidth->pace.numerator == 1);
  CHECK(bandwidth->pace.denominator == 2);
  CHECK(read_change("eager-limit", "64K")->bytes == 65536);
  CHECK(read_change("eager-limit", "10")->bytes == 10);
  const auto moved = read_change("ranks-moved", "0-1,3:node2");
  REQUIRE(moved);
  CHECK(moved->kind == Change::Kind::kRanksMoved);
  CHECK(moved->node == "node2");
  CHECK(moved->ranks == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {3, 3}});
  const auto files = read_change("no-wait-for-io", "");
  REQUIRE(files);
  CHECK(files->kind == Change::Kind::kFileTime);
  CHECK(files->pace.of(1000) == 0);
  CHECK(files->text == "--no-wait-for-io");
}

TEST_CASE("change: wrong factors, ranks and sizes are refused") {
  CHECK(why_not("speed", "work").find("no factor") != std::string::npos);
  for (const char* factor : {"work x0", "work x0.000", "work x-2", "work xfast", "work x",
                             "work x1.2.3", "work x1234567890", "work x1e3"}) {
    CHECK(why_not("speed", factor).find("not a number above 0") != std::string::npos);
  }
  CHECK(why_not("speed", " x2").find("names no function") != std::string::npos);
  CHECK(why_not("speed", "@rank 1 x2").find("names no function") != std::string::npos);
  for (const char* ranks : {"work@rank a x2", "work@rank 3-1 x2", "work@rank 1, x2"}) {
    CHECK(why_not("speed", ranks).find("not a list") != std::string::npos);
  }
  CHECK(why_not("balance", "").find("names no function") != std::string::npos);
  CHECK(why_not("latency", "0.5").find("'x0.5'") != std::string::npos);
  CHECK(why_not("bandwidth", "x0").find("above 0") != std::string::npos);
  for (const char* moved : {"3", "3:", "node2"}) {
    CHECK(why_not("ranks-moved", moved).find("'3:node2'") != std::string::npos);
  }
  CHECK(why_not("ranks-moved", "a:node2").find("not a list") != std::string::npos);
  CHECK(why_not("eager-limit", "64Q").find("bytes") != std::string::npos);
  CHECK(why_not("eager-limit", "99999999999G").find("bytes") != std::string::npos);
}
