// SPDX-License-Identifier: BSD-3-Clause
// Unifies the definitions of all processes to those of the run, with a map of ids per process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tracer/convert/definitions/global_definitions.hpp"
#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/convert/definitions/process_map.hpp"
#include "tracer/convert/definitions/usage.hpp"
#include "tracer/record/definition_lines.hpp"

namespace latecomer::convert {

struct ProcessInput {
  std::uint32_t rank = 0;
  record::Definitions definitions;
  Usage usage;
};

struct Unified {
  GlobalDefinitions global;
  std::vector<ProcessMap> maps;     // in the order of the given processes
  std::uint64_t unknown_comms = 0;  // number of communicators whose members are lost
};

// `size` is the number of processes of the run. `processes` are those that left something, each
// rank below `size` at most once. Their order does not matter: the result depends on ranks only.
//
//   regions         those that are used; equal ones of several processes become one. MPI functions
//                   come first, in the order of their table.
//   communicators   (owner, number) identifies one. Those of a single process become communicators
//                   like MPI_COMM_SELF, as many as the process with the most has. Parents have
//                   lower ids than their children.
//   teams           a communicator per process and set of threads, after those of MPI.
//   system tree     a machine per metahost, a node per identity.
//
// With `scalasca25` there are no intercommunicators and no communicators without communication.
[[nodiscard]] Unified unify(std::span<const ProcessInput> processes, std::uint32_t size,
                            std::span<const MpiFunction> functions, bool scalasca25);

}  // namespace latecomer::convert
