// SPDX-License-Identifier: BSD-3-Clause
// Up to which point two locations were in step before one of them had to wait for the other.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/causes/sync_points.hpp"

namespace latecomer::causes {

// One walk over the points of each location, beside its waits.
class Steps {
 public:
  explicit Steps(const SyncPoints& points)
      : points_(points),
        members_(points.definitions.comms.size()),
        pairs_(points.definitions.locations.size()) {}

  // Fills in Wait::step and Wait::own_step. Waits have to come in the order of locations and their
  // calls.
  void find(Wait& wait);

 private:
  // The last point with a partner.
  struct Last {
    std::uint32_t point = trace::kNone;
    std::uint32_t own = trace::kNone;  // the last one that the base knows on this side
    void take(const Last& other) {
      if (other.point != trace::kNone && (point == trace::kNone || other.point > point)) {
        point = other.point;
      }
      if (other.own != trace::kNone && (own == trace::kNone || other.own > own)) own = other.own;
    }
  };
  [[nodiscard]] bool is_member(std::uint32_t comm, std::uint32_t location);
  [[nodiscard]] Last& meeting_of(std::uint32_t comm);

  const SyncPoints& points_;
  // Which processes are in which communicator, once asked for.
  std::vector<std::vector<bool>> members_;
  std::uint32_t location_ = trace::kNone, next_ = 0;      // where the walk is
  std::vector<Last> pairs_;                               // by partner
  std::vector<std::pair<std::uint32_t, Last>> meetings_;  // by communicator
  std::uint32_t met_on_ = trace::kNone;                   // that was asked for last: mostly again
  std::size_t met_ = 0;                                   // where it is
};

}  // namespace latecomer::causes
