// SPDX-License-Identifier: BSD-3-Clause
// Who this process is: its node, host, metahost and program.
#pragma once

#include <string>

#include "tracer/record/definitions.hpp"

namespace latecomer::session {

// Processes with the same identity share their clock: LATECOMER_NODE, or boot id and time namespace
// of the machine (a time namespace shifts CLOCK_MONOTONIC), or the host name without either.
[[nodiscard]] std::string node_identity();

[[nodiscard]] std::string host_name();

// Path and arguments from /proc.
[[nodiscard]] record::ProgramDefinition program();

// Last part of a path.
[[nodiscard]] std::string base_name(const std::string& path);

}  // namespace latecomer::session
