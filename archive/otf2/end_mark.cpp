// SPDX-License-Identifier: BSD-3-Clause
// Reads the last two bytes of a file.
#include "archive/otf2/end_mark.hpp"

#include <unistd.h>

#include "archive/plain_file.hpp"

namespace latecomer::otf2 {

bool has_end_mark(const std::filesystem::path& file) {
  constexpr char kEndOfFile = 2, kEndOfBuffer = 1;
  const int opened = open_plain(file.string());
  if (opened < 0) return false;
  char end[2] = {};
  const bool read = lseek(opened, -2, SEEK_END) >= 0 && ::read(opened, end, 2) == 2;
  close(opened);
  return read && end[0] == kEndOfFile && end[1] == kEndOfBuffer;
}

}  // namespace latecomer::otf2
