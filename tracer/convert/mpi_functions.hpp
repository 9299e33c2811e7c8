// SPDX-License-Identifier: BSD-3-Clause
// What conversion needs to know of the table of MPI functions.
#pragma once

#include <span>
#include <string>

namespace latecomer::convert {

// Its place in the table is the id of the region in records.
struct MpiFunction {
  const char* name = "";
  const char* role = "";  // Region::role
};

[[nodiscard]] std::span<const MpiFunction> mpi_functions();

// Tells this table from those of other releases: records hold places in the table of the library
// that made them, whose log has this as the property kMpiTableProperty.
[[nodiscard]] std::string mpi_table_name();
inline constexpr const char* kMpiTableProperty = "mpi_functions";

}  // namespace latecomer::convert
