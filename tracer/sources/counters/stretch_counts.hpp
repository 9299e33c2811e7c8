// SPDX-License-Identifier: BSD-3-Clause
// Divides what was counted into the computation and the rest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "archive/counter_names.hpp"

namespace latecomer::counters {

// Values of counters are read where the computation ends and where it goes on:
//
//   values   5        9        20       26
//            |compute | MPI    |compute |
//   counted       4                 6            10 in the computation
//
// The caller may leave out moments. Then what was counted before belongs to the next part.
class StretchCounts {
 public:
  using Values = std::array<std::uint64_t, kMostCounters>;

  // The values where the computation ends, and where it goes on. Those in a child of vfork() are
  // its own and less than before: nothing happens.
  void computation_ends(const Values& now);
  void computation_goes_on(const Values& now);

  [[nodiscard]] bool any() const { return any_; }
  // What was counted in the computation since the last call.
  Values take();

 private:
  [[nodiscard]] bool is_later(const Values& now) const;

  Values last_{}, counted_{};
  bool any_ = false;
};

}  // namespace latecomer::counters
