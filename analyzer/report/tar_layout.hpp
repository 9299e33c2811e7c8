// SPDX-License-Identifier: BSD-3-Clause
// Where the members of a tar archive lie, known before anything is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace latecomer::report {

// Bytes that somebody has to write at an offset of the file.
struct FilePiece {
  std::uint64_t offset = 0;
  std::string bytes;
};

// Members are added in the order of the file. Between a member's end and the next header, and at
// the end of the archive, the file holds zeros.
class TarLayout {
 public:
  // Appends a member and returns the offset of its first byte. The size must not be a multiple of
  // 512: CUBE's reader and POSIX tar disagree about the padding then.
  std::uint64_t add(const std::string& name, std::uint64_t size);
  // The same, with the content known: it becomes a piece.
  std::uint64_t add(const std::string& name, std::string content);

  // Headers, and contents that were given.
  [[nodiscard]] const std::vector<FilePiece>& pieces() const { return pieces_; }
  // Length of the whole file.
  [[nodiscard]] std::uint64_t file_size() const { return end_ + 1024; }

 private:
  std::vector<FilePiece> pieces_;
  std::uint64_t end_ = 0;
};

// `content` with a byte appended if its size is a multiple of 512.
[[nodiscard]] std::string never_full_blocks(std::string content, char filler);

}  // namespace latecomer::report
