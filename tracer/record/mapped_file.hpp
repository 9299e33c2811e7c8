// SPDX-License-Identifier: BSD-3-Clause
// File that grows in mapped or written pieces and never kills the program with a signal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "archive/mapping.hpp"

namespace latecomer::record {

// Space is allocated before it is mapped, and pages are filled in before they are used. A full disk
// is therefore an error value instead of SIGBUS. The file size limit is checked first, which avoids
// SIGXFSZ. No file descriptor stays open: the program may close descriptors that it did not open,
// and its own files may get their numbers.
// MT: one thread at a time. errno is not preserved.
class MappedFile {
 public:
  // Creates the file, which must not exist; returns 0 or an errno.
  [[nodiscard]] int create(std::string path);

  // Maps [offset, offset + bytes) and makes it part of the file. An empty range means failure; then
  // `error` is set. The contents stay in the file when the range is unmapped.
  [[nodiscard]] Mapping map(std::size_t offset, std::size_t bytes, int& error) const;

  // Writes at the offset, which may lie beyond the end; returns 0 or an errno. An incomplete write
  // is cut off again.
  [[nodiscard]] int write(std::size_t offset, const std::byte* from, std::size_t bytes) const;

  // Cuts the file to its used size; returns 0 or an errno.
  int trim(std::size_t bytes) const;

  [[nodiscard]] bool exists() const { return path_.has_value(); }
  [[nodiscard]] const std::string& path() const { return *path_; }

 private:
  std::optional<std::string> path_;  // none: there is no file yet
};

}  // namespace latecomer::record
