// SPDX-License-Identifier: BSD-3-Clause
// Steps through the records of an event file, chunk by chunk.
#include "analyzer/trace/events/core/event_file.hpp"

#include <unistd.h>

#include <cerrno>

#include "archive/plain_file.hpp"

namespace latecomer::trace {

EventFile::EventFile(const std::filesystem::path& path, std::size_t chunk, Buffer& buffer)
    : buffer_(buffer), chunk_(chunk), file_(open_plain(path.string())) {
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

// Steps over times and attributes, which belong to the next event, up to that event.
bool EventFile::next(EventRecord& record) {
  record.attributes = {};
  const std::uint8_t* at = at_;  // in a register: each step depends on the one before
  for (;;) {
    if (at >= end_) {
      // Attributes are in the same chunk as their event.
      at_ = at;
      if (!record.attributes.at_end() || !read_chunk()) return false;
      at = at_;
      continue;
    }
    const std::uint8_t type = *at++;
    if (type == kTime) {
      Fields field(at, end_, swapped_);
      record.time = field.whole(sizeof record.time);
      if (field.bad()) return false;
      record.new_time = true;
      at += sizeof record.time;
      continue;
    }
    if (type < kFirstWithLength) {
      if (type == kEndOfChunk) {
        at = end_;
        continue;
      }
      complete_ = type == kEndOfFile;
      return false;
    }
    const std::uint8_t* begin = at;
    std::size_t size = at < end_ ? *at : 0;
    if (is_single(type)) {
      size = size == kLong ? 1 : size + 1;  // the size byte of its field and the field
    } else if (size == kLong) {
      begin = at + 1;
      size = Fields(begin, end_, swapped_).whole(sizeof(std::uint64_t));
      begin += sizeof(std::uint64_t);
    } else {
      begin = at + 1;
    }
    if (begin > end_ || size > static_cast<std::size_t>(end_ - begin)) return false;
    at = begin + size;
    if (type == kAttributes) {
      record.attributes = Fields(begin, at, swapped_);
      continue;
    }
    at_ = at;
    record.type = type;
    record.fields = Fields(begin, at, swapped_);
    return true;
  }
}

bool EventFile::read_chunk() {
  constexpr std::size_t kHeaderSize = 18;
  constexpr std::uint8_t kLittle = 'B', kBig = '#';
  std::size_t bytes = 0;
  while (bytes < chunk_) {
    const ssize_t more =
        pread(file_, buffer_.data() + bytes, chunk_ - bytes, static_cast<off_t>(offset_ + bytes));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0 && error_ == 0) error_ = errno;
    if (more <= 0) break;
    bytes += static_cast<std::size_t>(more);
  }
  offset_ += bytes;
  at_ = end_ = usual_end_ = buffer_.data();
  if (bytes < kHeaderSize || buffer_[0] != kHeader) return false;
  if (buffer_[1] != kLittle && buffer_[1] != kBig) return false;
  swapped_ = buffer_[1] == kBig;
  at_ = buffer_.data() + kHeaderSize;
  end_ = buffer_.data() + bytes;
  if (!swapped_ && bytes > kHeaderSize + kUsual) usual_end_ = end_ - kUsual;
  return true;
}

}  // namespace latecomer::trace
