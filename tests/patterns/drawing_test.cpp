// SPDX-License-Identifier: BSD-3-Clause
// Drawings of wait states: there is one for each, and it makes sense.
#include "patterns/drawing.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "patterns/metrics.hpp"

using namespace latecomer::patterns;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("every wait state has a drawing in which somebody waits") {
  for (const auto& name : wait_states()) {
    INFO(name);
    const auto drawing = drawing_of(name);
    REQUIRE(drawing);
    CHECK(drawing->lanes.size() >= 2);
    CHECK(std::ranges::any_of(drawing->bars,
                              [](const auto& b) { return b.kind == Drawing::Kind::kWait; }));
    std::map<int, int> end;  // bars of a lane follow each other, over the whole time
    for (const auto& bar : drawing->bars) {
      CHECK(bar.lane < static_cast<int>(drawing->lanes.size()));
      CHECK(bar.from >= end[bar.lane]);
      CHECK(bar.to > bar.from);
      end[bar.lane] = bar.to;
    }
    CHECK(end.size() == drawing->lanes.size());
    for (const auto& [lane, last] : end) CHECK(last == 100);
    for (const auto& arrow : drawing->arrows) {
      CHECK(arrow.lane != arrow.to_lane);
      CHECK(arrow.to > arrow.from);  // messages do not travel back in time
    }
  }
  CHECK_FALSE(drawing_of("visits"));
  CHECK_FALSE(drawing_of(""));
}

TEST_CASE("the picture has all bars, arrows and marks, and is closed") {
  const Drawing drawing{
      {"a < b", "c"},
      {{0, 0, 100, Drawing::Kind::kWork, "R&D"}, {1, 0, 50, Drawing::Kind::kWait, ""}},
      {{0, 10, 1, 40}},
      {{50, "now"}}};
  const auto picture = svg(drawing);
  CHECK(count_of(picture, "<rect") == 2);
  CHECK(count_of(picture, "<line") == 2);
  CHECK(count_of(picture, ">a &lt; b</text>") == 1);
  CHECK(count_of(picture, ">R&amp;D</text>") == 1);
  CHECK(count_of(picture, ">now</text>") == 1);
  CHECK(picture.starts_with("<svg xmlns="));
  CHECK(picture.ends_with("</svg>\n"));
  CHECK(count_of(picture, "<text") == count_of(picture, "</text>"));
}
