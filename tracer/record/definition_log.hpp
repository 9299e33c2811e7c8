// SPDX-License-Identifier: BSD-3-Clause
// Log of the definitions of a process: lines in memory, then in a file that outlives the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/record/mapped_file.hpp"

namespace latecomer::record {

// The file is mapped, so once append() has returned a line survives even SIGKILL, and no descriptor
// stays open. Zero bytes follow the last line until close().
// MT: any thread.
class DefinitionLog {
 public:
  ~DefinitionLog() { close(); }

  // Appends one line of definition_lines.hpp. If there is no space, the line is lost and counted.
  void append(std::string_view line);

  // Creates the file and writes all lines so far; returns 0 or an errno.
  int move_to(const std::string& path);

  // Appends one of the last lines (losses, `end`). They may use a reserve that append() leaves
  // free.
  void append_last(std::string_view line);

  // Lines of append() beyond so many bytes are lost and counted, too.
  void limit(std::size_t bytes) { most_ = bytes; }

  // Cuts the file to its used length. Later lines are dropped.
  void close();

  [[nodiscard]] std::uint64_t lost_lines() const;

  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  static constexpr std::size_t kReserve = 2048;

 private:
  bool write(std::string_view line, std::size_t reserve);
  bool grow(std::size_t at_least);

  std::vector<char> memory_;  // before move_to()
  MappedFile file_;
  Mapping piece_;  // mapped part of the file
  std::size_t piece_offset_ = 0;
  std::size_t used_ = 0;  // used bytes of the piece
  std::size_t most_ = ~std::size_t{0};
  std::uint64_t lost_ = 0;
  int error_ = 0;  // errno of the last failed write
  bool closed_ = false;
  mutable std::mutex mutex_;
};

}  // namespace latecomer::record
