// SPDX-License-Identifier: BSD-3-Clause
// Files of this process: what is known of an open one.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tracer/record/writer.hpp"

namespace latecomer::mpi {

// OTF2's modes and flags of operations on files.
inline constexpr std::uint32_t kRead = 0;
inline constexpr std::uint32_t kWrite = 1;
inline constexpr std::uint32_t kNonblocking = record::kFileNonblocking;
inline constexpr std::uint32_t kCollectively = record::kFileCollective;

// An operation as a recipe names it.
struct FileOperation {
  std::uint32_t mode = kRead;
  std::uint32_t flags = 0;
};
inline constexpr FileOperation kReads{kRead, 0}, kWrites{kWrite, 0};
inline constexpr FileOperation kFlushesAll{2, kCollectively};
inline constexpr FileOperation kReadsAll{kRead, kCollectively}, kWritesAll{kWrite, kCollectively};

// A Fortran reference to a file's handle, which is a number there.
class FortranFile {
 public:
  explicit FortranFile(const void* reference)
      : reference_(static_cast<const MPI_Fint*>(reference)) {}
  operator MPI_File() const {
    return PMPI_File_f2c(*reference_);
  }  // NOLINT: as the recipes know it
  MPI_File operator*() const { return PMPI_File_f2c(*reference_); }
  explicit operator bool() const { return reference_ != nullptr; }

 private:
  const MPI_Fint* reference_;
};

// Text of Fortran, without the blanks around it, which MPI takes off as well.
inline std::string fortran_text(const void* characters, std::size_t length) {
  const std::string_view text(static_cast<const char*>(characters), length);
  const std::size_t first = std::min(text.find_first_not_of(' '), length);
  return std::string(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

struct FileInfo {
  record::FileHandleId handle = 0;
  std::uint32_t file = 0;
  bool deletes = false;         // this process writes that it is deleted when it is closed
  record::RequestId split = 0;  // the collective operation that was begun; 0: none
};

namespace files {

// A file that all of the communicator have opened: in the same order, so its number there and its
// name say which one it is. Null if the communicator is unknown.
FileInfo* add(MPI_File file, MPI_Comm comm, const char* name, int amode);
[[nodiscard]] FileInfo* find(MPI_File file);
// Before a seek: the byte of the file that it counts from.
MPI_Offset origin(MPI_File file, int whence);
// The number of a file's name.
std::uint32_t name_of(const char* name);

}  // namespace files

// A file that is about to be closed. As soon as it is, MPI may give its handle out again, to
// another thread: so nothing is known of the handle from here on, unless it could not be closed.
class ClosingFile {
 public:
  explicit ClosingFile(MPI_File file);
  ~ClosingFile();
  ClosingFile(const ClosingFile&) = delete;
  ClosingFile& operator=(const ClosingFile&) = delete;
  [[nodiscard]] std::optional<FileInfo> closed() { return std::exchange(info_, std::nullopt); }

 private:
  MPI_File file_;
  std::optional<FileInfo> info_;
};

}  // namespace latecomer::mpi
