// SPDX-License-Identifier: BSD-3-Clause
// Pieces of messages, and sleeping with the futex of Linux.
#include "tracer/exchange/pipe.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

namespace latecomer::exchange {

void Outgoing::put_piece(Pipe& pipe, Pipe::State direction) {
  std::size_t used = 0;
  if (!started_) {
    const std::uint64_t total = message_.size();
    std::memcpy(pipe.piece, &total, sizeof total);
    used = sizeof total;
    started_ = true;
  }
  const std::size_t count = std::min(Pipe::kBytes - used, message_.size() - offset_);
  std::memcpy(pipe.piece + used, message_.data() + offset_, count);
  offset_ += count;
  pipe.length = static_cast<std::uint32_t>(used + count);
  pipe.state.store(direction, std::memory_order_release);
}

void Incoming::take_piece(Pipe& pipe) {
  const std::size_t length = std::min<std::size_t>(pipe.length, Pipe::kBytes);
  std::size_t used = 0;
  if (!started_) {
    used = sizeof total_;
    std::memcpy(&total_, pipe.piece, sizeof total_);
    started_ = true;
  }
  const std::size_t count = length - std::min(used, length);
  bytes_.append(pipe.piece + used, count);
  received_ += count;
  pipe.state.store(Pipe::kEmpty, std::memory_order_release);
}

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  const timespec longest{0, 10'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &longest, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace latecomer::exchange
