// SPDX-License-Identifier: BSD-3-Clause
// Call paths of all processes of a run: equal ones have one number, and names are looked up late.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracer/record/definition_lines.hpp"
#include "tracer/symbols/module_symbols.hpp"
#include "tracer/watch/events.hpp"

namespace latecomer::watch {

// Frames of one process, by their ids there.
struct ProcessFrames {
  std::unordered_map<std::uint32_t, record::FrameDefinition> frames;
  std::unordered_map<std::uint32_t, record::ModuleDefinition> modules;
  std::unordered_map<std::uint32_t, std::vector<record::FrameFunction>> functions;  // of Python
  std::map<std::pair<std::uint32_t, std::uint32_t>, PathId> known;  // by frame and region

  void add(const record::Definitions& more);
};

// Text of a call path.
struct PathText {
  std::string path;                     // "main > solve > MPI_Allreduce"
  std::string place;                    // "solve.c:77"; empty: not known
  std::vector<std::string> names = {};  // of the functions; the last one is that of MPI
};

class CallPaths {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  // Number of a call of an MPI function from a frame; 0: there are too many call paths.
  [[nodiscard]] PathId number(ProcessFrames& process, std::uint32_t frame, std::uint32_t region);
  // A number that is equal on all hosts that have the program under the same name: agents name
  // call paths by it.
  [[nodiscard]] std::uint64_t hash(PathId path) const { return paths_[path].hash; }
  // Number of a call path that was seen on another host. It has no text, unless it is seen here.
  [[nodiscard]] PathId number_of_hash(std::uint64_t hash);
  // Looks for names in the files of the program when it is asked the first time.
  [[nodiscard]] const PathText& text(PathId path);

  [[nodiscard]] std::size_t size() const { return paths_.size(); }

 private:
  struct Path {
    std::vector<record::FrameDefinition> chain;  // innermost first
    std::vector<record::ModuleDefinition> modules;
    std::vector<record::FrameFunction> functions;
    std::uint32_t region = 0;
    std::uint64_t hash = 0;
    bool is_elsewhere = false;  // it was not seen here
    bool has_text = false;
    PathText text;
  };

  std::unordered_map<std::string, PathId> numbers_;
  std::unordered_map<std::uint64_t, PathId> by_hash_;
  std::vector<Path> paths_ = std::vector<Path>(1);
  user::NameLookup names_;
};

}  // namespace latecomer::watch
