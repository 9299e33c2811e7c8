// SPDX-License-Identifier: BSD-3-Clause
// Tells processes of which the archive knows the node.
#pragma once

#include "analyzer/trace/definitions/definitions.hpp"
#include "archive/layout.hpp"

namespace latecomer::trace {

// False for a process without records: the archive then has a place for it in the system tree that
// stands for no node and no clock.
[[nodiscard]] inline bool has_known_node(const Definitions& definitions, const Process& process) {
  return process.node >= definitions.system.size() ||
         definitions.system[process.node].name != layout::kUnknownHost;
}

}  // namespace latecomer::trace
