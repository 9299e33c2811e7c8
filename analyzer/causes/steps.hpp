// SPDX-License-Identifier: BSD-3-Clause
// Finds the last point at which two locations were in step before one had to wait for the other.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/causes/sync_points.hpp"

namespace latecomer::causes {

// A walk along the points of each location, in parallel to its waits.
class Steps {
 public:
  explicit Steps(const SyncPoints& points)
      : points_(points),
        members_(points.definitions.comms.size()),
        pairs_(points.definitions.locations.size()) {}

  // Begins the walk along another location.
  void begin();
  // Passes the next point of the location.
  void pass(std::uint32_t number, const SyncPoint& point);
  // Wait::step and Wait::own_step of a wait that follows the points passed so far.
  struct Found {
    std::uint32_t step = trace::kNone, own_step = trace::kNone;
  };
  [[nodiscard]] Found find(WaitKind kind, std::uint32_t cause_location);

 private:
  // The last point with a partner.
  struct Last {
    std::uint32_t point = trace::kNone;
    std::uint32_t own = trace::kNone;  // the last one that Scalasca knows on this side
  };
  // The last meeting in a communicator.
  struct Met {
    std::uint32_t comm = 0;
    std::uint32_t point = 0;
  };
  void meet(std::uint32_t comm, std::uint32_t point);
  [[nodiscard]] bool is_member(std::uint32_t comm, std::uint32_t location);

  const SyncPoints& points_;
  // Members of each communicator, computed on first use.
  std::vector<std::vector<bool>> members_;
  std::vector<Last> pairs_;  // by partner
  std::vector<Met> met_;     // by communicator, the one that met last in front
  // Communicator, file or window of the last meeting; usually the next one meets on it, too.
  std::uint32_t met_on_ = trace::kNone;
};

}  // namespace latecomer::causes
