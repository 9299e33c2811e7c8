// SPDX-License-Identifier: BSD-3-Clause
// Recognizes the end of a function, where registers already have the values of the caller.
#pragma once

#include <cstddef>
#include <span>

namespace latecomer::callpath {

// The instructions at the beginning of `code` only free the frame, restore registers and return
// (x86-64). A jump to another function ends a function, too, but looks like other jumps.
[[nodiscard]] bool only_returns(std::span<const std::byte> code);

}  // namespace latecomer::callpath
