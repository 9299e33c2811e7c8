// SPDX-License-Identifier: BSD-3-Clause
// The Python functions on the call path of a thread, and a cache of paths with such functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tracer/callpath/path_cache.hpp"
#include "tracer/callpath/python/interpreter.hpp"
#include "tracer/callpath/stack.hpp"

namespace latecomer::callpath {

// In a Python program the native stack alone does not identify a path: the interpreter's functions
// look the same for any function of the script. So PathCache has a number for the native stack, and
// this cache finds the path by that number and the Python frames.
//
// Paths are found by a hash of 64 bits of all frames, without comparing them. The fingerprint of a
// frame's code includes its names, so that memory of a function that is gone may be used again.
// MT: one thread.
class PythonPaths {
 public:
  explicit PythonPaths(const python::Interpreter& interpreter);

  // Reads the calling thread's frames, innermost first; they are valid until the next call. Empty
  // if it has none. Allocates nothing.
  [[nodiscard]] std::span<const python::Frame> read();

  // Number of a native stack for PathCache; at least PathCache::kFirstNative.
  [[nodiscard]] static FrameId native_number(const Stack& stack);

  // The path of a call with these Python frames and native stack; kUnknown if it is new. insert()
  // refers to the call for which find() was called last.
  [[nodiscard]] FrameId find(const CallPlace& place, FrameId native,
                             std::span<const python::Frame> frames);
  void insert(FrameId path);

 private:
  static constexpr std::size_t kMostFrames = 1024;
  static constexpr unsigned kSetBits = 10;
  static constexpr std::size_t kWays = 4;
  struct Entry {
    std::uint64_t key = 0;
    FrameId path = 0;
  };
  using Set = std::array<Entry, kWays>;  // the latest one first

  const python::Interpreter& interpreter_;
  std::uintptr_t tested_thread_ = 0;  // thread state that fits the layout
  std::uint64_t key_ = 0;
  std::unique_ptr<python::Frame[]> frames_;
  std::unique_ptr<Set[]> sets_;
};

}  // namespace latecomer::callpath
