// SPDX-License-Identifier: BSD-3-Clause
// Input of the router: name spaces, their addresses, and links between them.
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
  int process = 0;  // process in the network namespace
  std::vector<Address> addresses;
};

struct Table {
  std::vector<Space> spaces;
  std::map<Pair, LinkSpec> links;  // for every pair of different spaces
  std::uint64_t seed = 1;
};

// The table has lines of words; spaces are numbered from 0:
//   space PROCESS ADDRESS...
//   link FROM TO LATENCY JITTER BANDWIDTH      nanoseconds, bits per second or 0
//   seed NUMBER
[[nodiscard]] Result<Table> read_table(std::istream& in);

}  // namespace latecomer::testbed
