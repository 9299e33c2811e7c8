// SPDX-License-Identifier: BSD-3-Clause
// Programs compiled with -finstrument-functions: every function is a region.
//
// The first call of a function gives its address a region. Its name is looked up after the run, in
// the file; only a filter or --iterations needs the name at once. Later calls cost a look-up in a
// hash table.
#include <cerrno>
#include <exception>
#include <map>
#include <mutex>
#include <optional>

#include "tracer/filter/filter.hpp"
#include "tracer/session/process/hook_cost.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/sources/user/filter_use.hpp"
#include "tracer/state/process.hpp"
#include "tracer/symbols/loaded_modules.hpp"
#include "tracer/symbols/module_symbols.hpp"

namespace latecomer::user {
namespace {

using session::RegionId;

constexpr RegionId kExcluded = 0xffffffff;

}  // namespace

// Where the addresses of functions are, and how they are called.
struct CompiledRegions {
  std::mutex mutex;
  LoadedModules modules;
  std::size_t modules_defined = 0;
  std::map<std::uint32_t, std::optional<ModuleSymbols>> symbols;  // per module; used by the filter
};

namespace {

AddressMap& regions() { return process().user.regions; }

ModuleSymbols* symbols_of(CompiledRegions& d, const LoadedModule& module) {
  const auto [known, is_new] = d.symbols.try_emplace(module.definition.id);
  if (is_new) {
    if (auto opened = ModuleSymbols::open(module.definition); opened) {
      known->second = std::move(*opened);
    }
  }
  return known->second ? &*known->second : nullptr;
}

// Defines a region whose name is needed now. A function without a name is recorded.
RegionId filtered(CompiledRegions& d, const LoadedModule& module, std::uint64_t offset,
                  const Filter& filter) {
  auto* const symbols = symbols_of(d, module);
  const SourceFunction f = symbols != nullptr ? symbols->function_at(offset) : SourceFunction{};
  const bool counted = session::is_iteration_region(f.name, f.mangled);
  if (filter.excludes(f.name, f.mangled, f.file)) {
    note_filtered_region();
    if (!counted) return kExcluded;
  }
  const RegionId region = session::define_region(to_region(f, module.definition, offset));
  if (counted) session::use_iteration_region(region);
  return region;
}

RegionId define(CompiledRegions& d, std::uintptr_t address) {
  const LoadedModule* const module = d.modules.find(address);
  if (module == nullptr) {
    const record::ModuleDefinition nowhere{0, "generated code", ""};
    return session::define_region(to_region({}, nowhere, address));
  }
  const std::uint64_t offset = address - module->bias;
  const auto& rules = filter();
  if (rules && (!rules->empty() || session::iterations_wanted()))
    return filtered(d, *module, offset, *rules);
  if (module->definition.id == d.modules_defined) {
    session::define_module(module->definition);
    ++d.modules_defined;
  }
  return session::define_address({0, module->definition.id, offset});
}

// Returns kExcluded if nothing can be recorded: inside MPI or the tracer. This also keeps signal
// handlers away from the lock, which their thread may hold.
[[gnu::noinline, gnu::cold]] RegionId first_sight(std::uintptr_t address) {
  if (session::detail::thread_state.suspended || session::over()) return kExcluded;
  session::detail::has_own_regions();  // even if a filter excludes all regions
  const int saved = errno;
  RegionId region = kExcluded;
  try {
    const session::Suspend inside(session::writer());
    CompiledRegions& d = process().user.compiled.get();
    const std::lock_guard lock(d.mutex);
    region = regions().find(address);
    if (region == AddressMap::kUnknown) {
      region = define(d, address);
      regions().insert(address, region);
    }
  } catch (const std::exception&) {
    region = kExcluded;  // out of memory: the program continues, this call is not recorded
  }
  errno = saved;
  return region;
}

}  // namespace
}  // namespace latecomer::user

using namespace latecomer;

extern "C" {

// The compiler calls these. The C library has empty ones for programs that run without the tracer.
[[gnu::visibility("default")]] void __cyg_profile_func_enter(void* function, void* call_site);
[[gnu::visibility("default")]] void __cyg_profile_func_exit(void* function, void* call_site);

void __cyg_profile_func_enter(void* function, void*) {
  session::timed_hook([address = reinterpret_cast<std::uintptr_t>(function)] {
    session::RegionId region = user::regions().find(address);
    if (region == user::AddressMap::kUnknown) [[unlikely]]
      region = user::first_sight(address);
    if (region == user::kExcluded) return false;
    session::enter_region(region);
    return true;
  });
}

void __cyg_profile_func_exit(void* function, void*) {
  session::timed_hook([address = reinterpret_cast<std::uintptr_t>(function)] {
    const session::RegionId region = user::regions().find(address);
    if (region == user::AddressMap::kUnknown || region == user::kExcluded) return false;
    session::leave_region(region);
    return true;
  });
}

}  // extern "C"
