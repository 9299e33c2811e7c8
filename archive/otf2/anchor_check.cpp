// SPDX-License-Identifier: BSD-3-Clause
// Checks the fields of an anchor file in the order in which OTF2 writes them.
#include "archive/otf2/anchor_check.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace latecomer::otf2 {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargestAnchor = 256 * 1024;  // OTF2 reads no more
constexpr std::uint64_t kSmallestChunk = 256 * 1024, kLargestChunk = 16 * 1024 * 1024;

// Reads an anchor file byte by byte; missing() is true if the file was too short.
class Bytes {
 public:
  explicit Bytes(std::string_view data) : data_(data) {}
  [[nodiscard]] bool missing() const { return missing_; }
  [[nodiscard]] std::size_t left() const { return data_.size(); }
  void big_endian(bool yes) { big_endian_ = yes; }
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t byte = static_cast<std::uint8_t>(next());
      value = big_endian_ ? value << 8 | byte : value | byte << (8 * i);
    }
    return value;
  }
  std::string_view text() {
    const std::size_t length = data_.find('\0');
    if (length == std::string_view::npos) {
      missing_ = true;
      return {};
    }
    const std::string_view out = data_.substr(0, length);
    data_.remove_prefix(length + 1);
    return out;
  }

 private:
  char next() {
    if (data_.empty()) {
      missing_ = true;
      return 0;
    }
    const char c = data_.front();
    data_.remove_prefix(1);
    return c;
  }
  std::string_view data_;
  bool missing_ = false, big_endian_ = false;
};

bool possible(std::uint64_t chunk) { return chunk >= kSmallestChunk && chunk <= kLargestChunk; }

bool is_anchor(std::string_view data) {
  constexpr std::uint64_t kChunkHeader = 3, kBigEndian = '#', kLittleEndian = 'B';
  Bytes in(data);
  if (in.number(1) != kChunkHeader) return false;
  const std::uint64_t order = in.number(1);
  if (order != kBigEndian && order != kLittleEndian) return false;
  in.big_endian(order == kBigEndian);
  if (in.text() != "OTF2") return false;
  const std::uint64_t format = in.number(1);
  in.number(4);  // trace format, version
  if (!possible(in.number(8)) || !possible(in.number(8))) return false;
  in.number(2);                           // substrate, compression
  in.number(8);                           // locations
  in.number(8);                           // global definitions
  for (int i = 0; i < 3; ++i) in.text();  // machine, creator, description
  if (format > 1) {
    const std::uint64_t properties = in.number(4);
    if (properties > in.left() / 2) return false;  // a name and a value, each ended by a zero byte
    for (std::uint64_t i = 0; i < 2 * properties; ++i) in.text();
  }
  return !in.missing();
}

std::string read_start(const fs::path& file, std::size_t most) {
  std::ifstream in(file, std::ios::binary);
  std::string data(most, '\0');
  in.read(data.data(), static_cast<std::streamsize>(most));
  data.resize(static_cast<std::size_t>(in.gcount()));
  return data;
}

}  // namespace

Status check_anchor(const fs::path& anchor) {
  std::error_code error;
  if (fs::is_regular_file(anchor, error) && is_anchor(read_start(anchor, kLargestAnchor))) {
    return success();
  }
  return Problem{anchor.string() + ": not an OTF2 archive, or a damaged one",
                 "give the directory that `scan` has written, or the *.otf2 file in it"};
}

}  // namespace latecomer::otf2
