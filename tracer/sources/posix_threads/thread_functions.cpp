// SPDX-License-Identifier: BSD-3-Clause
// Searches the libraries that come after this one.
#include "tracer/sources/posix_threads/thread_functions.hpp"

#include <dlfcn.h>

#include <array>

namespace latecomer::posix {
namespace {

constexpr auto kCount = static_cast<std::size_t>(Symbol::kCount);
static_assert(kCount <= std::tuple_size_v<decltype(PosixState::next)>);

// The C library for x86-64 has conditions of two kinds. Without the version, dlsym() may find the
// functions for the old kind, which would damage those of today.
struct Name {
  const char* name;
  bool is_condition;
};
constexpr std::array<Name, kCount> kNames = {{
#define LATECOMER_ONE(name) {#name, false},
#define LATECOMER_CONDITION(name) {#name, true},
    LATECOMER_THREAD_SYMBOLS(LATECOMER_ONE, LATECOMER_CONDITION)
#undef LATECOMER_CONDITION
#undef LATECOMER_ONE
}};

[[gnu::constructor]] void find_all() {
  for (std::size_t i = 0; i < kCount; ++i) find_next(static_cast<Symbol>(i));
}

}  // namespace

[[gnu::noinline, gnu::cold]] void* find_next(Symbol symbol) {
  const auto index = static_cast<std::size_t>(symbol);
  const Name& d = kNames[index];
  void* found = nullptr;
#if defined(__x86_64__)
  if (d.is_condition) found = dlvsym(RTLD_NEXT, d.name, "GLIBC_2.3.2");
#endif
  if (found == nullptr) found = dlsym(RTLD_NEXT, d.name);
  process().posix.next[index].store(found, std::memory_order_relaxed);
  return found;
}

}  // namespace latecomer::posix
