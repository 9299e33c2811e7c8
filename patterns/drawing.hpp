// SPDX-License-Identifier: BSD-3-Clause
// What a wait state looks like on a time line: bars of processes, the wait marked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace latecomer::patterns {

// Times are from 0 to 100; lanes are processes, counted from the top.
struct Drawing {
  enum class Kind : std::uint8_t { kWork, kCall, kWait };
  struct Bar {
    int lane = 0, from = 0, to = 0;
    Kind kind = Kind::kWork;
    std::string text;  // on it; may be empty
  };
  struct Arrow {  // of a message, from one lane and time to another
    int lane = 0, from = 0, to_lane = 0, to = 0;
  };
  struct Mark {  // a dashed line over all lanes
    int time = 0;
    std::string text;
  };
  std::vector<std::string> lanes;
  std::vector<Bar> bars;
  std::vector<Arrow> arrows;
  std::vector<Mark> marks;
};

// By the unique name of a wait state.
[[nodiscard]] std::optional<Drawing> drawing_of(std::string_view metric);

// A picture that stands for itself: no style sheet, no script, readable on light and dark ground.
[[nodiscard]] std::string svg(const Drawing& drawing);

}  // namespace latecomer::patterns
