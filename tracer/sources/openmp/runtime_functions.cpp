// SPDX-License-Identifier: BSD-3-Clause
// Searches the libraries that come after this one, and those that only the calling module sees.
#include "tracer/sources/openmp/runtime_functions.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cerrno>
#include <exception>
#include <mutex>
#include <unordered_map>

namespace latecomer::openmp {

// Functions of runtimes that only some modules see, by the place of the call.
struct OtherRuntimes {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, void*> by_place;
};

namespace {

constexpr auto kCount = static_cast<std::size_t>(Symbol::kCount);
static_assert(kCount <= std::tuple_size_v<decltype(OpenMpState::next)>);

constexpr std::array<const char*, kCount> kNames = {
#define LATECOMER_ONE(name) "GOMP_" #name,
#define LATECOMER_SCHEDULE(name) "GOMP_loop_" #name "_start", "GOMP_loop_ull_" #name "_start",
#define LATECOMER_PARALLEL(name) "GOMP_parallel_loop_" #name,
#define LATECOMER_GENERAL(name) "GOMP_loop_" #name, "GOMP_loop_ull_" #name,
#define LATECOMER_DOACROSS(name) \
  "GOMP_loop_doacross_" #name "_start", "GOMP_loop_ull_doacross_" #name "_start",
    LATECOMER_GOMP_SYMBOLS(LATECOMER_ONE, LATECOMER_SCHEDULE, LATECOMER_PARALLEL, LATECOMER_GENERAL,
                           LATECOMER_DOACROSS)
#undef LATECOMER_DOACROSS
#undef LATECOMER_GENERAL
#undef LATECOMER_PARALLEL
#undef LATECOMER_SCHEDULE
#undef LATECOMER_ONE
#define LATECOMER_ONE(name) "omp_" #name,
        LATECOMER_OMP_SYMBOLS(LATECOMER_ONE)
#undef LATECOMER_ONE
};

// The function in the runtime that all modules see.
void* find_next(Symbol symbol) {
  const auto index = static_cast<std::size_t>(symbol);
  void* const found = dlsym(RTLD_NEXT, kNames[index]);
  if (found != nullptr) process().openmp.next[index].store(found, std::memory_order_relaxed);
  return found;
}

// The function that the module of the caller and the libraries that it needs have.
void* find_beside(Symbol symbol, std::uintptr_t place) {
  Dl_info info;
  link_map* module = nullptr;
  if (dladdr1(reinterpret_cast<void*>(place), &info, reinterpret_cast<void**>(&module),
              RTLD_DL_LINKMAP) == 0 ||
      module == nullptr) {
    return nullptr;
  }
  void* const handle = dlopen(module->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const found = dlsym(handle, kNames[static_cast<std::size_t>(symbol)]);
  dlclose(handle);
  return found;
}

// Later, a search would discard the program's own error of dlopen() (dlerror).
[[gnu::constructor]] void find_all() {
  for (std::size_t i = 0; i < kCount; ++i) find_next(static_cast<Symbol>(i));
}

}  // namespace

[[gnu::noinline, gnu::cold]] void* find_runtime(Symbol symbol, std::uintptr_t place) {
  const int saved = errno;
  void* found = nullptr;
  try {
    OtherRuntimes& others = process().openmp.others.get();
    {
      const std::lock_guard lock(others.mutex);
      const auto known = others.by_place.find(place);
      if (known != others.by_place.end()) return known->second;
    }
    found = find_next(symbol);
    if (found == nullptr) found = find_beside(symbol, place);
    const std::lock_guard lock(others.mutex);
    others.by_place.emplace(place, found);
  } catch (const std::exception&) {
    // Out of memory: it is searched again next time.
  }
  errno = saved;
  return found;
}

}  // namespace latecomer::openmp
