// SPDX-License-Identifier: BSD-3-Clause
// Open files of this process.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tracer/record/writer.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::mpi {

// OTF2's modes and flags of operations on files.
inline constexpr std::uint32_t kRead = 0;
inline constexpr std::uint32_t kWrite = 1;
inline constexpr std::uint32_t kNonblocking = record::kFileNonblocking;
inline constexpr std::uint32_t kCollectively = record::kFileCollective;

// An operation in the terms of the recipes.
struct FileOperation {
  std::uint32_t mode = kRead;
  std::uint32_t flags = 0;
};
inline constexpr FileOperation kReads{kRead, 0}, kWrites{kWrite, 0};
inline constexpr FileOperation kFlushesAll{2, kCollectively};
inline constexpr FileOperation kReadsAll{kRead, kCollectively}, kWritesAll{kWrite, kCollectively};

// Fortran's reference to the handle of a file, which is a number there.
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

// Fortran text without the blanks around it, which MPI removes as well.
inline std::string fortran_text(const void* characters, std::size_t length) {
  const std::string_view text(static_cast<const char*>(characters), length);
  const std::size_t first = std::min(text.find_first_not_of(' '), length);
  return std::string(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

namespace files {

// A file that all processes of the communicator have opened. They open files in the same order, so
// its number there and its name identify it. Null if the communicator is unknown.
FileInfo* add(MPI_File file, MPI_Comm comm, const char* name, int amode);
[[nodiscard]] FileInfo* find(MPI_File file);
// Number of a file's name.
std::uint32_t name_of(const char* name);

}  // namespace files

// A file that is about to be closed. Once it is closed, MPI may reuse its handle for another
// thread. The handle is therefore unknown from here on, unless closing fails.
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
