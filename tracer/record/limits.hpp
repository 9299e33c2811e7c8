// SPDX-License-Identifier: BSD-3-Clause
// What threads may write, and what they could not write.
#pragma once

#include <atomic>
#include <cstdint>

namespace latecomer::record {

// Limit for what all threads of a process write together. `reached` is called during a record; it
// may be called again.
struct Budget {
  std::atomic<std::uint64_t> bytes{0};
  std::uint64_t limit = ~std::uint64_t{0};
  void (*reached)() = nullptr;
};

// Counts of what could not be written; they are exact. `error` is the errno of the first cause.
struct Losses {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t clamped_times = 0;
  int error = 0;
};

}  // namespace latecomer::record
