// SPDX-License-Identifier: BSD-3-Clause
// Parts of unify(). `order` holds the processes in ascending order of rank.
#pragma once

#include "tracer/convert/definitions/unify.hpp"

namespace latecomer::convert {

// A process with its element of `unified.maps`.
struct OrderedProcess {
  const ProcessInput* input;
  ProcessMap* map;
};
using ProcessOrder = std::vector<OrderedProcess>;

void unify_system(const ProcessOrder& order, std::uint32_t size, GlobalDefinitions& global);

void unify_regions(const ProcessOrder& order, std::span<const MpiFunction> functions,
                   GlobalDefinitions& global);

// These need the regions.
void unify_contexts(const ProcessOrder& order, GlobalDefinitions& global);

// These need to know whether the kernel told what it did.
void unify_counters(const ProcessOrder& order, GlobalDefinitions& global);

// Returns the number of communicators that could not be defined.
std::uint64_t unify_comms(const ProcessOrder& order, std::uint32_t size, bool scalasca25,
                          GlobalDefinitions& global);

// These need the communicators.
void unify_teams(const ProcessOrder& order, GlobalDefinitions& global);
void unify_posix_threads(const ProcessOrder& order, GlobalDefinitions& global);
void unify_windows(const ProcessOrder& order, std::uint32_t size, GlobalDefinitions& global);
void unify_files(const ProcessOrder& order, GlobalDefinitions& global);

}  // namespace latecomer::convert
