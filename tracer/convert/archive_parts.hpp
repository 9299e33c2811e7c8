// SPDX-License-Identifier: BSD-3-Clause
// Parts of an archive: experiment directories on file systems that not all processes see.
#pragma once

#include <mpi.h>

#include <string>

#include "archive/result.hpp"

namespace latecomer::convert {

// Makes the folder for the files of locations, as OTF2 does on rank 0.
[[nodiscard]] Status make_archive_folder(const std::string& directory);

// Copies rank 0's definitions, manifest and anchor to the directories of the other processes that
// call this. The anchor comes last, since it makes an archive complete. Nothing is copied unless
// `written` holds on rank 0. Each process has its own Problem. Collective over `makers`, whose rank
// 0 has the files.
[[nodiscard]] Status copy_definitions(MPI_Comm makers, const std::string& directory, bool written);

}  // namespace latecomer::convert
