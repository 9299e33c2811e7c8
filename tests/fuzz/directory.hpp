// SPDX-License-Identifier: BSD-3-Clause
// Inputs that are directories: the names and bytes of their files, one after another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "tests/fuzz/mutate.hpp"

namespace latecomer::fuzz {

using Files = std::map<std::string, Bytes>;

// Format of each file: length of its name in 1 byte, the name, number of its bytes in 4 bytes, the
// bytes.
[[nodiscard]] Bytes pack(const Files& files);
// Never fails: a truncated input ends at the cut. Files whose names lead out of the directory, or
// have characters other than letters, digits, "_", "." and "/", are left out.
[[nodiscard]] Files unpack(std::span<const std::uint8_t> input);

// Changes one of the files, found by its name: mutate_file(name, bytes, random). Sometimes a file
// is removed or replaced by another.
template <typename MutateFile>
void mutate_one(Bytes& input, Random& random, MutateFile mutate_file) {
  Files files = unpack(input);
  if (files.empty()) return mutate_bytes(input, random);
  auto& [name, bytes] =
      *std::next(files.begin(), static_cast<std::ptrdiff_t>(random.below(files.size())));
  if (random.one_in(40)) {
    files.erase(std::string(name));
  } else if (random.one_in(40)) {
    bytes = Bytes(random.one_of(files).second);
  } else {
    mutate_file(name, bytes, random);
  }
  input = pack(files);
}

// All regular files in a directory and its subdirectories.
[[nodiscard]] Files files_in(const std::filesystem::path& directory);

// A directory for inputs, in TMPDIR; removed with the object.
class Directory {
 public:
  Directory();
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Replaces the contents of the directory by these files.
  void fill(const Files& files) const;
  // Adds a file, or replaces the one of that name.
  void put(const std::string& name, std::span<const std::uint8_t> bytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace latecomer::fuzz
