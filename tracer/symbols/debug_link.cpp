// SPDX-License-Identifier: BSD-3-Clause
// Finds separate debug files by name and checksum.
#include "tracer/symbols/debug_link.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

namespace latecomer::user {
namespace {

// Table for CRC-32 (polynomial 0xedb88320), one entry per byte.
std::array<std::uint32_t, 256> remainders() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? 0xedb88320 : 0);
    table[byte] = rest;
  }
  return table;
}

bool has_checksum(int file, std::uint32_t expected) {
  const auto table = remainders();
  std::vector<unsigned char> buffer(std::size_t{64} << 10);
  std::uint32_t rest = ~std::uint32_t{0};
  for (off_t at = 0;;) {
    const ssize_t count = pread(file, buffer.data(), buffer.size(), at);
    if (count < 0) return false;
    if (count == 0) return ~rest == expected;
    for (ssize_t i = 0; i < count; ++i) {
      rest = rest >> 8 ^ table[(rest ^ buffer[static_cast<std::size_t>(i)]) & 0xff];
    }
    at += count;
  }
}

}  // namespace

int open_debug_link(const std::string& file, const std::string& link, std::uint32_t checksum,
                    std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(realpath(file.c_str(), nullptr), free);
  const std::string place = real != nullptr ? real.get() : file;
  const std::string folder = place.substr(0, place.rfind('/') + 1);
  for (const std::string& candidate :
       {folder + link, folder + ".debug/" + link, "/usr/lib/debug" + folder + link}) {
    if (candidate == place) continue;
    const int opened = open(candidate.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) continue;
    if (has_checksum(opened, checksum)) {
      path = candidate;
      return opened;
    }
    close(opened);
  }
  return -1;
}

}  // namespace latecomer::user
