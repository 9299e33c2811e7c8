// SPDX-License-Identifier: BSD-3-Clause
#include "archive/otf2/end_mark.hpp"

#include <fstream>

namespace latecomer::otf2 {

bool has_end_mark(const std::filesystem::path& file) {
  constexpr char kEndOfFile = 2, kEndOfBuffer = 1;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() < 2) return false;
  in.seekg(-2, std::ios::end);
  char end[2] = {};
  in.read(end, 2);
  return end[0] == kEndOfFile && end[1] == kEndOfBuffer;
}

}  // namespace latecomer::otf2
