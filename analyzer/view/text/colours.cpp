// SPDX-License-Identifier: BSD-3-Clause
// Uses the eight colours that every terminal has; boldness also shows strength.
#include "analyzer/view/text/colours.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

namespace latecomer::view {

Colours Colours::of_terminal() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return Colours(isatty(STDOUT_FILENO) == 1 && !dumb && (no_color == nullptr || *no_color == '\0'));
}

std::string Colours::paint(const std::string& text, Tone tone) const {
  if (!on_ || tone == Tone::kPlain || text.empty()) return text;
  const char* code = tone == Tone::kHeading  ? "1"
                     : tone == Tone::kFaint  ? "2"
                     : tone == Tone::kMedium ? "33"
                                             : "1;31";
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

Tone Colours::of_share(double part, double whole) {
  const double share = whole == 0 ? 0 : std::abs(part / whole);
  if (share >= 0.5) return Tone::kStrong;
  if (share >= 0.1) return Tone::kMedium;
  return share < 0.01 ? Tone::kFaint : Tone::kPlain;
}

}  // namespace latecomer::view
