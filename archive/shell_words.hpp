// SPDX-License-Identifier: BSD-3-Clause
// Command lines as one text, and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace latecomer {

// The words as a shell takes them, each by shell_word(): {"my app", "7", ""} -> 'my app' 7 ''
[[nodiscard]] std::string command_line(const std::vector<std::string>& words);

// The reverse: what a shell makes of quotes, also $'...' and "...", nothing else. A text that
// another tool has put together, with a quote that does not end, is split at its blanks.
[[nodiscard]] std::vector<std::string> shell_words(std::string_view text);

}  // namespace latecomer
