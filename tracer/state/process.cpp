// SPDX-License-Identifier: BSD-3-Clause
// The one object.
#include "tracer/state/process.hpp"

namespace latecomer::storage {

constinit Forever forever;

}  // namespace latecomer::storage
