// SPDX-License-Identifier: BSD-3-Clause
// What is known of the callers of replaced functions of the C library.
#pragma once

#include <cstdint>

#include "tracer/callpath/path_cache.hpp"

namespace latecomer::blocking {

// The call of the function in which this is inlined.
[[gnu::always_inline]] inline callpath::CallPlace this_place() {
  const auto* const frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  return {reinterpret_cast<std::uintptr_t>(frame + 1),
          reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), frame[0]};
}

// True for calls by this library, and by another one that has malloc(): while it holds a lock,
// nothing may be allocated. It looks at the address only.
[[nodiscard]] bool must_pass(std::uintptr_t place);

// True if a signal handler makes the call. Then nothing may be allocated, and no lock be taken.
[[nodiscard]] bool is_in_handler(const callpath::CallPlace& place);

}  // namespace latecomer::blocking
