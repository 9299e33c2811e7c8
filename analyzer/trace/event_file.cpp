// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/event_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace latecomer::trace {

EventFile::EventFile(const std::filesystem::path& path, std::size_t chunk, Buffer& buffer)
    : buffer_(buffer), chunk_(chunk), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) {
    if (errno != ENOENT) error_ = errno;
    return;
  }
  buffer_.resize(chunk_ + Fields::kSlack);
  opened_ = lseek(file_, 0, SEEK_END) > 0;
}

EventFile::~EventFile() {
  if (file_ >= 0) close(file_);
}

bool EventFile::read_chunk() {
  constexpr std::size_t kHeaderSize = 18;
  constexpr std::uint8_t kLittle = 'B', kBig = '#';
  std::size_t bytes = 0;
  while (bytes < chunk_) {
    const ssize_t more =
        pread(file_, buffer_.data() + bytes, chunk_ - bytes, static_cast<off_t>(offset_ + bytes));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) error_ = errno;
    if (more <= 0) break;
    bytes += static_cast<std::size_t>(more);
  }
  offset_ += bytes;
  at_ = end_ = buffer_.data();
  if (bytes < kHeaderSize || buffer_[0] != kHeader) return false;
  if (buffer_[1] != kLittle && buffer_[1] != kBig) return false;
  swapped_ = buffer_[1] == kBig;
  at_ = buffer_.data() + kHeaderSize;
  end_ = buffer_.data() + bytes;
  return true;
}

}  // namespace latecomer::trace
