// SPDX-License-Identifier: BSD-3-Clause
// Facts from the table of MPI functions that the conversion needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace latecomer::convert {

// An MPI function. Its index in the table is the id of the region in records.
struct MpiFunction {
  const char* name = "";
  const char* role = "";  // Region::role
};

[[nodiscard]] std::span<const MpiFunction> mpi_functions();

// Name of the function of a region; empty if it is none of MPI.
[[nodiscard]] std::string mpi_function_name(std::uint32_t region);

// True if a function returns when one of its requests is complete: MPI_Waitany, MPI_Waitsome.
[[nodiscard]] bool one_request_is_enough(std::string_view function);

// Distinguishes this table from those of other releases. Records hold indices into the table of the
// library that made them, and its log has this name as the property kMpiTableProperty.
[[nodiscard]] std::string mpi_table_name();
inline constexpr const char* kMpiTableProperty = "mpi_functions";

}  // namespace latecomer::convert
