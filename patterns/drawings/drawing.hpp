// SPDX-License-Identifier: BSD-3-Clause
// Describes the drawing of a metric on a time line: bars of processes, with the counted parts
// marked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace latecomer::patterns {

// Times are from 0 to 100; lanes are processes, from top to bottom.
struct Drawing {
  // Activity of a process during a bar; it also says whether the metric counts the bar.
  enum class Kind : std::uint8_t {
    kWork,
    kCall,
    kWait,   // counted: waiting
    kCause,  // counted as the reason for a wait, or charged with its costs
  };
  struct Bar {
    int lane = 0, from = 0, to = 0;
    Kind kind = Kind::kWork;
    std::string text;  // shown on the bar; may be empty
  };
  struct Arrow {  // a message from one lane and time to another
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

// A self-contained picture: without style sheet and script, readable on light and dark background
// and without colours (waits are hatched). Its parts have classes, so that a page can colour them:
// work, call, wait, cause; on-work etc. for texts on them; lane, mark, arrow, time.
[[nodiscard]] std::string svg(const Drawing& drawing);

// The drawing for a terminal, a line per lane: "sender    ----still computes----==send==------".
[[nodiscard]] std::string plain_text(const Drawing& drawing);

}  // namespace latecomer::patterns
