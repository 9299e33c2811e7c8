// SPDX-License-Identifier: BSD-3-Clause
// The kernel tells when a thread had no core, and counts its page faults.
#pragma once

#include <time.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "tracer/sources/samples/ring_buffer.hpp"
#include "tracer/state/blocked_calls.hpp"

namespace latecomer::samples {

// Times without a core, and counts, in a stretch of a thread's time.
struct KernelUse {
  std::uint64_t preempted = 0;   // nanoseconds without a core, although the thread could run
  std::uint64_t blocked = 0;     // nanoseconds until something happened, and then until a core
  std::uint32_t faults = 0;      // page faults, in steps of KernelRing::kFaults
  std::uint32_t migrations = 0;  // times that it went on on another core
  bool is_cut = false;           // the buffer was full, so some of it is missing

  [[nodiscard]] bool any() const { return (preempted | blocked | faults | migrations) != 0; }
};

// The kernel writes a record when the thread loses its core, and one when it gets a core. The first
// one says whether the thread could still run, as when another one has its turn. A thread that
// yields can run, too.
//
//   core 0   ====|                 |=====     preempted
//   core 1                |====               blocked until the second |, then on another core
//                ^ could  ^ waits
//
// Every 64th page fault has a record. A fault takes some hundred nanoseconds, as a record does.
//
// MT: the thread that opened it.
class KernelRing {
 public:
  static constexpr std::uint32_t kFaults = 64;

  // `pages` is a power of two; it is halved while the kernel has no memory. Returns 0 or an errno.
  int open(std::size_t pages, clockid_t clock);

  // Number of bytes that the kernel has written, and of those that were taken out. To leave out
  // what is there, make the second one equal to the first. Only if opened.
  [[nodiscard]] std::uint64_t* head_and_tail() const { return ring_.head_and_tail(); }

  // Takes out what has happened since the last time. It counts from the moment `begin` on, in
  // nanoseconds of the clock.
  [[nodiscard]] KernelUse take(std::uint64_t begin) { return take(begin, nullptr, {}); }
  // The same. `times[i]` becomes the nanoseconds that the thread was blocked in (*calls)[i], which
  // are a part of those of the result. A call inside another one has its own.
  [[nodiscard]] KernelUse take(std::uint64_t begin, const blocking::BlockedCalls* calls,
                               std::span<std::uint64_t> times);

  // A time without a core, although the thread could run. Nanoseconds of the clock.
  struct Preempted {
    std::uint64_t until = 0, length = 0;
  };
  // Takes out what has happened since the last time, but keeps only such times that are at least
  // `least` long: the last ones if they do not fit into `to`. Returns their number.
  [[nodiscard]] std::size_t take_preempted(std::uint64_t least, std::span<Preempted> to);

 private:
  RingBuffer ring_;
};

}  // namespace latecomer::samples
