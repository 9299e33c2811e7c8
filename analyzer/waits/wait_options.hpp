// SPDX-License-Identifier: BSD-3-Clause
// Options of the search for wait states.
#pragma once

#include <vector>

#include <cstdint>
#include <optional>

namespace latecomer::replay {

// Options that apply to all kinds of waits.
struct WaitOptions {
  bool scalasca_compatible = false;
  // Standard sends of up to so many bytes do not wait for receivers; none: estimated from the
  // trace.
  std::optional<std::uint64_t> eager_limit;
  std::vector<std::uint32_t> counted;  // CountedByAll; empty if all processes recorded everything
};

}  // namespace latecomer::replay
