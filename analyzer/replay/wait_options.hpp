// SPDX-License-Identifier: BSD-3-Clause
// What the user may say about the search for wait states.
#pragma once

#include <vector>

#include <cstdint>
#include <optional>

namespace latecomer::replay {

struct WaitOptions {
  bool scalasca_compatible = false;
  // Bytes up to which a standard send never waits for its receiver; else what the trace shows.
  std::optional<std::uint64_t> eager_limit;
  std::vector<std::uint32_t> counted;  // CountedByAll, where some process did not record everything
};

}  // namespace latecomer::replay
