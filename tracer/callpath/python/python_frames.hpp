// SPDX-License-Identifier: BSD-3-Clause
// Reads the frames of a thread's Python functions from memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tracer/callpath/python/python_layout.hpp"

namespace latecomer::python {

// A Python function that is active: its code object, and where in its code it is.
struct Frame {
  std::uintptr_t code = 0;
  std::int64_t offset = 0;  // bytes from the first instruction on
  // An address on the native stack, inside the frame of the loop that runs the function; 0:
  // unknown.
  std::uintptr_t loop = 0;
  bool operator==(const Frame&) const = default;
};

// Frames of the calling thread, innermost first; at most as many as there is room for. `thread` is
// its PyThreadState. Python changes these frames only on the thread itself, so they may be read
// without the global lock. Returns their number. Allocates nothing.
std::size_t read_frames(const Layout& layout, std::uintptr_t thread, std::span<Frame> frames);

// True if memory contains what the layout says: the thread's own id, and frames with code objects
// of the type at `code_type`. Reads only what is readable. Changes errno.
[[nodiscard]] bool fits(const Layout& layout, std::uintptr_t thread, std::uintptr_t code_type);

}  // namespace latecomer::python
