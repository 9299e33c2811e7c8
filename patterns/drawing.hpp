// SPDX-License-Identifier: BSD-3-Clause
// What a metric looks like on a time line: bars of processes, what it counts marked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace latecomer::patterns {

// Times are from 0 to 100; lanes are processes, counted from the top.
struct Drawing {
  enum class Kind : std::uint8_t {
    kWork,
    kCall,
    kWait,   // counted: waiting
    kCause,  // counted, or what the counted costs are charged to: why somebody waits
  };
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

// By unique name: of wait states, their parts, and everything that is about them (causes, chains,
// polling, metahosts), of the critical path and of imbalance. Nothing: the metric is a sum or a
// count.
[[nodiscard]] std::optional<Drawing> drawing_of(std::string_view metric);
// Whether the metric is in the table of drawings, not drawn like another one.
[[nodiscard]] bool is_drawn_by_itself(std::string_view metric);

// A picture that stands for itself: no style sheet, no script, readable on light and dark ground,
// and without colours (waits are hatched). Its parts have classes, so that a page may give them its
// own colours: work, call, wait, cause; on-work, ..., for texts on them; lane, mark, arrow, time.
[[nodiscard]] std::string svg(const Drawing& drawing);

// The same for a terminal, a line for each lane: "sender    ----still computes----==send==------".
[[nodiscard]] std::string plain_text(const Drawing& drawing);

}  // namespace latecomer::patterns
