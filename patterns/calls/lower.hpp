// SPDX-License-Identifier: BSD-3-Clause
// Converts region names to lower case for comparisons: Fortran programs have MPI_SEND or mpi_send.
#pragma once

#include <string>
#include <string_view>

namespace latecomer::patterns {

[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace latecomer::patterns
