// SPDX-License-Identifier: BSD-3-Clause
// The order in which processes came to collective operations, as a report states it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"

namespace latecomer::report {

// Element of the key "collectives": all operations of one kind on one communicator.
struct Arrivals {
  struct RankCount {
    std::uint32_t rank = 0;
    std::int64_t count = 0;
  };
  struct Rank {
    std::uint32_t rank = 0;
    std::int64_t first = 0, last = 0;  // how often it was first and last
    double early_mean = 0;
    std::vector<std::int64_t> places;  // how often it came at each place, or group of places
  };
  struct Spread {
    double mean = 0, smallest = 0, median = 0, largest = 0, deviation = 0;
  };

  std::string operation, communicator;
  std::uint64_t communicator_id = 0;
  std::uint64_t processes = 0;
  std::int64_t operations = 0;
  std::vector<RankCount> first, last;  // ranks that were first or last most often
  std::vector<Rank> ranks;
  Spread early;  // seconds between the own arrival and the last one
  Spread after;  // seconds in the operation after the last arrival
};

void write(JsonWriter& out, const Arrivals& arrivals);

}  // namespace latecomer::report
