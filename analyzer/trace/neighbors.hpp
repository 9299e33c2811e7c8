// SPDX-License-Identifier: BSD-3-Clause
// Who gets data from whom in neighborhood operations, out of the properties of processes.
#pragma once

#include "analyzer/trace/definitions.hpp"

namespace latecomer::trace {

// Fills in Comm::sources. What makes no sense is left out.
void read_neighbors(Definitions& definitions);

}  // namespace latecomer::trace
