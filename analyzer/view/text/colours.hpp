// SPDX-License-Identifier: BSD-3-Clause
// Colours text in a terminal, if there is one and the user did not forbid it.
#pragma once

#include <cstdint>
#include <string>

namespace latecomer::view {

// Meaning of a colour; the terminal's colour for it is chosen in paint().
enum class Tone : std::uint8_t { kPlain, kHeading, kFaint, kMedium, kStrong };

class Colours {
 public:
  explicit Colours(bool on = false) : on_(on) {}
  // Enabled if standard output is a terminal, NO_COLOR is not set, and TERM is not "dumb".
  [[nodiscard]] static Colours of_terminal();
  // The text with control sequences for the tone, or unchanged if colours are off.
  [[nodiscard]] std::string paint(const std::string& text, Tone tone) const;
  // Strong from half of the whole on, medium from a tenth on, faint below a hundredth.
  [[nodiscard]] static Tone of_share(double part, double whole);

 private:
  bool on_;
};

}  // namespace latecomer::view
