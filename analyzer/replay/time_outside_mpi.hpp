// SPDX-License-Identifier: BSD-3-Clause
// Time of a location outside of MPI, from its first event up to moments that never decrease.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

// Outside of MPI it grows with the time, from a base that changes where MPI is left:
//
//   10 program   14 MPI   20 program     base -10, 4 up to 20, then 4 - 20
//
// Copies go on by themselves: in a loop they stay in registers.
class TimeOutsideMpi {
 public:
  // `mpi_nodes`: which nodes of the call tree are MPI functions, 1 or 0.
  TimeOutsideMpi(const trace::LocationEvents& events, std::span<const std::uint8_t> mpi_nodes)
      : mpi_nodes_(mpi_nodes.data()),
        cursor_(events.timeline),
        change_(cursor_.done() ? kNoChange : cursor_.next()),
        at_(events.first),
        base_(trace::difference(0, events.first)) {}

  [[nodiscard]] trace::Ticks until(trace::Ticks time) {
    at_ = std::max(at_, time);
    while (change_.time <= at_ && change_.node != kNoNode) {
      const bool in_mpi = mpi_nodes_[change_.node] != 0;
      if (in_mpi != in_mpi_) {
        base_ =
            in_mpi ? trace::advanced(base_, change_.time) : trace::difference(base_, change_.time);
        in_mpi_ = in_mpi;
      }
      change_ = cursor_.done() ? kNoChange : cursor_.next();
    }
    return in_mpi_ ? base_ : trace::advanced(base_, at_);
  }

 private:
  static constexpr std::uint32_t kNoNode = UINT32_MAX;
  static constexpr trace::Timeline::Change kNoChange{INT64_MAX, kNoNode};
  const std::uint8_t* mpi_nodes_;
  trace::Timeline::Cursor cursor_;
  trace::Timeline::Change change_;  // that comes next
  trace::Ticks at_, base_;
  bool in_mpi_ = false;
};

}  // namespace latecomer::replay
