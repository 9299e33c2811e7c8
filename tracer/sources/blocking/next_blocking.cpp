// SPDX-License-Identifier: BSD-3-Clause
// Searches the libraries that come after this one.
#include "tracer/sources/blocking/next_blocking.hpp"

#include <dlfcn.h>

#include <array>

namespace latecomer::blocking {
namespace {

constexpr auto kCount = static_cast<std::size_t>(Symbol::kCount);
static_assert(kCount <= std::tuple_size_v<decltype(BlockingState::next)>);

constexpr std::array<const char*, kCount> kNames = {
#define LATECOMER_ONE(name) #name,
    LATECOMER_BLOCKING_REPLACED(LATECOMER_ONE) LATECOMER_BLOCKING_CHECKED(LATECOMER_ONE)
#undef LATECOMER_ONE
};

[[gnu::constructor]] void find_all() {
  for (std::size_t i = 0; i < kCount; ++i) find_next(static_cast<Symbol>(i));
}

}  // namespace

[[gnu::noinline, gnu::cold]] void* find_next(Symbol symbol) {
  const auto index = static_cast<std::size_t>(symbol);
  void* const found = dlsym(RTLD_NEXT, kNames[index]);
  process().blocking.next[index].store(found, std::memory_order_relaxed);
  return found;
}

}  // namespace latecomer::blocking
