// SPDX-License-Identifier: BSD-3-Clause
// Names, files and lines of Python functions, from their code objects.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "tracer/callpath/python/python_frames.hpp"

namespace latecomer::python {

// Addresses of the types of objects that are read.
struct Types {
  std::uintptr_t code = 0, text = 0, bytes = 0;
};

// A place in a Python function. Names are UTF-8, as Python gives them: "Solver.step", "<module>".
struct SourcePlace {
  std::string name;
  std::string file;              // as compiled; may be "<string>"
  std::uint32_t first_line = 0;  // of the function; 0: unknown
  std::uint32_t line = 0;        // of the place; 0: unknown
  auto operator<=>(const SourcePlace&) const = default;
};

// Reads only what is readable. Empty if the objects are not what they should be, or too long.
[[nodiscard]] std::optional<SourcePlace> describe(const Layout& layout, const Types& types,
                                                  const Frame& frame);

// A number that identifies the content of a frame's code object as long as it lives, and most
// probably beyond that: another one at the same address has other names, files or lines. The object
// belongs to a frame that is active. 0 if it is no code object.
[[nodiscard]] std::uint64_t fingerprint(const Layout& layout, const Types& types,
                                        std::uintptr_t code);

}  // namespace latecomer::python
