// SPDX-License-Identifier: BSD-3-Clause
// Long work tells how far it is.
#pragma once

#include <cstddef>
#include <functional>

namespace latecomer::view {

// How many of all pieces of work are done.
using Progress = std::function<void(std::size_t done, std::size_t all)>;

}  // namespace latecomer::view
