// SPDX-License-Identifier: BSD-3-Clause
// Identity of this process: its node, host, metahost and program.
#pragma once

#include <string>

#include "tracer/record/definition_lines.hpp"

namespace latecomer::session {

// Processes with the same identity share their clock. It is LATECOMER_NODE if set; otherwise the
// machine's boot id and time namespace, which shifts CLOCK_MONOTONIC; otherwise the host name.
[[nodiscard]] std::string node_identity();

[[nodiscard]] std::string host_name();

// Path and arguments from /proc.
[[nodiscard]] record::ProgramDefinition program();

// Last part of a path.
[[nodiscard]] std::string base_name(const std::string& path);

}  // namespace latecomer::session
