// SPDX-License-Identifier: BSD-3-Clause
// Drawings that several wait states share.
#pragma once

#include <string>

#include "patterns/drawings/drawing.hpp"

namespace latecomer::patterns {

// All processes wait for the last one, which enters `call` at 76.
[[nodiscard]] Drawing one_call(const std::string& call);
// The time after the first process has left.
[[nodiscard]] Drawing completion(const std::string& call);
// Another process holds the lock.
[[nodiscard]] Drawing lock(const std::string& call);
// The same with threads for processes.
[[nodiscard]] Drawing of_threads(Drawing drawing);

}  // namespace latecomer::patterns
