// SPDX-License-Identifier: BSD-3-Clause
// What a thread is doing right now, for an observer of the run: words in the header of its file.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracer/record/arguments.hpp"
#include "tracer/record/format.hpp"

namespace latecomer::record {

// What a call waits for.
enum class Awaited : std::uint32_t {
  kNothing,      // nothing that the wrapper knows
  kReceive,      // a message: blocking receive
  kProbe,        // a message: blocking probe
  kSend,         // the receiver of a message
  kSendReceive,  // both: `peer` is the source, `other_peer` the destination
  kRequests,     // requests
  kCollective,   // the members of a communicator
  kWindow,       // the members of a window
  kFile,         // the processes that opened a file together
  kEpoch,        // the processes of a group (`peer`), at an epoch of a window
  kLock,         // `peer`, the target of a lock; kEverybody: all
  kInside,       // MPI_Init or the measurement itself, inside MPI_Init or MPI_Finalize
  kThreadEnded,  // the thread has ended
  kCount
};

// Kind of an operation that has a request.
enum class AwaitedOperation : std::uint32_t {
  kUnknown,
  kReceive,
  kSend,
  kSendReceive,  // the peer is that of the receive
  kCollective,   // `peer` is its code, `tag` its number on the communicator; 0: not known
  kOther,
  kCount
};

// One request that a call waits for.
struct AwaitedRequest {
  AwaitedOperation operation = AwaitedOperation::kUnknown;
  CommId comm = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
};

// A call that may wait for other processes. The owner writes it before the call and notes the time
// when it returns. `sequence` is odd while the words change, so a reader can tell whether they
// belong together; a process that was killed in between leaves an odd one. It also counts the
// calls, whether they are recorded or not.
//
// MT: one writer, readers in other processes.
struct PendingCall {
  static constexpr std::size_t kMostRequests = 32;
  // Bit in `left`: the call was a poll that completed nothing.
  static constexpr std::uint64_t kUnsuccessful = std::uint64_t{1} << 63;

  std::uint64_t sequence = 0;
  std::uint64_t entered = 0;  // ticks
  std::uint64_t left = 0;     // ticks; 0: the call has not returned
  RegionId region = 0;
  FrameId frame = 0;  // call path
  Awaited awaited = Awaited::kNothing;
  std::uint32_t object = 0;     // communicator, window or handle of a file
  std::uint32_t operation = 0;  // OTF2's code of a collective operation
  std::uint32_t root = kRootNone;
  std::uint64_t instance = 0;  // number of a collective operation on its object, from 1
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::int32_t other_peer = 0;
  std::int32_t other_tag = 0;
  std::uint32_t requests = 0;  // that are not complete; only the first ones are listed
  std::uint32_t unused = 0;
  std::array<AwaitedRequest, kMostRequests> listed{};
};

// Locks of threads, by their addresses in the process. All are read together with the last record,
// which tells the call that waits. Locks beyond the first ones, and those that another thread
// releases, are not known.
//
// MT: one writer, readers in other processes.
struct HeldLocks {
  static constexpr std::size_t kMost = 16;

  std::uint64_t wanted = 0;  // that the thread waits for; 0: none
  std::uint64_t count = 0;   // that it holds
  std::array<std::uint64_t, kMost> addresses{};
};

// Place of the words in the page of the header, behind FileHeader, and of what follows them: for
// each communicator with a low id, the number of collective operations that this process has
// completed or started there. Files of older releases have zeros in both.
inline constexpr std::size_t kPendingOffset = 512;
inline constexpr std::size_t kHeldOffset = kPendingOffset + 768;
inline constexpr std::size_t kOperationsOffset = kPendingOffset + 1024;
inline constexpr std::size_t kCountedComms =
    (kHeaderBytes - kOperationsOffset) / sizeof(std::uint32_t);
static_assert(sizeof(FileHeader) <= kPendingOffset);
static_assert(sizeof(PendingCall) <= kHeldOffset - kPendingOffset);
static_assert(sizeof(HeldLocks) <= kOperationsOffset - kHeldOffset);

// The owner's side.
class LiveState {
 public:
  // Begins to change the words. Stores between begin() and end() are not moved out of them.
  [[gnu::always_inline]] PendingCall& begin() {
    std::atomic_ref(words_->sequence).store(words_->sequence | 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    return *words_;
  }
  [[gnu::always_inline]] void end() {
    std::atomic_ref(words_->sequence).store(words_->sequence + 1, std::memory_order_release);
  }
  // The call has returned, or a poll that completed nothing.
  [[gnu::always_inline]] void left(Ticks t) {
    std::atomic_ref(words_->left).store(t, std::memory_order_release);
  }
  void count(CommId comm, std::uint32_t operations) {
    if (comm < kCountedComms && operations_ != nullptr)
      std::atomic_ref(operations_[comm]).store(operations, std::memory_order_release);
  }
  // The thread begins to wait for a lock; 0: it does not wait any more.
  [[gnu::always_inline]] void want(std::uint64_t lock) {
    std::atomic_ref(held_->wanted).store(lock, std::memory_order_relaxed);
  }
  // The thread has got a lock, or is about to release it.
  [[gnu::always_inline]] void hold(std::uint64_t lock) {
    const std::uint64_t n = held_->count;
    if (n >= HeldLocks::kMost) return;
    std::atomic_ref(held_->addresses[n]).store(lock, std::memory_order_relaxed);
    std::atomic_ref(held_->count).store(n + 1, std::memory_order_release);
  }
  [[gnu::always_inline]] void release(std::uint64_t lock) {
    const std::uint64_t n = held_->count;
    if (n == 0) return;
    if (held_->addresses[n - 1] != lock) [[unlikely]]
      return release_inner(lock, n);
    std::atomic_ref(held_->count).store(n - 1, std::memory_order_release);
  }
  void forget_locks() {
    want(0);
    std::atomic_ref(held_->count).store(0, std::memory_order_release);
  }

 private:
  friend class ThreadWriter;

  // Releases a lock that is not the last one of `n`, which is not 0.
  [[gnu::noinline]] void release_inner(std::uint64_t lock, std::uint64_t n) {
    for (std::uint64_t i = n - 1; i-- > 0;) {
      if (held_->addresses[i] != lock) continue;
      for (; i + 1 < n; ++i) {
        std::atomic_ref(held_->addresses[i]).store(held_->addresses[i + 1]);
      }
      std::atomic_ref(held_->count).store(n - 1, std::memory_order_release);
      return;
    }
  }

  // The words in a page that begins with a header.
  void use(std::byte* page) {
    words_ = reinterpret_cast<PendingCall*>(page + kPendingOffset);
    held_ = reinterpret_cast<HeldLocks*>(page + kHeldOffset);
    operations_ = reinterpret_cast<std::uint32_t*>(page + kOperationsOffset);
  }
  void use_nothing() {
    words_ = &none_;
    held_ = &no_locks_;
    operations_ = nullptr;
  }

  PendingCall none_;  // where the words go if there is no memory or no file
  HeldLocks no_locks_;
  PendingCall* words_ = &none_;
  HeldLocks* held_ = &no_locks_;
  std::uint32_t* operations_ = nullptr;
};

// The observer's side: words of a page that were copied while its owner may have been writing.
// `again` is a second, later copy of the sequence. False: the words do not belong together.
[[nodiscard]] inline bool is_consistent(const PendingCall& copy, std::uint64_t again) {
  return (copy.sequence & 1) == 0 && copy.sequence == again;
}

}  // namespace latecomer::record
