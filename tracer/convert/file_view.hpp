// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a file, mapped for reading.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "archive/result.hpp"

namespace latecomer::convert {

class FileView {
 public:
  static Result<FileView> open(const std::string& path);

  FileView(FileView&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  FileView& operator=(FileView&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  FileView(const FileView&) = delete;
  FileView& operator=(const FileView&) = delete;
  ~FileView();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  explicit FileView(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace latecomer::convert
