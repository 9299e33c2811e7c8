// SPDX-License-Identifier: BSD-3-Clause
// Reads with pread(), so that a file that is cut meanwhile is only shorter.
#include "tracer/follow/read_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <limits>

#include "archive/plain_file.hpp"

namespace latecomer::follow {

ReadFile::ReadFile(const std::string& path) : number_(open_plain(path)) {}

ReadFile::~ReadFile() {
  if (number_ >= 0) close(number_);
}

std::size_t ReadFile::read(std::span<std::byte> bytes, std::size_t offset) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    if (offset + done > static_cast<std::size_t>(std::numeric_limits<off_t>::max())) break;
    const ssize_t got =
        pread(number_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace latecomer::follow
