// SPDX-License-Identifier: BSD-3-Clause
// A file that grows by pieces, mapped or written, and never kills the program with a signal.
#pragma once

#include <cstddef>
#include <string>

namespace latecomer::record {

// Space is allocated before it is mapped and pages are filled in before they are used, so a full
// disk is an error value and not SIGBUS; a file size limit is checked first, so it is not SIGXFSZ.
// No file descriptor stays open: the program may close descriptors that it did not open, and its
// own files may get their numbers.
// MT: one thread at a time. errno is not preserved.
class MappedFile {
 public:
  // Creates the file, which must not exist; returns 0 or an errno.
  [[nodiscard]] int create(std::string path);

  // Maps [offset, offset + bytes), which is made part of the file. Null and `error` set on failure.
  [[nodiscard]] std::byte* map(std::size_t offset, std::size_t bytes, int& error) const;

  // Writes at the offset, which need not exist before; returns 0 or an errno. What could not be
  // written as a whole is cut off again.
  [[nodiscard]] int write(std::size_t offset, const std::byte* from, std::size_t bytes) const;

  // Gives memory from map() back; the contents stay in the file.
  static void unmap(std::byte* memory, std::size_t bytes);

  // Cuts the file to its used size; returns 0 or an errno.
  int trim(std::size_t bytes) const;

  [[nodiscard]] bool exists() const { return !path_.empty(); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Anonymous zeroed memory with all pages present, null if there is none; MappedFile::unmap() frees
// it.
[[nodiscard]] std::byte* map_anonymous(std::size_t bytes);

}  // namespace latecomer::record
