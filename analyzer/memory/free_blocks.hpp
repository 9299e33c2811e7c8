// SPDX-License-Identifier: BSD-3-Clause
// Mapped memory that is not in use. It is kept because the kernel clears every fresh page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace latecomer::memory {

// Blocks by address; neighbors are joined. Bytes and addresses are multiples of kLargePage.
class FreeBlocks {
 public:
  static constexpr std::size_t kLargePage = std::size_t{2} << 20;

  // Takes `bytes` from the smallest block that has room at an aligned address; null: none has. The
  // rest of the block stays free.
  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment);
  void add(void* block, std::size_t bytes);
  // Returns up to `bytes` to the kernel, smallest blocks first, since they are least useful.
  // Returns how many.
  std::size_t release(std::size_t bytes);
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::map<std::uintptr_t, std::size_t> blocks_;
  std::size_t bytes_ = 0;
};

}  // namespace latecomer::memory
