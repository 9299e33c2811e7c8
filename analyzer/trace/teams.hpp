// SPDX-License-Identifier: BSD-3-Clause
// Where the teams of threads of a process were made: their threads go on at that call path.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "analyzer/trace/flat_index.hpp"

namespace latecomer::trace {

// Locations of a process are read one after the other, the one that forks first. A team is known
// by its communicator and how often its threads were together before.
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
  // Node of the call tree that forked; kNone if nobody is known to have.
  [[nodiscard]] std::uint32_t node(std::uint32_t comm, std::uint32_t number) const {
    const auto it = nodes_.find({comm, number});
    return it == nodes_.end() ? kNone : it->second;
  }

 private:
  std::uint32_t process_ = kNone;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> nodes_;
};

}  // namespace latecomer::trace
