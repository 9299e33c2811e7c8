// SPDX-License-Identifier: BSD-3-Clause
// Names on a terminal and in lines of text. They come from programs and foreign files and may
// contain any bytes.
#pragma once

#include <string>
#include <string_view>

namespace latecomer {

// The text in one line that is harmless for a terminal. Line breaks, other control characters,
// characters that change the direction of writing, and invalid UTF-8 are shown as in C.
//
//   "a\nb" -> a\nb   "\x1b[31m" -> \x1b[31m   "\xff" -> \xff   U+202E -> \u202e   "ä" -> ä
//
// A backslash is not changed, so usual names stay the same. The result is for people, not programs.
[[nodiscard]] std::string printable(std::string_view text);

// printable() for text of several lines; line feeds stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace latecomer
