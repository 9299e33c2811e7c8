// SPDX-License-Identifier: BSD-3-Clause
// Computes where the members of a tar archive lie, before anything is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace latecomer::report {

// Headers and contents of members begin at multiples of this many bytes.
inline constexpr std::uint64_t kTarBlock = 512;

// Bytes to be written at an offset of the file.
struct FilePiece {
  std::uint64_t offset = 0;
  std::string bytes;
};

// Members are added in file order. The file holds zeros between the end of a member and the next
// header, and at the end of the archive.
class TarLayout {
 public:
  // Appends a member and returns the offset of its first byte. The size must not be a multiple of
  // 512, because CUBE's reader and POSIX tar disagree about the padding in this case.
  std::uint64_t add(const std::string& name, std::uint64_t size);
  // Appends a member whose content is known: it becomes a piece.
  std::uint64_t add(const std::string& name, std::string content);

  // Headers, and the contents that were given.
  [[nodiscard]] const std::vector<FilePiece>& pieces() const { return pieces_; }
  // Length of the whole file, with the two empty blocks at its end.
  [[nodiscard]] std::uint64_t file_size() const { return end_ + 1024; }

 private:
  std::vector<FilePiece> pieces_;
  std::uint64_t end_ = 0;
};

// Returns `content`, with `filler` appended if the size is a multiple of 512.
[[nodiscard]] std::string never_full_blocks(std::string content, char filler);

}  // namespace latecomer::report
