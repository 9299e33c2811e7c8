// SPDX-License-Identifier: BSD-3-Clause
// A range of mapped memory, unmapped at the end of its life.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace latecomer {

// Nothing throws. An empty range means that the kernel refused; errno then says why.
// MT: one thread at a time.
class Mapping {
 public:
  Mapping() = default;
  // Takes over a range that is mapped already. Both are at borders of pages.
  Mapping(void* start, std::size_t bytes)
      : start_(static_cast<std::byte*>(start)), bytes_(start == nullptr ? 0 : bytes) {}
  ~Mapping() { reset(); }
  Mapping(Mapping&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)),
        before_(std::exchange(other.before_, 0)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(before_, other.before_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  // Zeroed memory. `protection` and `more_flags` are those of mmap().
  [[nodiscard]] static Mapping of_memory(std::size_t bytes, int protection, int more_flags = 0);
  // A part of a file. Its offset need not be at a border of a page: the bytes before it in the page
  // are mapped, too, but are not part of the range.
  [[nodiscard]] static Mapping of_file(int file, std::size_t offset, std::size_t bytes,
                                       int protection, int flags);

  [[nodiscard]] explicit operator bool() const { return start_ != nullptr; }
  [[nodiscard]] std::byte* data() const { return start_ + before_; }
  [[nodiscard]] std::size_t size() const { return bytes_ - before_; }
  [[nodiscard]] std::span<std::byte> bytes() const { return {data(), size()}; }

  // Keeps the first part that has so many bytes and an aligned address, and unmaps the rest. The
  // range must have at least bytes + alignment, which are multiples of a page.
  void keep_aligned(std::size_t bytes, std::size_t alignment);

  // Puts a file in the place of the memory; the range is as long as before. False: see errno.
  [[nodiscard]] bool put_file(int file, int protection);

  // Makes all pages present and writable, so that no later access can fail; returns 0 or an errno.
  [[nodiscard]] int populate();

  // Gives up the range, which stays mapped.
  std::byte* release();
  void reset();

 private:
  std::byte* start_ = nullptr;
  std::size_t before_ = 0;  // bytes of the first page that are not part of the range
  std::size_t bytes_ = 0;   // including these
};

}  // namespace latecomer
