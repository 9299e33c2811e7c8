// SPDX-License-Identifier: BSD-3-Clause
// Texts of any length between rank 0 and all processes. Everything is collective.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace latecomer::convert {

// Counts of MPI are ints: long texts travel in rounds of so many bytes from or to all together.
inline constexpr std::size_t kRoundBytes = std::size_t{1} << 30;

// By rank on rank 0, nothing elsewhere.
[[nodiscard]] std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine,
                                                    std::size_t round_bytes = kRoundBytes);

// `all` is used on rank 0.
[[nodiscard]] std::string scatter_texts(MPI_Comm comm, const std::vector<std::string>& all,
                                        std::size_t round_bytes = kRoundBytes);

// `text` of rank 0 on all processes.
[[nodiscard]] std::string broadcast_text(MPI_Comm comm, std::string text,
                                         std::size_t round_bytes = kRoundBytes);

}  // namespace latecomer::convert
