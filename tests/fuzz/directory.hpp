// SPDX-License-Identifier: BSD-3-Clause
// Inputs that are directories: the names and bytes of their files in a row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "tests/fuzz/mutate.hpp"

namespace latecomer::fuzz {

using Files = std::map<std::string, Bytes>;

// Of each file the length of its name in 1 byte, the name, the number of its bytes in 4, the bytes.
[[nodiscard]] Bytes pack(const Files& files);
// Never fails: what is cut ends where it is cut. Files whose names lead out of the directory, or
// have other characters than letters, digits, "_", "." and "/", are left out.
[[nodiscard]] Files unpack(std::span<const std::uint8_t> input);

// Changes one of the files, found by its name: mutate_file(name, bytes, random). Now and then a
// file goes, or takes the place of another.
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

// All regular files in a directory and below.
[[nodiscard]] Files files_in(const std::filesystem::path& directory);

// A directory for inputs, in TMPDIR. Removed with the object.
class Directory {
 public:
  Directory();
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // These files; what was in it goes.
  void fill(const Files& files) const;
  // One file more, or in place of the one of that name.
  void put(const std::string& name, std::span<const std::uint8_t> bytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace latecomer::fuzz
