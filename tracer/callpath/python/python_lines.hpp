// SPDX-License-Identifier: BSD-3-Clause
// Tables of source lines in CPython's code objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tracer/callpath/python/python_layout.hpp"

namespace latecomer::python {

// The line of the instruction at `offset` (bytes), in a function that begins at `first`. 0 if the
// table says that it has no line, or nothing about it. Any bytes are a table.
[[nodiscard]] std::uint32_t line_at(LineFormat format, std::span<const std::byte> table,
                                    std::uint32_t first, std::int64_t offset);

}  // namespace latecomer::python
