// SPDX-License-Identifier: BSD-3-Clause
// Prefetches memory that will be needed soon. Code that visits waits or messages out of storage
// order would otherwise spend most of its time waiting for memory.
#pragma once

#include <cstddef>

// GCC 12 sees no effect in a function that only prefetches, and drops calls that it does not inline
// at once.
#define LATECOMER_PREFETCHES [[gnu::always_inline]]

namespace latecomer::memory {

// Distance of prefetches in elements of a loop: fetching one takes about as long as handling these.
inline constexpr std::size_t kAhead = 12;

LATECOMER_PREFETCHES inline void prefetch(const void* address) { __builtin_prefetch(address); }

// Distance for values that span several cache lines.
inline constexpr std::size_t kFewAhead = 3;

// Prefetches all cache lines of a value.
template <typename T>
LATECOMER_PREFETCHES inline void prefetch_whole(const T* value) {
  const auto* const bytes = reinterpret_cast<const char*>(value);
  for (std::size_t at = 0; at < sizeof(T); at += 64) prefetch(bytes + at);
  prefetch(bytes + sizeof(T) - 1);
}

}  // namespace latecomer::memory
