// SPDX-License-Identifier: BSD-3-Clause
// At MPI_Finalize: all processes together turn their records into one OTF2 archive.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "archive/result.hpp"

namespace latecomer::convert {

// The experiment directory that this process sees. `maker` is the rank that stands for it: the
// lowest of those that see it. Without a common file system there are several; rank 0 has the
// first.
struct Destination {
  std::string directory;
  int maker = 0;
  int parts = 1;  // how many makers there are
};

// What rank 0 learns besides.
struct Findings {
  std::vector<std::string> warnings;  // sentences about an archive that lacks something
  std::vector<std::string>
      last_words;  // one of each process, by rank: bytes that travel with its log
};

// Reads records/ of this process in its directory, which must be closed, and writes the archive
// there: the own files; the makers have the anchor and the global definitions, the same everywhere.
// Collective over `comm`: all processes of the run, each with its world rank; only PMPI functions
// are called. Returns the same on all processes.
//
// The records stay where they are: remove them after success, keep them after a Problem, so that
// `latecomer repair` can try again. After a Problem nothing is left that looks like an archive.
//
// `last_word` of this process is what it has to say besides; `found` is empty but on rank 0.
[[nodiscard]] Status convert_collectively(MPI_Comm comm, const Destination& where,
                                          const std::string& last_word = "",
                                          Findings* found = nullptr);

}  // namespace latecomer::convert
