// SPDX-License-Identifier: BSD-3-Clause
// Waiting and MPI of a rank in the last seconds, with the call that it is in.
#pragma once

#include <vector>

#include "tracer/watch/wait_sums.hpp"

namespace latecomer::watch {

// The last seconds before `end`, in whole slices, the last of which has perhaps just begun.
struct Window {
  static constexpr std::int64_t kSlices = 40;

  Nanoseconds end = 0;
  explicit Window(Nanoseconds e) : end(e) {}
  [[nodiscard]] std::int64_t end_slice() const { return end / RecentTime::kSlice + 1; }
  [[nodiscard]] std::int64_t begin_slice() const { return end_slice() - kSlices; }
  [[nodiscard]] Nanoseconds begin() const { return begin_slice() * RecentTime::kSlice; }
};

// A call that has not ended: since when, and the wait in it so far.
struct OpenCall {
  Nanoseconds entered = 0;
  Nanoseconds wait_begin = 0, wait_end = 0;  // equal: none
};

struct LastSeconds {
  static constexpr Nanoseconds kNotKnown = -1;

  Nanoseconds waiting = 0, mpi = 0;
  // Waiting per slice, oldest first; kNotKnown: records of the rank were lost.
  std::vector<Nanoseconds> slices;
};

// `open`: null if the rank is in no call that may wait, or if it is not known.
[[nodiscard]] LastSeconds last_seconds(const RankSums& sums, const OpenCall* open,
                                       const Window& window);

}  // namespace latecomer::watch
