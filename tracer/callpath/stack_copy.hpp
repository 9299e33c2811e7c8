// SPDX-License-Identifier: BSD-3-Clause
// Unwinds a copy of a stack, made when a thread was interrupted, at any later time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tracer/callpath/row_cache.hpp"
#include "tracer/callpath/stack.hpp"

namespace latecomer::callpath {

// General registers of an x86-64 processor in DWARF's numbering: rax rdx rcx rbx rsi rdi rbp rsp
// r8-r15 rip. A register that is not known ends unwinding where a frame depends on it.
struct Registers {
  static constexpr std::size_t kCount = 17;
  static constexpr std::size_t kBx = 3, kBp = 6, kSp = 7, kIp = 16;

  std::array<std::uintptr_t, kCount> values{};
  std::uint32_t known = 0;  // bit i: values[i] is known

  void set(std::size_t number, std::uintptr_t value) {
    values[number] = value;
    known |= std::uint32_t{1} << number;
  }
  void forget(std::size_t number) { known &= ~(std::uint32_t{1} << number); }
  [[nodiscard]] bool knows(std::size_t number) const {
    return number < kCount && (known >> number & 1) != 0;
  }
  bool operator==(const Registers&) const = default;
};

// Memory of a stack from the address `low` on, as it was.
struct StackCopy {
  std::uintptr_t low = 0;
  std::span<const std::byte> bytes;

  // Returns false if a part of the word is not in the copy.
  [[nodiscard]] bool read(std::uintptr_t address, std::uintptr_t& word) const {
    const std::uintptr_t offset = address - low;
    if (bytes.size() < sizeof word || offset > bytes.size() - sizeof word) return false;
    std::memcpy(&word, bytes.data() + offset, sizeof word);
    return true;
  }
};

struct CopiedPath {
  std::size_t depth = 0;
  bool whole = false;  // the outermost function was reached
};

// The registers in each frame of one function. The unwinder fills in `frames`, outermost last.
struct WatchedFunction {
  static constexpr std::size_t kMost = 32;
  struct Frame {
    std::size_t depth = 0;  // index among the found frames
    Registers registers;
    std::uintptr_t end = 0;  // of its memory, which begins at the stack pointer; 0: not known
  };

  std::uintptr_t function = 0;  // its beginning; 0: none is watched
  std::size_t count = 0;
  std::array<Frame, kMost> frames;
};

// Frames of the interrupted function and its callers, innermost first; at most found.size() and
// Stack::kMostFrames. The place of the first frame is the instruction that comes next, that of
// others is inside the call, as in unwind(). `function` is 0 where no module has tables for the
// place. Such a frame is the last one, and so is the frame of a signal. Unwinding also ends, with
// whole = false, where the copy ends and at anything unknown in the tables. Needs the instruction
// and stack pointers; without them, or on another processor, the path has at most one frame.
//
// It may be called for another thread's copy, and from a signal handler. It takes no lock,
// allocates nothing and makes no system call (glibc 2.35). It uses 4 KiB of stack.
// A cache makes frames of the same callers cheap; it changes nothing else. One thread uses it at a
// time, and calls its forget_unloaded() before.
// `watched` gets the registers of the frames of a function, at most kMost.
// Modules on the path must stay loaded meanwhile: a module that has been unloaded since the copy
// was made is noticed, but one that another thread unloads at this moment is not.
[[nodiscard]] CopiedPath unwind_copy(const Registers& from, const StackCopy& copy,
                                     std::span<StackFrame> found, RowCache* cache = nullptr,
                                     WatchedFunction* watched = nullptr);

}  // namespace latecomer::callpath
