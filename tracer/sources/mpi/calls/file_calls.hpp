// SPDX-License-Identifier: BSD-3-Clause
// Part of a recorded call: files.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "tracer/sources/mpi/objects/files.hpp"

namespace latecomer::mpi {

namespace files {

// The byte from which a seek counts; call it before the seek.
MPI_Offset origin(MPI_File file, int whence);

}  // namespace files

// Records operations on files.
class FileCalls {
 public:
  void file_opened(MPI_Comm comm, const char* name, int amode, MPI_File file);
  void file_closed(ClosingFile& file);
  void file_set(MPI_File file);
  void file_deleted(const char* name);
  void file_operation(FileOperation what, MPI_File file, std::uint64_t bytes,
                      const MPI_Status* status);
  void begin_file_operation(FileOperation what, MPI_File file, std::uint64_t bytes);
  void end_file_operation(MPI_File file, const MPI_Status* status);
  void start_file_operation(FileOperation what, MPI_File file, std::uint64_t bytes,
                            const MPI_Request* request);
  // `origin` is the byte to which `whence` refers.
  void file_moved(MPI_File file, MPI_Offset origin, int whence);
  void shared_pointer_moved(MPI_File file, MPI_Offset offset, int whence);

 protected:
  FileCalls() = default;
  ~FileCalls() = default;
};

}  // namespace latecomer::mpi
