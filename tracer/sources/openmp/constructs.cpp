// SPDX-License-Identifier: BSD-3-Clause
// Defines regions of constructs when they are first seen. Their lines are looked up after the run.
#include "tracer/sources/openmp/constructs.hpp"

#include <bitset>
#include <cerrno>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "archive/thread_layout.hpp"
#include "tracer/filter/filter.hpp"
#include "tracer/functions/openmp_constructs.hpp"
#include "tracer/symbols/loaded_modules.hpp"

namespace latecomer::openmp {

// Where constructs are.
struct Constructs {
  std::mutex mutex;
  user::LoadedModules modules;
  std::vector<bool> defined;  // modules whose line is in the log
  std::bitset<static_cast<std::size_t>(Construct::kCount)> left_out;  // by the filter
};

namespace {

static_assert(kConstructWords.size() == static_cast<std::size_t>(Construct::kCount));

const ConstructWords& words_of(Construct construct) {
  return kConstructWords[static_cast<std::size_t>(construct)];
}

// Modules of constructs have other numbers than those of instrumented functions and of frames.
constexpr std::uint32_t kFirstModule = 1U << 17;

session::RegionId define(Constructs& d, Construct construct, std::uintptr_t place) {
  const ConstructWords& words = words_of(construct);
  const user::LoadedModule* const module = d.modules.find(place);
  const auto own = reinterpret_cast<std::uintptr_t>(&first_sight);
  if (module != nullptr && own >= module->begin && own < module->end) {
    // The last call of a parallel region is a jump, so it returns to run_member().
    return session::define_region({0, "openmp", words.role, words.name, "", "", 0, 0});
  }
  if (module == nullptr) {
    const std::string name = std::string(words.name) + " @generated code";
    return session::define_region({0, "openmp", words.role, name, "", "", 0, 0});
  }
  record::ModuleDefinition definition = module->definition;
  const std::uintptr_t offset = place - module->bias;
  if (definition.id >= d.defined.size()) d.defined.resize(definition.id + 1);
  const bool is_new = !d.defined[definition.id];
  d.defined[definition.id] = true;
  definition.id += kFirstModule;
  if (is_new) session::define_module(definition);
  return session::define_construct({0, words.role, words.name, definition.id, offset});
}

// The definition log names each construct that was left out.
bool is_left_out(Constructs& d, Construct construct) {
  const std::string name(filter_name(words_of(construct)));
  if (!user::filter() || !user::filter()->excludes_construct(name)) return false;
  if (!d.left_out.test(static_cast<std::size_t>(construct))) {
    d.left_out.set(static_cast<std::size_t>(construct));
    session::define_property(layout::kLogConstructsLeftOut, name);
  }
  return true;
}

}  // namespace

[[gnu::noinline, gnu::cold]] session::RegionId first_sight(Construct construct,
                                                           std::uintptr_t place, bool always) {
  const std::uintptr_t key = place << kConstructBits | static_cast<std::uintptr_t>(construct);
  const int saved = errno;
  session::RegionId region = user::AddressMap::kUnknown;
  try {
    const session::Suspend inside(session::writer());
    Constructs& d = process().openmp.constructs.get();
    const std::lock_guard lock(d.mutex);
    user::AddressMap& regions = process().openmp.regions;
    region = regions.find(key);
    if (region == user::AddressMap::kUnknown) {
      region = !always && is_left_out(d, construct) ? kLeftOut : define(d, construct, place);
      regions.insert(key, region);
    }
  } catch (const std::exception&) {
    region = user::AddressMap::kUnknown;  // out of memory: this construct is not recorded
  }
  errno = saved;
  return region;
}

}  // namespace latecomer::openmp
