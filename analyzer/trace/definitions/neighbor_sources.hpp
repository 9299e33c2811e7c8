// SPDX-License-Identifier: BSD-3-Clause
// The sources of data in neighborhood operations, from properties of processes.
#pragma once

#include "analyzer/trace/definitions/definitions.hpp"

namespace latecomer::trace {

// Fills Comm::sources. Invalid entries are ignored.
void read_neighbors(Definitions& definitions);

}  // namespace latecomer::trace
