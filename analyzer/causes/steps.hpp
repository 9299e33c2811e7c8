// SPDX-License-Identifier: BSD-3-Clause
// Up to which point two locations were in step before one of them had to wait for the other.
#pragma once

#include "analyzer/causes/sync_points.hpp"

namespace latecomer::causes {

// Fills in Wait::step and Wait::own_step. Waits stand in the order of locations and their calls.
void find_steps(const SyncPoints& points, Waits& waits);

}  // namespace latecomer::causes
