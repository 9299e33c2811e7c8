// SPDX-License-Identifier: BSD-3-Clause
// Names for functions that were recorded by address.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "archive/result.hpp"
#include "tracer/convert/unify.hpp"

namespace latecomer::convert {

// Rank 0 looks the names up in the files of the programs. Files that it cannot read, of another
// metahost for example, are looked at by the processes that ran them. Functions whose file nobody
// can read are named by file and address.
//
// `mine` are the own definitions; `inputs`, on rank 0, those of all processes by rank. Returns
// sentences about files that rank 0 could not read and nobody else could, on rank 0. Nothing is
// done where `status` of rank 0 is a Problem. Collective.
std::vector<std::string> name_functions(MPI_Comm comm, const record::Definitions& mine,
                                        std::vector<ProcessInput>& inputs, Status& status);

}  // namespace latecomer::convert
