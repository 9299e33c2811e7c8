// SPDX-License-Identifier: BSD-3-Clause
// Colours of a terminal, where there is one and nobody minds.
#pragma once

#include <cstdint>
#include <string>

namespace latecomer::view {

enum class Tone : std::uint8_t { kPlain, kHeading, kFaint, kMedium, kStrong };

class Colours {
 public:
  explicit Colours(bool on = false) : on_(on) {}
  // On if the standard output is a terminal, NO_COLOR is not set, and TERM is not "dumb".
  [[nodiscard]] static Colours of_terminal();
  [[nodiscard]] std::string paint(const std::string& text, Tone tone) const;
  // Strong from half of the whole on, medium from a tenth on, faint below a hundredth.
  [[nodiscard]] static Tone of_share(double part, double whole);

 private:
  bool on_;
};

}  // namespace latecomer::view
