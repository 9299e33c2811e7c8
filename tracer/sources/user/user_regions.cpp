// SPDX-License-Identifier: BSD-3-Clause
// The library's side of latecomer.h: regions that the program names itself.
#include <cerrno>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "tracer/filter/filter.hpp"
#include "tracer/include/latecomer.h"
#include "tracer/session/process/hook_cost.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/sources/user/filter_use.hpp"

namespace latecomer::user {
namespace {

using session::RegionId;

constexpr RegionId kExcluded = 0xffffffff;

}  // namespace

struct NamedRegions {
  std::mutex mutex;
  // Handles of the same place are one region: those of a template, or of two threads that come
  // first.
  std::map<std::tuple<std::string, std::string, unsigned>, RegionId> known;
};

namespace {

std::string text(const char* maybe) { return maybe != nullptr ? maybe : ""; }

RegionId find_or_define(NamedRegions& d, const latecomer_region& region) {
  const std::string name = text(region.name), file = text(region.file);
  const auto [known, is_new] = d.known.try_emplace({name, file, region.line}, kExcluded);
  const auto& rules = filter();
  const bool counted = is_new && session::is_iteration_region(name, "");
  const bool excluded = is_new && rules && rules->excludes(name, "", file);
  if (excluded) note_filtered_region();
  if (is_new && (counted || !excluded)) {
    known->second = session::define_region(
        {0, "user", region.is_function != 0 ? "function" : "code", name, "", file, region.line, 0});
  }
  if (counted) session::use_iteration_region(known->second);
  return known->second;
}

[[gnu::noinline, gnu::cold]] RegionId define(latecomer_region& region) {
  if (session::detail::thread_state.suspended || session::over()) return kExcluded;
  const int saved = errno;
  RegionId id = kExcluded;
  try {
    const session::Suspend inside(session::writer());
    NamedRegions& d = process().user.named.get();
    const std::lock_guard lock(d.mutex);
    id = find_or_define(d, region);
    __atomic_store_n(&region.id, id, __ATOMIC_RELAXED);
  } catch (const std::exception&) {
    id = kExcluded;  // out of memory: the program continues, this region is not recorded
  }
  errno = saved;
  return id;
}

void enter(latecomer_region* region) {
  session::timed_hook([region] {
    RegionId id = __atomic_load_n(&region->id, __ATOMIC_RELAXED);
    if (id == 0) [[unlikely]]
      id = define(*region);
    if (id == kExcluded) return false;
    session::enter_region(id);
    return true;
  });
}

void leave(latecomer_region* region) {
  session::timed_hook([region] {
    const RegionId id = __atomic_load_n(&region->id, __ATOMIC_RELAXED);
    if (id == 0 || id == kExcluded) return false;
    session::leave_region(id);
    return true;
  });
}

void set_recording(int on) {
  if (session::over() || session::recording(session::Cause::kProgram) == (on != 0)) return;
  // Messages to and from processes that continue to record have no partner here.
  if (on == 0) session::define_property("communication_complete", "false");
  session::recording(on != 0);
}

constexpr latecomer_api kApi = {3, enter, leave, set_recording};

}  // namespace
}  // namespace latecomer::user

// Long enough for a jump to the library for the program's MPI, if this is not that one.
extern "C" [[gnu::visibility("default"), gnu::patchable_function_entry(24)]] const latecomer_api*
latecomer_api_1() {
  return &latecomer::user::kApi;
}
