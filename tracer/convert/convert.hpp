// SPDX-License-Identifier: BSD-3-Clause
// At MPI_Finalize: all processes together turn their records into one OTF2 archive.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "archive/result.hpp"

namespace latecomer::convert {

// Reads `directory`/records of this process, which must be closed, and writes the archive into
// `directory`. Collective over `comm`: all processes of the run, each with its world rank; only
// PMPI functions are called. Returns the same on all processes.
//
// The records stay where they are: remove them after success, keep them after a Problem, so that
// `latecomer repair` can try again. After a Problem nothing is left that looks like an archive.
// `warnings`, on rank 0, are sentences about an archive that lacks something.
[[nodiscard]] Status convert_collectively(MPI_Comm comm, const std::string& directory,
                                          std::vector<std::string>* warnings = nullptr);

}  // namespace latecomer::convert
