// SPDX-License-Identifier: BSD-3-Clause
// Parts of an archive: experiment directories on file systems that not all processes see.
#pragma once

#include <mpi.h>

#include <string>

#include "archive/result.hpp"

namespace latecomer::convert {

// The folder of the locations' files, as OTF2 makes it on rank 0.
[[nodiscard]] Status make_archive_folder(const std::string& directory);

// Rank 0's definitions, manifest and anchor (the anchor last: with it an archive is complete) are
// copied into the directories of the other processes that call this. Nothing is copied unless
// `written` holds on rank 0. Problems are each process's own. Collective over `makers`, rank 0 of
// which has what is copied.
[[nodiscard]] Status copy_definitions(MPI_Comm makers, const std::string& directory, bool written);

}  // namespace latecomer::convert
