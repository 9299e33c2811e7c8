// SPDX-License-Identifier: BSD-3-Clause
// Command lines as one text, and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace latecomer {

// Joins the words for a shell, each by shell_word(): {"my app", "7", ""} -> 'my app' 7 ''
[[nodiscard]] std::string command_line(const std::vector<std::string>& words);

// Splits a command line. Only quotes are interpreted, as a shell does, including $'...' and "...".
// A text from another tool that has a quote without an end is split at its blanks.
[[nodiscard]] std::vector<std::string> shell_words(std::string_view text);

}  // namespace latecomer
