// SPDX-License-Identifier: BSD-3-Clause
// Text, drawing and JSON of clock offsets.
#include "analyzer/view/summary/clocks.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace latecomer::view;

namespace {

// Clocks: rank 0's; one that is 1 ms behind and loses 30 us in 2 s; one that was never measured.
ClockInfo three_clocks() {
  ClockInfo info;
  info.program = "heat <2d>";
  info.scheme = "hierarchical";
  info.moments = 2;
  info.clocks = {{0, {0, 1}, "n0", "bonn", {}},
                 {2, {2, 3, 5}, "n1", "juelich", {{0, 0.001, 2e-6}, {2, 0.00106, 3e-6}}},
                 {4, {4}, "n2", "juelich", {}}};
  info.latencies = {{"bonn", "bonn", 1.5e-6}, {"bonn", "juelich", 5e-4}};
  return info;
}

}  // namespace

TEST_CASE("clocks as a table") {
  CHECK(three_clocks().clocks[1].drift() == Approx(30e-6));
  const auto text = clocks_text(three_clocks());
  for (const char* part : {"3 clocks, measured 2 times, scheme hierarchical", "reference", "2-3,5",
                           "1.000 ms", "1.060 ms", "+30.000 ppm", "3.000 us", "not measured",
                           "inside bonn: 1.500 us", "between bonn and juelich: 500.0 us"}) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("clocks as JSON") {
  const auto json = clocks_json(three_clocks());
  CHECK(json["clocks"].size() == 3);
  CHECK(json["clocks"][1]["points"][1]["offset"] == 0.00106);
  CHECK(json["clocks"][1]["ranks"] == std::vector<int>{2, 3, 5});
  CHECK(json["latencies"][1]["minimum"] == 5e-4);
}

TEST_CASE("clocks as a drawing") {
  const auto drawn = clocks_svg(three_clocks());
  REQUIRE(drawn);
  const std::string& svg = *drawn;
  CHECK(svg.starts_with("<svg"));
  CHECK(svg.find("heat &lt;2d&gt;") != std::string::npos);
  // The line goes from the lower left to the upper right: the axis begins at 90 and ends at 550.
  CHECK(svg.find("<path d=\"M90.00 ") != std::string::npos);
  CHECK(svg.find(" L550.00 ") != std::string::npos);
}

TEST_CASE("without a clock that was measured twice there is no drawing") {
  auto info = three_clocks();
  info.clocks[1].points.pop_back();
  auto none = clocks_svg(info);
  REQUIRE_FALSE(none);
  CHECK(none.problem().what.find("no clock was measured twice") != std::string::npos);
  info.clocks.resize(1);
  none = clocks_svg(info);
  REQUIRE_FALSE(none);
  CHECK(none.problem().what.find("there is only one clock") != std::string::npos);
}
