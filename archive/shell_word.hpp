// SPDX-License-Identifier: BSD-3-Clause
// Paths in commands that are printed to be copied.
#pragma once

#include <string>
#include <string_view>

namespace latecomer {

// As it is if a shell takes it for one word without meaning, else in quotes: my exp -> 'my exp'.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace latecomer
