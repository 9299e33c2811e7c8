// SPDX-License-Identifier: BSD-3-Clause
// Reports the progress of long work.
#pragma once

#include <cstddef>
#include <functional>

namespace latecomer::view {

// Called with the number of pieces of work that are done, and of all.
using Progress = std::function<void(std::size_t done, std::size_t all)>;

}  // namespace latecomer::view
