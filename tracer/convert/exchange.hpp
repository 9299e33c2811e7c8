// SPDX-License-Identifier: BSD-3-Clause
// Texts of any length between rank 0 and all processes. Everything is collective.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace latecomer::convert {

// By rank on rank 0, nothing elsewhere.
[[nodiscard]] std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine);

// `all` is used on rank 0.
[[nodiscard]] std::string scatter_texts(MPI_Comm comm, const std::vector<std::string>& all);

// `text` of rank 0 on all processes.
[[nodiscard]] std::string broadcast_text(MPI_Comm comm, std::string text);

[[nodiscard]] bool true_everywhere(MPI_Comm comm, bool mine);

}  // namespace latecomer::convert
