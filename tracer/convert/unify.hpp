// SPDX-License-Identifier: BSD-3-Clause
// Definitions of all processes -> definitions of the run, and a map of ids per process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tracer/convert/global_definitions.hpp"
#include "tracer/convert/mpi_functions.hpp"
#include "tracer/convert/process_map.hpp"
#include "tracer/convert/usage.hpp"
#include "tracer/record/definitions.hpp"

namespace latecomer::convert {

struct ProcessInput {
  std::uint32_t rank = 0;
  record::Definitions definitions;
  Usage usage;
};

struct Unified {
  GlobalDefinitions global;
  std::vector<ProcessMap> maps;     // in the order of the given processes
  std::uint64_t unknown_comms = 0;  // communicators that could not be defined: members are lost
};

// `size` is the number of processes of the run; `processes` are those of which there is something,
// each rank below `size` at most once, in any order: the result depends on ranks, not on places.
//
// Regions: what is used; equal ones of several processes are one. MPI functions come first, in the
// order of their table.
// Communicators: (owner, number) names one; those of a single process become COMM_SELF-like ones,
// of which there are as many as the process with the most has. Ids go up from parents to children.
// System tree: a machine per metahost, a node per identity.
// With `scalasca25` there are neither intercommunicators nor communicators without communication.
[[nodiscard]] Unified unify(std::span<const ProcessInput> processes, std::uint32_t size,
                            std::span<const MpiFunction> functions, bool scalasca25);

}  // namespace latecomer::convert
