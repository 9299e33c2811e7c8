// SPDX-License-Identifier: BSD-3-Clause
// Conversion at MPI_Finalize: all processes together turn their records into one OTF2 archive.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "archive/result.hpp"
#include "tracer/exchange/group.hpp"

namespace latecomer::convert {

// Experiment directory that this process sees. `maker` is the rank that represents it: the lowest
// one that sees it. Without a common file system there are several makers; rank 0 is the first.
struct Destination {
  std::string directory;
  int maker = 0;
  int parts = 1;                  // number of makers
  MPI_Comm comm = MPI_COMM_NULL;  // of all processes; needed only where there are several parts
};

// Further results on rank 0.
struct Findings {
  std::vector<std::string> warnings;    // sentences about an archive that lacks something
  std::vector<std::string> last_words;  // one per process, by rank: bytes that travel with its log
};

// Reads the records of this process in its directory, which must be closed, and writes the archive
// there. Each process writes its own files. The makers also have the anchor and the global
// definitions, with the same contents everywhere. Collective over `group`: all processes of the
// run, each with its world rank. Returns the same on all processes.
//
// The records stay where they are. Remove them after success; keep them after a Problem, so that
// `latecomer repair` can try again. After a Problem nothing is left that looks like an archive.
//
// `last_word` is a further message of this process; `found` is filled on rank 0 only.
[[nodiscard]] Status convert_collectively(exchange::Group& group, const Destination& where,
                                          const std::string& last_word = "",
                                          Findings* found = nullptr);

}  // namespace latecomer::convert
