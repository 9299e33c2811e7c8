// SPDX-License-Identifier: BSD-3-Clause
// Packs, unpacks and writes inputs that are directories.
#include "tests/fuzz/directory.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace latecomer::fuzz {
namespace fs = std::filesystem;
namespace {

bool stays_inside(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/';
  });
  // Accepts "a/b", but neither "/a" nor "a/../b", "a//b" or "a/".
  return plain && !name.empty() && name.front() != '/' && name.back() != '/' &&
         name.find("..") == std::string::npos && name.find("//") == std::string::npos &&
         name.find("/./") == std::string::npos && name != ".";
}

}  // namespace

Bytes pack(const Files& files) {
  Bytes out;
  for (const auto& [name, bytes] : files) {
    const std::size_t length = std::min<std::size_t>(name.size(), 255);
    out.push_back(static_cast<std::uint8_t>(length));
    out.insert(out.end(), name.begin(), name.begin() + static_cast<std::ptrdiff_t>(length));
    for (unsigned shift = 0; shift < 32; shift += 8) {
      out.push_back(static_cast<std::uint8_t>(bytes.size() >> shift));
    }
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

Files unpack(std::span<const std::uint8_t> input) {
  Files files;
  const auto take = [&](std::size_t size) {
    const auto taken = input.first(std::min(size, input.size()));
    input = input.subspan(taken.size());
    return taken;
  };
  while (!input.empty()) {
    const std::string name = text_of(take(take(1)[0]));
    std::size_t size = 0;
    for (unsigned shift = 0; const auto byte : take(4)) {
      size |= std::size_t{byte} << shift;
      shift += 8;
    }
    const auto bytes = take(size);
    if (stays_inside(name)) files[name].assign(bytes.begin(), bytes.end());
  }
  return files;
}

Files files_in(const fs::path& directory) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(directory).string()] = {
        std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

Directory::Directory() {
  std::string name = fs::temp_directory_path() / "latecomer-fuzz.XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = name;
}

Directory::~Directory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Directory::fill(const Files& files) const {
  for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry.path());
  for (const auto& [name, bytes] : files) put(name, bytes);
}

void Directory::put(const std::string& name, std::span<const std::uint8_t> bytes) const {
  // A file is left out if another file has the name of its directory.
  std::error_code ignored;
  fs::create_directories((path_ / name).parent_path(), ignored);
  std::ofstream(path_ / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace latecomer::fuzz
