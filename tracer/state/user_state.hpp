// SPDX-License-Identifier: BSD-3-Clause
// State of tracer/sources/user: regions of the program.
#pragma once

#include <atomic>

#include "tracer/state/address_map.hpp"
#include "tracer/state/on_first_use.hpp"

namespace latecomer::user {

struct CompiledRegions;
struct NamedRegions;

struct UserState {
  AddressMap regions;  // of functions compiled with -finstrument-functions, by address
  OnFirstUse<CompiledRegions> compiled;
  OnFirstUse<NamedRegions> named;
  std::atomic_flag said_filtered;  // the log says that a filter met a region
};

}  // namespace latecomer::user
