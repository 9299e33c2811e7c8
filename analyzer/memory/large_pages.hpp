// SPDX-License-Identifier: BSD-3-Clause
// Memory in pages of 2 MiB. With ordinary pages the first touch of a page costs more than reading
// the events that fill it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace latecomer::memory {

// Maps a block aligned to a large page. The kernel may refuse large pages. Blocks that were given
// back are reused, since the kernel clears every fresh page. Throws std::bad_alloc. MT: one thread.
[[nodiscard]] void* map(std::size_t bytes);
void unmap(void* block, std::size_t bytes) noexcept;

// Blocks that do not fit into `bytes` of memory are in a file in this directory. The kernel reads
// and writes it when it needs memory. Call this before the first block.
void set_limit(std::size_t bytes, const std::filesystem::path& directory);
// The largest number of bytes that were in that file.
[[nodiscard]] std::size_t spilled();
// The reason why the file could not be made or extended; empty if nothing went wrong.
[[nodiscard]] const std::string& spill_problem();

// Lets malloc() keep freed memory instead of returning it to the kernel, and use large pages.
void keep_heap();
// Returns the memory that malloc() keeps. Useful when much was freed that will not be needed soon.
// Afterwards malloc() uses large pages again.
void trim_heap();

// Allocates blocks with similar lifetimes side by side in regions of 4 MiB. A region is released
// when its last block is given back; its memory is not reused before. Blocks have at most 1 MiB and
// are aligned to 64 bytes. MT: one thread.
//
// Lifetimes: kLong: to the end of the analysis. kTimelines: timelines, which are replaced when
// times are corrected. kValues: until statistics are made. kPoints: until points are connected.
enum class Life : unsigned char { kLong, kTimelines, kValues, kPoints };
inline constexpr std::size_t kLives = static_cast<std::size_t>(Life::kPoints) + 1;
[[nodiscard]] void* take(std::size_t bytes, Life life = Life::kLong);
void give(void* block) noexcept;

inline constexpr std::size_t kLargest = std::size_t{1} << 20;
struct Give {  // a deleter for std::unique_ptr
  void operator()(void* block) const noexcept { give(block); }
};

// An allocator for vectors of plain data. Elements without a value stay uninitialized, and long
// vectors use large pages.
template <typename T>
class Allocator {
 public:
  using value_type = T;
  Allocator() = default;
  template <typename U>
  Allocator(const Allocator<U>&) {}

  [[nodiscard]] T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    return static_cast<T*>(bytes < kMapped ? ::operator new(bytes) : map(bytes));
  }
  void deallocate(T* block, std::size_t n) noexcept {
    const std::size_t bytes = n * sizeof(T);
    if (bytes < kMapped) {
      ::operator delete(block);
    } else {
      unmap(block, bytes);
    }
  }
  template <typename U, typename... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }
  }
  friend bool operator==(const Allocator&, const Allocator&) { return true; }

 private:
  static constexpr std::size_t kMapped = std::size_t{2} << 20;
};

template <typename T>
using Vector = std::vector<T, Allocator<T>>;

}  // namespace latecomer::memory
