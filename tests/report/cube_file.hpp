// SPDX-License-Identifier: BSD-3-Clause
// CUBE files built byte by byte, in the variants that other writers produce.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace latecomer::test {

// A directory that is removed at the end of the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Member {
  std::string name, content;
};
void write_tar(const std::filesystem::path& file, std::vector<Member> members);
void write_bytes(const std::filesystem::path& file, const std::string& bytes);
[[nodiscard]] std::string read_bytes(const std::filesystem::path& file);

// The bytes of numbers, little or big endian.
template <typename T>
std::string bytes_of(const std::vector<T>& values, bool big_endian = false) {
  std::string out;
  for (const T& value : values) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof(T));
    if (big_endian) one.assign(one.rbegin(), one.rend());
    out += one;
  }
  return out;
}

[[nodiscard]] std::string sparse_index(const std::vector<std::uint32_t>& rows,
                                       bool big_endian = false);
[[nodiscard]] std::string dense_index(bool big_endian = false);
// Contents of N.data with rows of equal length, plain or with each row compressed.
[[nodiscard]] std::string plain_data(const std::string& rows);
[[nodiscard]] std::string compressed_data(const std::string& rows, std::size_t row_size);
[[nodiscard]] std::string gzip(const std::string& text);

// anchor.xml with two locations and the call tree A(B(D(F),E),C(G)); cnode ids are not in document
// order. `metrics` is the content of <metrics>; metric N is called mN.
[[nodiscard]] std::string small_anchor(const std::string& metrics);
// A variant of the other small_anchor(), with `system` instead of the system tree.
[[nodiscard]] std::string small_anchor(const std::string& metrics, const std::string& system);
[[nodiscard]] std::string metric_xml(int id, const std::string& type, const std::string& dtype,
                                     const std::string& more = "");

}  // namespace latecomer::test
