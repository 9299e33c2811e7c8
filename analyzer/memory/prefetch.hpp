// SPDX-License-Identifier: BSD-3-Clause
// Asks for memory that will be needed soon, so that nobody waits for it then. What goes through
// waits or messages in another order than they lie in would spend most of its time on that.
#pragma once

#include <cstddef>

// A function with nothing but a prefetch in it has no effect that GCC 12 knows of: it leaves out
// the calls that it does not inline at once.
#define LATECOMER_PREFETCHES [[gnu::always_inline]]

namespace latecomer::memory {

// So many elements of a loop ahead: it takes about as long to go through them as to fetch one.
inline constexpr std::size_t kAhead = 12;

LATECOMER_PREFETCHES inline void prefetch(const void* address) { __builtin_prefetch(address); }

// The same of values of several lines of the cache.
inline constexpr std::size_t kFewAhead = 3;

// All lines of a value.
template <typename T>
LATECOMER_PREFETCHES inline void prefetch_whole(const T* value) {
  const auto* const bytes = reinterpret_cast<const char*>(value);
  for (std::size_t at = 0; at < sizeof(T); at += 64) prefetch(bytes + at);
  prefetch(bytes + sizeof(T) - 1);
}

}  // namespace latecomer::memory
