// SPDX-License-Identifier: BSD-3-Clause
// Follows the definition log of a process from another process, while it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "archive/result.hpp"
#include "tracer/follow/read_file.hpp"
#include "tracer/record/definition_lines.hpp"

namespace latecomer::follow {

// Delivers each definition once, in the order of the lines:
//
//   auto follower = DefinitionFollower::open(path);     // a Problem: not yet there
//   for (;;) {
//     const auto batch = follower->poll();
//     ... batch.definitions has what is new, and `complete` after the last line
//     if (!batch.more) ... wait
//   }
//
// A line is taken when all of it is there. The log is mapped, so zero bytes follow the last line.
// MT: one thread at a time; the process goes on meanwhile.
class DefinitionFollower {
 public:
  struct Batch {
    record::Definitions definitions;  // of the new lines
    std::size_t lines = 0;
    bool more = false;  // another poll would deliver more right now
  };

  static Result<DefinitionFollower> open(const std::string& path);

  // Reads up to about `most` bytes; more only if a line is longer.
  Batch poll(std::size_t most = kMost);

  // A line was too long. Nothing after it is read.
  [[nodiscard]] bool broken() const { return broken_; }

  static constexpr std::size_t kFirst = std::size_t{4} << 10;  // that are read if there is no more
  static constexpr std::size_t kMost = std::size_t{64} << 10;
  // The longest lines are the members of a communicator: 8 bytes for each of 16 million ranks.
  static constexpr std::size_t kLongestLine = std::size_t{128} << 20;

 private:
  explicit DefinitionFollower(ReadFile file) : file_(std::move(file)) {}

  ReadFile file_;
  std::size_t offset_ = 0;  // of the first line that was not taken
  bool broken_ = false;
};

}  // namespace latecomer::follow
