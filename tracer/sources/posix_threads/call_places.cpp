// SPDX-License-Identifier: BSD-3-Clause
// Defines regions of calls when they are first seen. Their lines are looked up after the run.
#include "tracer/sources/posix_threads/call_places.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/session/process/inside.hpp"
#include "tracer/symbols/loaded_modules.hpp"

namespace latecomer::posix {

// Modules in which calls are.
struct Places {
  std::mutex mutex;
  user::LoadedModules modules;
  std::vector<bool> defined;  // modules whose line is in the log
};

namespace {

struct Words {
  const char* name;
  const char* role;  // OTF2's name in lower case
};
constexpr std::array<Words, static_cast<std::size_t>(Call::kCount)> kWords = {{
#define LATECOMER_ONE(name, role) {#name, role},
    LATECOMER_THREAD_CALLS(LATECOMER_ONE)
#undef LATECOMER_ONE
}};

// Modules of calls have other numbers than those of instrumented functions, of frames, and of
// constructs of OpenMP.
constexpr std::uint32_t kFirstModule = 3U << 16;

// Beginnings of the names of libraries whose threads and locks are not the program's: MPI with what
// it is made of, runtimes of OpenMP (which are recorded by their own functions), the C library.
constexpr std::array<std::string_view, 24> kOthers = {
    "libmpi",   "libpmpi",    "libopen-pal", "libopen-rte", "libpmix",    "libprrte",
    "libevent", "libucp",     "libucs",      "libuct",      "libucm",     "libfabric",
    "libpsm",   "libibverbs", "librdmacm",   "libhwloc",    "libgomp",    "libomp",
    "libiomp5", "libnvomp",   "libc.so",     "libc-",       "libpthread", "ld-"};

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_other(std::string_view name) {
  return std::ranges::any_of(kOthers, [&](std::string_view d) { return name.starts_with(d); });
}

bool is_cxx_library(std::string_view name) {
  return name.starts_with("libstdc++.so") || name.starts_with("libc++.so");
}

record::ConstructDefinition construct_of(Call call, std::uint32_t module, std::uint64_t offset) {
  const Words& words = kWords[static_cast<std::size_t>(call)];
  return {0, words.role, words.name, module, offset, "pthread"};
}

RegionId define_without_place(Call call) {
  const Words& words = kWords[static_cast<std::size_t>(call)];
  return session::define_region({0, "pthread", words.role, words.name, "", "", 0, 0});
}

RegionId define(Places& d, Call call, std::uintptr_t place, bool by_path) {
  const user::LoadedModule* const module = d.modules.find(place);
  if (module == nullptr) return define_without_place(call);
  record::ModuleDefinition definition = module->definition;
  const std::uintptr_t offset = place - module->bias;
  const std::string_view name = base_name(definition.path);
  if (is_other(name)) return kNotOfProgram;
  if (by_path && is_cxx_library(name)) return kByPath;
  if (definition.id >= d.defined.size()) d.defined.resize(definition.id + 1);
  const bool is_new = !d.defined[definition.id];
  d.defined[definition.id] = true;
  definition.id += kFirstModule;
  if (is_new) session::define_module(definition);
  return session::define_construct(construct_of(call, definition.id, offset));
}

// Finds the region of a key, or makes it by `make(places)`.
template <typename Make>
RegionId find_or(std::uintptr_t key, Make&& make) {
  user::AddressMap& regions = process().posix.regions;
  if (const RegionId known = regions.find(key); known != user::AddressMap::kUnknown) return known;
  const int saved = errno;
  RegionId region = kNotOfProgram;
  try {
    const session::Suspend inside(session::detail::thread_state.current);
    Places& d = process().posix.places.get();
    const std::lock_guard lock(d.mutex);
    region = regions.find(key);
    if (region == user::AddressMap::kUnknown) {
      region = make(d);
      regions.insert(key, region);
    }
  } catch (const std::exception&) {
    region = kNotOfProgram;  // out of memory: this call is not recorded
  }
  errno = saved;
  return region;
}

}  // namespace

bool is_of_program(std::uintptr_t place) {
  const session::Inside inside;
  try {
    Places& d = process().posix.places.get();
    const std::lock_guard lock(d.mutex);
    const user::LoadedModule* const module = d.modules.find(place);
    return module == nullptr || !is_other(base_name(module->definition.path));
  } catch (const std::exception&) {
    return false;  // out of memory
  }
}

RegionId look_up(Call call, std::uintptr_t place) {
  return find_or(key_of(call, place), [=](Places& d) {
    const bool has_paths = session::detail::thread_state.paths != nullptr;
    return define(d, call, place, has_paths);
  });
}

RegionId region_without_place(Call call) {
  const RegionId region =
      find_or(key_of(call, 0), [=](Places&) { return define_without_place(call); });
  return region == kNotOfProgram ? 0 : region;
}

RegionId look_up_by_path(Call call, std::uintptr_t place, record::FrameId path) {
  // No address of a program has these bits.
  constexpr std::uintptr_t kPath = std::uintptr_t{1} << 56, kNoPath = std::uintptr_t{1} << 57;
  static_assert(58 + kCallBits <= 64);
  if (path == 0) {
    return find_or(key_of(call, place | kNoPath),
                   [=](Places& d) { return define(d, call, place, false); });
  }
  return find_or(key_of(call, path | kPath), [=](Places&) {
    const auto frame = process().session.frames->place(path);
    if (frame.module == callpath::FrameTable::kPython) return define_without_place(call);
    return session::define_construct(construct_of(call, frame.module, frame.offset));
  });
}

}  // namespace latecomer::posix
