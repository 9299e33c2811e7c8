// SPDX-License-Identifier: BSD-3-Clause
// A place in shared memory through which rank 0 and one other process of its node send messages.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace latecomer::exchange {

// A pipe holds one piece of a message at a time, in either direction. Zeros are an empty pipe.
//
//   process r                    pipe                       rank 0
//   writes a piece               kToRoot                    waits for kToRoot, copies the piece
//   waits for kEmpty             kEmpty                     ...
//   waits for kFromRoot          kFromRoot                  writes a piece
//
// Both sides know from the operation which direction comes next, so neither takes its own piece.
struct Pipe {
  enum State : std::uint32_t { kEmpty = 0, kToRoot, kFromRoot };
  static constexpr std::size_t kBytes = (16 << 10) - 8;

  std::atomic<std::uint32_t> state;
  std::uint32_t length;
  char piece[kBytes];
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// A message on its way into a pipe: its length in 8 bytes, then its bytes.
class Outgoing {
 public:
  Outgoing() = default;
  // `message` stays the caller's, and must stay where it is.
  explicit Outgoing(std::string_view message) : message_(message) {}

  [[nodiscard]] bool done() const { return started_ && offset_ == message_.size(); }
  // Fills the pipe, which must be empty, with the next piece for the other side.
  void put_piece(Pipe& pipe, Pipe::State direction);

 private:
  std::string_view message_;
  std::size_t offset_ = 0;
  bool started_ = false;
};

// A message on its way out of a pipe.
class Incoming {
 public:
  [[nodiscard]] bool done() const { return started_ && received_ >= total_; }
  // Empties the pipe, which must hold a piece for this side.
  void take_piece(Pipe& pipe);
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
  std::uint64_t received_ = 0;
  std::uint64_t total_ = 0;
  bool started_ = false;
};

// Sleeps until `word` in shared memory is no longer `seen`, for 10 ms at most.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t seen);
// Wakes all processes that sleep because of `word`.
void wake(std::atomic<std::uint32_t>& word);

}  // namespace latecomer::exchange
