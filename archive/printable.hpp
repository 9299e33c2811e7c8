// SPDX-License-Identifier: BSD-3-Clause
// Names on a terminal and in rows of text: they come from programs and foreign files and may be
// any bytes.
#pragma once

#include <string>
#include <string_view>

namespace latecomer {

// The text in one line that does nothing to a terminal: line breaks, other control characters,
// characters that turn the direction of writing, and bytes that are no UTF-8 are shown as in C.
//   "a\nb" -> a\nb   "\x1b[31m" -> \x1b[31m   "\xff" -> \xff   U+202E -> \u202e   "ä" -> ä
// A backslash stays as it is, so that usual names do; the result is for people, not for programs.
[[nodiscard]] std::string printable(std::string_view text);

// The same for text of several lines, line feeds stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace latecomer
