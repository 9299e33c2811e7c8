// SPDX-License-Identifier: BSD-3-Clause
// What processes waited for in blocking collective operations.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/collectives.hpp"

namespace latecomer::replay {

class CollectiveWaits {
 public:
  explicit CollectiveWaits(Booking& booking) : booking_(booking) {}

  void on_collective(std::size_t location, const trace::Collective& own,
                     const CollectiveSummary& all);
  // After the last operation: prefix operations, in which everybody waits for somebody else, meet
  // once more. Collective.
  void end(parallel::Processes& processes);

 private:
  struct Prefix {  // a participation of a hosted location that needs data of lower ranks
    std::size_t location = 0;
    std::uint32_t call = 0;
    std::uint32_t comm = 0, instance = 0;
    trace::Ticks begin = 0, end = 0;
    bool waits = false;  // moves any data
  };
  // The wait of one participant and, where the clocks are wrong, its reversal.
  void book(const WaitMetrics& metrics, std::size_t location, const trace::Collective& own,
            trace::Ticks wait, const CollectiveSummary::Who& needed, bool grid);

  Booking& booking_;
  std::vector<Prefix> prefixes_;
};

}  // namespace latecomer::replay
