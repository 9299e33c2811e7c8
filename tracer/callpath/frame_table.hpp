// SPDX-License-Identifier: BSD-3-Clause
// Tree of the frames of all call paths in this process; each is logged when it is first seen.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/hash.hpp"
#include "tracer/callpath/python/interpreter.hpp"
#include "tracer/callpath/stack.hpp"
#include "tracer/symbols/loaded_modules.hpp"

namespace latecomer::callpath {

// Frames inside the measurement library and MPI are left out at the inner end. Those of the C
// library, which calls main and starts threads, are left out at the outer end. Code that belongs to
// no file, as that of JIT compilers, is left out everywhere. A sample with nothing else is in
// "<code without a file>". In Python programs, functions of the script take the place of the
// interpreter's. Only the outermost `most` of the remaining frames count.
// MT: any thread.
class FrameTable {
 public:
  using Log = void (*)(const std::string& line);

  FrameTable(std::size_t most, Log log, python::FoundInterpreter python = {})
      : most_(most), log_(log), python_(std::move(python)) {}

  // The interpreter of this process, if it is known.
  [[nodiscard]] const python::FoundInterpreter& python() const { return python_; }

  // The innermost frame of the stack's path, which is then defined; 0 if no frame remains.
  // `functions`: active functions of Python, innermost first.
  [[nodiscard]] FrameId path(const Stack& stack, std::span<const python::Frame> functions = {});

  // A call of Python's evaluation loop, and the function that it ran; empty: not known.
  struct Loop {
    std::size_t depth = 0;  // index of its frame in the stack
    std::optional<python::Frame> function;
  };
  // The same for a sample; 0 also if the measurement library was at work. `whole`: the stack is
  // known up to its outermost function. `loops`, innermost first, are replaced by their functions,
  // which may lack callers in Python. If one is not known, the interpreter with all its callers is
  // one frame, "<Python>".
  [[nodiscard]] FrameId path_of_sample(const Stack& stack, bool whole,
                                       std::span<const Loop> loops = {});

  // Number of frames so far.
  [[nodiscard]] std::size_t size();

  // The first frame of the path that ends with this one.
  [[nodiscard]] FrameId outermost(FrameId frame);

  // The outermost frame of a thread that begins with this function; 0 if it is none of the program.
  [[nodiscard]] FrameId path_of_thread(std::uintptr_t function);

  // Place of a frame: its module as the log numbers it, and the place in the file's own numbering.
  struct FramePlace {
    std::uint32_t module = 0;
    std::uint64_t offset = 0;
  };
  [[nodiscard]] FramePlace place(FrameId frame);

  // Modules of frames have other numbers than those of instrumented functions.
  static constexpr std::uint32_t kFirstModule = 1U << 16;
  // No module has this number: it stands for Python, whose functions have names at once.
  static constexpr std::uint32_t kPython = kFirstModule - 1;
  // Limit for the number of frames. Beyond it, paths end at the last known frame.
  static constexpr std::size_t kMostFrames = 1U << 20;

 private:
  enum class Kind : std::uint8_t { kProgram, kMpi, kCLibrary, kNowhere, kOwn, kInterpreter };
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
      return spread(k.offset ^ std::uint64_t{k.parent} << 40 ^ std::uint64_t{k.module} << 24);
    }
  };

  Place find(const StackFrame& frame);
  Place find(const python::Frame& function);
  Place numbered(const python::SourcePlace& place);
  std::vector<Place> find_all(const Stack& stack);
  std::vector<Place> merged(const Stack& stack, std::span<const python::Frame> functions);
  bool put_functions(std::span<const Loop> loops, std::vector<Place>& places);
  FrameId path(std::vector<Place> places, bool whole);
  FrameId define(FrameId parent, const Place& place, bool is_main);

  const std::size_t most_;
  const Log log_;
  const python::FoundInterpreter python_;
  std::mutex mutex_;
  user::LoadedModules modules_;
  std::vector<Kind> kinds_;    // kinds of modules, by number
  std::vector<bool> defined_;  // modules whose line is in the log
  std::unordered_map<Key, FrameId, Hash> ids_;
  std::vector<FrameId> outermost_{0};         // outermost frame by frame
  std::vector<FramePlace> frame_places_{{}};  // by frame
  std::map<python::SourcePlace, std::uint64_t> python_numbers_;
  std::vector<const python::SourcePlace*> python_places_;  // by number
};

}  // namespace latecomer::callpath
