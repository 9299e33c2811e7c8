// SPDX-License-Identifier: BSD-3-Clause
// Mapped memory that nobody uses at the moment, kept since the kernel clears every fresh page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace latecomer::memory {

// Blocks by address; neighbours are joined. Bytes and addresses are multiples of kLargePage.
class FreeBlocks {
 public:
  static constexpr std::size_t kLargePage = std::size_t{2} << 20;

  // Part of the smallest block in which `bytes` fit at an aligned address, or nullptr. The rest of
  // that block stays here.
  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment);
  void add(void* block, std::size_t bytes);
  // Returns up to `bytes` to the kernel, the smallest blocks first: they fit least. Says how much.
  std::size_t release(std::size_t bytes);
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::map<std::uintptr_t, std::size_t> blocks_;
  std::size_t bytes_ = 0;
};

}  // namespace latecomer::memory
