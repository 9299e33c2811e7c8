// SPDX-License-Identifier: BSD-3-Clause
// The parts of unify(). `order` holds the processes by ascending rank.
#pragma once

#include "tracer/convert/unify.hpp"

namespace latecomer::convert {

// Places of `unified.maps`, by ascending rank of the process.
struct OrderedProcess {
  const ProcessInput* input;
  ProcessMap* map;
};
using ProcessOrder = std::vector<OrderedProcess>;

void unify_system(const ProcessOrder& order, std::uint32_t size, GlobalDefinitions& global);

void unify_regions(const ProcessOrder& order, std::span<const MpiFunction> functions,
                   GlobalDefinitions& global);

// Returns the number of communicators that could not be defined.
std::uint64_t unify_comms(const ProcessOrder& order, std::uint32_t size, bool scalasca25,
                          GlobalDefinitions& global);

// After the communicators.
void unify_windows(const ProcessOrder& order, std::uint32_t size, GlobalDefinitions& global);
void unify_files(const ProcessOrder& order, GlobalDefinitions& global);

}  // namespace latecomer::convert
