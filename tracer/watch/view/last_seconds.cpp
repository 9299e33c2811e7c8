// SPDX-License-Identifier: BSD-3-Clause
// Adds parts of times that lie in the window.
#include "tracer/watch/view/last_seconds.hpp"

#include <algorithm>

namespace latecomer::watch {
namespace {

// Part of [begin, end) that lies in [from, to).
Nanoseconds overlap(Nanoseconds begin, Nanoseconds end, Nanoseconds from, Nanoseconds to) {
  return std::max<Nanoseconds>(0, std::min(end, to) - std::max(begin, from));
}

}  // namespace

LastSeconds last_seconds(const RankSums& sums, const OpenCall* open, const Window& window) {
  constexpr Nanoseconds kSlice = RecentTime::kSlice;
  LastSeconds last;
  last.waiting = sums.recent_waits.between(window.begin_slice(), window.end_slice());
  last.mpi = sums.recent_mpi.between(window.begin_slice(), window.end_slice());
  if (open != nullptr) {
    last.waiting += overlap(open->wait_begin, open->wait_end, window.begin(), window.end);
    last.mpi += overlap(open->entered, window.end, window.begin(), window.end);
  }
  for (std::int64_t slice = window.begin_slice(); slice < window.end_slice(); ++slice) {
    if (!sums.all_known() && (slice + 1) * kSlice > sums.known_end()) {
      last.slices.push_back(LastSeconds::kNotKnown);
      continue;
    }
    Nanoseconds time = sums.recent_waits.between(slice, slice + 1);
    if (open != nullptr)
      time += overlap(open->wait_begin, open->wait_end, slice * kSlice, (slice + 1) * kSlice);
    last.slices.push_back(time);
  }
  return last;
}

}  // namespace latecomer::watch
