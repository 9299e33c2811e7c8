// SPDX-License-Identifier: BSD-3-Clause
// Bytes at any offset of a file that another process writes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace latecomer::follow {

// A file that is open for reading. It stays readable after it was removed.
class ReadFile {
 public:
  // If the file cannot be opened, ok() is false and errno says why.
  explicit ReadFile(const std::string& path);
  ~ReadFile();
  ReadFile(const ReadFile&) = delete;
  ReadFile& operator=(const ReadFile&) = delete;
  ReadFile(ReadFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ReadFile& operator=(ReadFile&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  [[nodiscard]] bool ok() const { return number_ >= 0; }

  // Number of bytes read from the offset on: fewer at the end of the file, or after an error.
  [[nodiscard]] std::size_t read(std::span<std::byte> bytes, std::size_t offset) const;

 private:
  int number_;
};

}  // namespace latecomer::follow
