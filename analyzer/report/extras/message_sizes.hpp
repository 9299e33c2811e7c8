// SPDX-License-Identifier: BSD-3-Clause
// Messages by size, link and pair of processes, as a report states them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"

namespace latecomer::report {

// Key "messages".
struct Messages {
  // Bar of a histogram: from this value up to twice as much.
  struct Bar {
    double from = 0;
    std::int64_t count = 0;
  };
  // Messages whose receiver was already waiting, so that their transfer could be seen.
  struct Measured {
    double shortest = 0, mean = 0, longest = 0;  // seconds
    double best_bandwidth = 0;                   // bytes per second
    std::vector<Bar> times, bandwidths;
  };
  // Messages over one class of link, of sizes from `from_bytes` up to twice that.
  struct Class {
    std::string_view link;  // a name that lives as long as the program
    std::uint64_t from_bytes = 0;
    std::int64_t messages = 0, bytes = 0, measured = 0;
    std::int64_t together = 0;  // completed by one call with others sent later; 0: no key
    std::optional<Measured> times;
  };
  // Messages from one block of ranks to another.
  struct Pair {
    std::uint64_t from = 0, to = 0;
    std::int64_t messages = 0, bytes = 0;
  };

  std::vector<Class> sizes;
  std::uint32_t ranks_per_block = 1, blocks = 1;
  std::vector<Pair> pairs;
};

void write(JsonWriter& out, const Messages& messages);

}  // namespace latecomer::report
