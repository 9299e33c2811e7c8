// SPDX-License-Identifier: BSD-3-Clause
// Paths in commands that are printed for copying.
#pragma once

#include <string>
#include <string_view>

namespace latecomer {

// The text itself if a shell takes it for one plain word, otherwise quoted: my exp -> 'my exp'.
// The result is printable: bytes that act on a terminal, or are not UTF-8, are written as in
// $'\033\377', which bash and others understand.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace latecomer
