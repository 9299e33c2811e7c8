// SPDX-License-Identifier: BSD-3-Clause
// Options of gathering what the agents of a run know.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace latecomer::watch {

struct GatherOptions {
  std::size_t arity = 8;                       // of the tree
  std::chrono::milliseconds rate{1000};        // between two states
  bool pull = false;                           // states are sent only when a view asks for them
  std::chrono::milliseconds patience{30'000};  // without a word of a neighbor
  std::string address;  // at which the agent listens; empty: that of the host
};

// Reads "arity=8,rate=1s,push,patience=30s", or some of it. Returns what is wrong; empty: nothing.
[[nodiscard]] std::string read_gather_options(std::string_view text, GatherOptions& options);

}  // namespace latecomer::watch
