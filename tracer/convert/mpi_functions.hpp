// SPDX-License-Identifier: BSD-3-Clause
// What conversion needs to know of the table of MPI functions.
#pragma once

#include <span>

namespace latecomer::convert {

// Its place in the table is the id of the region in records.
struct MpiFunction {
  const char* name = "";
  const char* role = "";  // Region::role
};

[[nodiscard]] std::span<const MpiFunction> mpi_functions();

}  // namespace latecomer::convert
