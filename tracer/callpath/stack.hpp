// SPDX-License-Identifier: BSD-3-Clause
// Unwinds the stack of a thread from an MPI call outwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tracer/callpath/path_cache.hpp"

namespace latecomer::callpath {

// Supported only where the place of return addresses is known.
#if defined(__x86_64__)
inline constexpr bool kSupported = true;
#else
inline constexpr bool kSupported = false;
#endif

// A function on the way to the MPI call.
struct StackFrame {
  std::uintptr_t place = 0;     // inside the call instruction
  std::uintptr_t function = 0;  // its beginning; 0: unknown
  bool operator==(const StackFrame&) const = default;
};

// Everything found on the stack, innermost first.
struct Stack {
  static constexpr std::size_t kMostFrames = 512;

  std::array<StackFrame, kMostFrames> frames;
  // Slots of the return addresses into the frames; a frame lies above its slot, up to the next one.
  // Copies of stacks have none.
  std::array<std::uintptr_t, kMostFrames> slots;
  std::size_t depth = 0;
  std::array<StackWord, PathCache::kMostWords> words;
  std::size_t word_count = 0;
  bool on_register = false;  // see PathBasis
  bool keep = false;         // the words identify the path, so it may be cached
  bool in_handler = false;   // it ended at the frame of a signal
  [[nodiscard]] PathBasis basis() const { return {{words.data(), word_count}, on_register}; }
};

// Memory of the calling thread's own stack; empty if unknown. of_this_thread() allocates.
struct StackBounds {
  std::uintptr_t low = 0, high = 0;
  [[nodiscard]] static StackBounds of_this_thread();
  [[nodiscard]] bool contains(std::uintptr_t address) const {
    return address >= low && address < high;
  }
  bool operator==(const StackBounds&) const = default;
};

// Unwinds with libgcc, as the program's own exceptions do. It ends where there is no unwind
// information, at the frame of a signal, and at anything that cannot be a frame. The unwinder
// trusts what it finds on a stack, and the end of a hand-made stack may hold anything. So only the
// thread's own stack is unwound. Elsewhere (coroutines, alternate signal stacks) only MPI's caller
// is known: its address needs no unwinding.
void unwind(const CallPlace& from, const StackBounds& own, Stack& found);

}  // namespace latecomer::callpath
