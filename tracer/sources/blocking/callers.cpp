// SPDX-License-Identifier: BSD-3-Clause
// Looks at addresses and stacks of callers.
#include "tracer/sources/blocking/callers.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tracer/callpath/stack.hpp"
#include "tracer/session/process/inside.hpp"
#include "tracer/symbols/loaded_modules.hpp"

// Begin and end of the measurement library in memory, from the linker.
extern "C" [[gnu::visibility("hidden")]] const char __ehdr_start;
extern "C" [[gnu::visibility("hidden")]] const char _end;

namespace latecomer::blocking {
namespace {

using session::detail::thread_state;

// The module that has malloc(), if it is not the C library. This library has an operator new of its
// own, which calls malloc().
struct Allocator {
  std::uintptr_t begin = 0, end = 0;
};
constinit Allocator allocator;

// The C library, and libraries of MPI that replace its malloc().
bool is_known(std::string_view name) {
  constexpr std::array<std::string_view, 7> kKnown = {"libc.so", "libc-",  "ld-",   "libmpi",
                                                      "libpmpi", "libucm", "libucp"};
  return std::ranges::any_of(kKnown, [&](std::string_view d) { return name.starts_with(d); });
}

[[gnu::constructor]] void note_allocator() {
  void* const found = dlsym(RTLD_DEFAULT, "malloc");
  Dl_info info{};
  if (found == nullptr || dladdr(found, &info) == 0) return;
  const std::string_view path = info.dli_fname;
  if (is_known(path.substr(path.rfind('/') + 1))) return;
  user::LoadedModules modules;
  const user::LoadedModule* const module = modules.find(reinterpret_cast<std::uintptr_t>(found));
  if (module != nullptr) allocator = {module->begin, module->end};
}

}  // namespace

bool must_pass(std::uintptr_t place) {
  const bool is_ours = place >= reinterpret_cast<std::uintptr_t>(&__ehdr_start) &&
                       place < reinterpret_cast<std::uintptr_t>(&_end);
  return is_ours || (place >= allocator.begin && place < allocator.end);
}

// Paths in the cache were found outside of signal handlers. Stacks other than the thread's own may
// be those of handlers.
bool is_in_handler(const callpath::CallPlace& place) {
  session::detail::ThreadPaths* const paths =
      thread_state.info == nullptr ? nullptr : thread_state.info->paths.get();
  if (paths == nullptr || !paths->own.contains(place.slot)) return true;
  if (paths->cache.find(place) != callpath::PathCache::kUnknown) return false;
  const session::Inside inside;
  callpath::unwind(place, paths->own, paths->stack);
  return paths->stack.in_handler;
}

}  // namespace latecomer::blocking
