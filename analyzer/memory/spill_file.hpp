// SPDX-License-Identifier: BSD-3-Clause
// Memory that the kernel can write to a file when it needs the room, for traces that are larger
// than the machine's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "analyzer/memory/free_blocks.hpp"
#include "archive/mapping.hpp"

namespace latecomer::memory {

// Blocks in one file without a name, which disappears with the process however that ends. The file
// is made with the first block and grows to the largest sum of blocks in use. Space on the disk is
// reserved before a block is given out, so that no access can fail.
class SpillFile {
 public:
  SpillFile() = default;
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  ~SpillFile();

  // Directory of the file; set it before the first block.
  void set_directory(std::filesystem::path directory) { directory_ = std::move(directory); }
  // `bytes` and `alignment` are multiples of FreeBlocks::kLargePage; alignment is at most 4 MiB.
  // Throws std::bad_alloc; problem() then says why.
  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment);
  void give(void* block, std::size_t bytes) { free_.add(block, bytes); }
  [[nodiscard]] bool has(const void* block) const {
    const auto at = reinterpret_cast<std::uintptr_t>(block);
    const auto start = reinterpret_cast<std::uintptr_t>(all_.data());
    return at >= start && at < start + all_.size();
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void open();
  void grow(std::size_t bytes);
  [[noreturn]] void fail(const char* what, int error);

  std::filesystem::path directory_;
  int file_ = -1;
  Mapping all_;           // the addresses that belong to the file, more than it has bytes
  std::size_t size_ = 0;  // size of the file
  FreeBlocks free_;       // free blocks within the file
  std::string problem_;
};

}  // namespace latecomer::memory
