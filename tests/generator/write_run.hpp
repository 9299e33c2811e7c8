// SPDX-License-Identifier: BSD-3-Clause
// Writes a synthetic run as an OTF2 archive.
#pragma once

#include <filesystem>
#include <string>

#include "tests/generator/synthetic_run.hpp"

namespace latecomer::test {

struct ClockOptions {
  std::string models;                  // lines for sync::clock_of_node; empty: fixed offsets
  std::int64_t measurement_error = 0;  // of the offsets at the beginning and at the end, ns
};

// Call paths: program/main/{MPI_Init, solver/step/{compute/kernel, exchange/MPI_..., shift/...,
// residual/MPI_Allreduce, checkpoint/MPI_Barrier}, MPI_Finalize}. Clocks of ranks differ by
// constants that the archive gives as clock offsets.
// Returns the totals, with the number of events written.
Totals write_run(const SyntheticRun& run, const std::filesystem::path& directory,
                 const ClockOptions& clocks = {});

}  // namespace latecomer::test
