// SPDX-License-Identifier: BSD-3-Clause
// Packs structures as messages between processes of one run: plain values, texts and vectors.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace latecomer::convert {

class ByteWriter {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_text(std::string_view text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  template <typename T>
  void put_all(const std::vector<T>& values) {
    put(std::uint64_t{values.size()});
    for (const T& value : values) put(value);
  }

  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Unpacks such messages. Values beyond the end are zero or empty; then ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (enough(sizeof value)) {
      std::memcpy(&value, rest_.data(), sizeof value);
      rest_.remove_prefix(sizeof value);
    }
    return value;
  }
  std::string_view get_text() {
    const auto length = get<std::uint64_t>();
    if (!enough(length)) return {};
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return text;
  }
  template <typename T>
  std::vector<T> get_all() {
    const auto count = get<std::uint64_t>();
    if (count > rest_.size() / sizeof(T)) ok_ = false;
    std::vector<T> values(ok_ ? count : 0);
    for (T& value : values) value = get<T>();
    return values;
  }

  [[nodiscard]] bool ok() const { return ok_; }

 private:
  bool enough(std::uint64_t bytes) {
    if (bytes > rest_.size()) ok_ = false;
    return ok_;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace latecomer::convert
