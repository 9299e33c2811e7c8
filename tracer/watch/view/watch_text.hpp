// SPDX-License-Identifier: BSD-3-Clause
// Text for a terminal from a report.
#pragma once

#include <string>

#include "tracer/watch/view/fit_screen.hpp"
#include "tracer/watch/view/watch_report.hpp"

namespace latecomer::watch {

struct TextOptions {
  bool blocks = true;  // time lines of block characters (UTF-8), otherwise of ASCII
  Screen screen;
};

// Lines that are harmless for a terminal, whatever names contain.
[[nodiscard]] std::string text_of(const WatchReport& report, const TextOptions& options);

}  // namespace latecomer::watch
