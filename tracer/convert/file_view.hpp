// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a file, mapped for reading.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "archive/mapping.hpp"
#include "archive/result.hpp"

namespace latecomer::convert {

class FileView {
 public:
  static Result<FileView> open(const std::string& path);

  [[nodiscard]] std::span<const std::byte> bytes() const { return mapping_.bytes(); }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(mapping_.data()), mapping_.size()};
  }

 private:
  explicit FileView(Mapping mapping) : mapping_(std::move(mapping)) {}

  Mapping mapping_;  // empty: the file is
};

}  // namespace latecomer::convert
