// SPDX-License-Identifier: BSD-3-Clause
// Maps a region to the time metric that its time belongs to.
#pragma once

#include <string_view>

namespace latecomer::patterns {

// The most specific time metric of a region, by its name and by CUBE's words for paradigm and role.
// The time counts for that metric and all its ancestors. Case is ignored in names.
//
//   "MPI_Recv", "mpi", "point2point"         -> mpi_point2point
//   "MPI_File_write_at_all", "mpi", "file io" -> mpi_io_collective
//   "solve", "compiler", "function"          -> comp
[[nodiscard]] std::string_view time_class(std::string_view name, std::string_view paradigm,
                                          std::string_view role);

}  // namespace latecomer::patterns
