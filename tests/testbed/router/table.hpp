// SPDX-License-Identifier: BSD-3-Clause
// What the router is told: name spaces, their addresses, links between them.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <map>
#include <vector>

#include "archive/result.hpp"
#include "tests/testbed/router/link.hpp"

namespace latecomer::testbed {

using Address = std::array<std::uint8_t, 4>;  // IPv4
using Pair = std::pair<int, int>;             // from, to: indices of spaces

struct Space {
  int process = 0;  // whose network namespace it is
  std::vector<Address> addresses;
};

struct Table {
  std::vector<Space> spaces;
  std::map<Pair, LinkSpec> links;  // for every pair of different spaces
  std::uint64_t seed = 1;
};

// Lines of words, spaces numbered from 0:
//   space PROCESS ADDRESS...
//   link FROM TO LATENCY JITTER BANDWIDTH      nanoseconds, bits per second or 0
//   seed NUMBER
[[nodiscard]] Result<Table> read_table(std::istream& in);

}  // namespace latecomer::testbed
