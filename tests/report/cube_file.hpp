// SPDX-License-Identifier: BSD-3-Clause
// CUBE files put together by hand, in the variants that other writers produce.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace latecomer::test {

// A directory that goes away with the test.
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

// Numbers as bytes, little or big endian.
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
// N.data of equally long rows, plain or with each row compressed.
[[nodiscard]] std::string plain_data(const std::string& rows);
[[nodiscard]] std::string compressed_data(const std::string& rows, std::size_t row_size);
[[nodiscard]] std::string gzip(const std::string& text);

// anchor.xml with two locations and the call tree A(B(D(F),E),C(G)); cnode ids are not in document
// order. `metrics` stands between <metrics> and </metrics>; metric N is called mN.
[[nodiscard]] std::string small_anchor(const std::string& metrics);
// The same with `system` in place of the system tree.
[[nodiscard]] std::string small_anchor(const std::string& metrics, const std::string& system);
[[nodiscard]] std::string metric_xml(int id, const std::string& type, const std::string& dtype,
                                     const std::string& more = "");

}  // namespace latecomer::test
