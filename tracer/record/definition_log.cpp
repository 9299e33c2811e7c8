// SPDX-License-Identifier: BSD-3-Clause
// Appends lines to the mapped file, which grows in pieces of at least 64 KiB.
#include "tracer/record/definition_log.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace latecomer::record {

void DefinitionLog::append(std::string_view line) {
  const int saved = errno;
  const std::lock_guard lock(mutex_);
  const bool fits = piece_offset_ + used_ + memory_.size() + line.size() <= most_;
  if (!closed_ && !(fits && write(line, kReserve))) ++lost_;
  errno = saved;
}

void DefinitionLog::append_last(std::string_view line) {
  const int saved = errno;
  const std::lock_guard lock(mutex_);
  if (!closed_ && !write(line, 0)) ++lost_;
  errno = saved;
}

bool DefinitionLog::write(std::string_view line, std::size_t reserve) {
  if (line.empty()) return true;  // memcpy() takes no null pointer
  if (!file_.exists()) {
    memory_.insert(memory_.end(), line.begin(), line.end());
    return true;
  }
  if (used_ + line.size() + reserve > piece_.size() && !grow(line.size() + reserve)) return false;
  std::memcpy(piece_.data() + used_, line.data(), line.size());
  used_ += line.size();
  return true;
}

// The next piece begins at the page in which the last line ended.
bool DefinitionLog::grow(std::size_t at_least) {
  constexpr std::size_t kPage = 4096;
  const std::size_t length = piece_offset_ + used_;
  const std::size_t offset = length / kPage * kPage;
  const std::size_t rest = length - offset;
  const std::size_t bytes = (rest + at_least + kPieceBytes) / kPage * kPage;
  int error = 0;
  Mapping piece = file_.map(offset, bytes, error);
  if (!piece) {
    error_ = error;
    return false;
  }
  piece_ = std::move(piece);
  piece_offset_ = offset;
  used_ = rest;
  return true;
}

int DefinitionLog::move_to(const std::string& path) {
  const int saved = errno;
  const std::lock_guard lock(mutex_);
  int error = file_.create(path);
  if (error == 0) {
    if (!write({memory_.data(), memory_.size()}, kReserve)) error = error_;
  }
  memory_.clear();
  errno = saved;
  return error;
}

void DefinitionLog::close() {
  const int saved = errno;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (piece_) {
    piece_.reset();
    file_.trim(piece_offset_ + used_);
  }
  errno = saved;
}

std::uint64_t DefinitionLog::lost_lines() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

}  // namespace latecomer::record
