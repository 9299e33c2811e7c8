// SPDX-License-Identifier: BSD-3-Clause
// Unwinds the stack of a thread from an MPI call outwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tracer/callpath/path_cache.hpp"

namespace latecomer::callpath {

// Only where we know where return addresses stand.
#if defined(__x86_64__)
inline constexpr bool kSupported = true;
#else
inline constexpr bool kSupported = false;
#endif

// A function on the way to the MPI call.
struct StackFrame {
  std::uintptr_t place = 0;     // inside of the instruction that calls on
  std::uintptr_t function = 0;  // its begin; 0: unknown
};

// What was found on the stack, innermost first.
struct Stack {
  static constexpr std::size_t kMostFrames = 512;

  std::array<StackFrame, kMostFrames> frames;
  std::size_t depth = 0;
  std::array<StackWord, PathCache::kMostWords> words;
  std::size_t word_count = 0;
  bool on_register = false;  // PathBasis
  bool keep = false;         // the words tell when the same path is come by again
  [[nodiscard]] PathBasis basis() const { return {{words.data(), word_count}, on_register}; }
};

// The memory of the calling thread's own stack; empty where it cannot be found out. Allocates.
struct StackBounds {
  std::uintptr_t low = 0, high = 0;
  [[nodiscard]] static StackBounds of_this_thread();
  [[nodiscard]] bool contains(std::uintptr_t address) const {
    return address >= low && address < high;
  }
  bool operator==(const StackBounds&) const = default;
};

// With the unwinder that the program's own exceptions use (libgcc). It ends where there is no
// unwind information, at the frame of a signal, and at what cannot be a frame. It believes what it
// finds on a stack, and at the end of one that somebody made by hand there may be anything. So only
// the thread's own stack is unwound. Elsewhere (coroutines, alternate signal stacks) the caller of
// MPI is all that is known: its address needs no unwinding.
void unwind(const CallPlace& from, const StackBounds& own, Stack& found);

}  // namespace latecomer::callpath
