// SPDX-License-Identifier: BSD-3-Clause
// The log of a process's definitions: lines in memory, then in a file that outlives the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "tracer/record/mapped_file.hpp"

namespace latecomer::record {

// The file is mapped, so a line is safe once append() has returned, even from SIGKILL, and no
// descriptor stays open. A tail of zero bytes stands behind the last line until close().
// MT: any thread.
class DefinitionLog {
 public:
  ~DefinitionLog() { close(); }

  // Appends one line of definitions.hpp. Without space the line is lost and counted.
  void append(std::string_view line);

  // Creates the file and writes what there is so far; returns 0 or an errno.
  int move_to(const std::string& path);

  // Last lines (losses, `end`): they have a reserve of space that append() does not touch.
  void append_last(std::string_view line);

  // Cuts the file to its length. Later lines are dropped.
  void close();

  [[nodiscard]] std::uint64_t lost_lines() const;

  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  static constexpr std::size_t kReserve = 2048;

 private:
  bool write(std::string_view line, std::size_t reserve);
  bool grow(std::size_t at_least);

  std::string memory_;  // before move_to()
  MappedFile file_;
  std::byte* piece_ = nullptr;  // mapped part of the file
  std::size_t piece_offset_ = 0;
  std::size_t piece_bytes_ = 0;
  std::size_t used_ = 0;  // bytes of the piece
  std::uint64_t lost_ = 0;
  int error_ = 0;  // errno of what could not be written last
  bool closed_ = false;
  mutable std::mutex mutex_;
};

}  // namespace latecomer::record
