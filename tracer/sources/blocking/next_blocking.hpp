// SPDX-License-Identifier: BSD-3-Clause
// Addresses of the blocking functions that come after those of the measurement library: usually the
// C library's.
#pragma once

#include "tracer/sources/blocking/blocking_functions.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::blocking {

// Finds a function by its name. It is found when the library is loaded; only constructors that run
// before ours come here.
void* find_next(Symbol symbol);

template <typename Type>
[[gnu::always_inline]] inline Type* next(Symbol symbol) {
  void* known =
      process().blocking.next[static_cast<std::size_t>(symbol)].load(std::memory_order_relaxed);
  if (known == nullptr) [[unlikely]]
    known = find_next(symbol);
  return reinterpret_cast<Type*>(known);
}

}  // namespace latecomer::blocking
