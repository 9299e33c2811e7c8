// SPDX-License-Identifier: BSD-3-Clause
// Remembers where the teams of a process were made; their threads continue at that call path.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "analyzer/memory/flat_index.hpp"

namespace latecomer::trace {

// Locations of a process must be read one after the other, the forking one first. A team is
// identified by its communicator and the number of earlier teams of these threads.
class Teams {
 public:
  static constexpr std::uint32_t kNone = FlatIndex<IntKey>::kNone;

  void start(std::uint32_t process) {
    if (process == process_) return;
    process_ = process;
    nodes_.clear();
  }
  void made(std::uint32_t comm, std::uint32_t number, std::uint32_t node) {
    nodes_[{comm, number}] = node;
  }
  // Node of the call tree that forked; kNone: unknown.
  [[nodiscard]] std::uint32_t node(std::uint32_t comm, std::uint32_t number) const {
    const auto it = nodes_.find({comm, number});
    return it == nodes_.end() ? kNone : it->second;
  }

 private:
  std::uint32_t process_ = kNone;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> nodes_;
};

}  // namespace latecomer::trace
