// SPDX-License-Identifier: BSD-3-Clause
// The answer to "who waits for whom?" as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tracer/stuck/standstill.hpp"

namespace latecomer::stuck {

struct StuckReport {
  std::string experiment;
  bool running = false;  // a process of the run was seen
  std::vector<RankState> ranks;
  Standstill standstill;
  std::vector<std::string> notes;
};

// Lines for a terminal.
[[nodiscard]] std::string text_of(const StuckReport& report);
[[nodiscard]] nlohmann::ordered_json json_of(const StuckReport& report);

}  // namespace latecomer::stuck
