// SPDX-License-Identifier: BSD-3-Clause
// The frames of all call paths of this process, as a tree, logged when they are seen first.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracer/callpath/stack.hpp"
#include "tracer/user/loaded_modules.hpp"

namespace latecomer::callpath {

// Frames inside of the measurement library and of MPI are left out at the inner end, those of the C
// library (it calls main and starts threads) at the outer end; code that belongs to no file
// everywhere. Of what is left the outermost `most` frames count.
// MT: any thread.
class FrameTable {
 public:
  using Log = void (*)(const std::string& line);

  FrameTable(std::size_t most, Log log) : most_(most), log_(log) {}

  // The innermost frame of the stack's path, which is defined by then; 0 if nothing is left.
  [[nodiscard]] FrameId path(const Stack& stack);

  // The first frame of the path that ends with this one.
  [[nodiscard]] FrameId outermost(FrameId frame);

  // Modules of frames are numbered apart from those of instrumented functions.
  static constexpr std::uint32_t kFirstModule = 1U << 16;
  // Beyond so many frames, paths end at the last one that is known.
  static constexpr std::size_t kMostFrames = 1U << 20;

 private:
  enum class Kind : std::uint8_t { kProgram, kMpi, kCLibrary, kNowhere };
  struct Place {
    Kind kind = Kind::kNowhere;
    std::uint32_t module = 0;
    std::uint64_t offset = 0, function = 0;
  };
  struct Key {
    FrameId parent;
    std::uint32_t module;
    std::uint64_t offset;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return (k.offset ^ std::uint64_t{k.parent} << 40 ^ std::uint64_t{k.module} << 24) *
             0x9e3779b97f4a7c15;
    }
  };

  Place find(const StackFrame& frame);
  FrameId define(FrameId parent, const Place& place, bool is_main);

  const std::size_t most_;
  const Log log_;
  std::mutex mutex_;
  user::LoadedModules modules_;
  std::vector<Kind> kinds_;    // of modules, by their number
  std::vector<bool> defined_;  // their line is in the log
  std::unordered_map<Key, FrameId, Hash> ids_;
  std::vector<FrameId> outermost_{0};  // by frame
};

}  // namespace latecomer::callpath
