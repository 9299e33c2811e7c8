// SPDX-License-Identifier: BSD-3-Clause
// Reading the router's table.
#include "tests/testbed/router/table.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>

namespace latecomer::testbed {
namespace {

bool read_space(std::istream& words, Table& table) {
  Space space;
  if (!(words >> space.process) || space.process <= 0) return false;
  for (std::string text; words >> text;) {
    Address address;
    if (inet_pton(AF_INET, text.c_str(), address.data()) != 1) return false;
    space.addresses.push_back(address);
  }
  if (space.addresses.empty()) return false;
  table.spaces.push_back(space);
  return true;
}

bool read_link(std::istream& words, Table& table) {
  Pair pair;
  LinkSpec spec;
  if (!(words >> pair.first >> pair.second >> spec.latency >> spec.jitter >>
        spec.bits_per_second)) {
    return false;
  }
  if (spec.latency < 0 || spec.jitter < 0 || spec.bits_per_second < 0) return false;
  return table.links.try_emplace(pair, spec).second;
}

bool read_line(const std::string& line, Table& table) {
  std::istringstream words(line);
  std::string what;
  if (!(words >> what)) return true;
  if (what == "space") return read_space(words, table);
  if (what == "link") return read_link(words, table);
  return what == "seed" && (words >> table.seed);
}

Problem wrong(const std::string& what) {
  return {"router: " + what, "scripts/testbed writes this table; see tests/testbed/README.md",
          Exit::kUsage};
}

}  // namespace

Result<Table> read_table(std::istream& in) {
  Table table;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!read_line(line, table)) {
      return wrong("line " + std::to_string(number) + " of the table is wrong: " + line);
    }
  }
  const int spaces = static_cast<int>(table.spaces.size());
  for (int from = 0; from < spaces; ++from) {
    for (int to = 0; to < spaces; ++to) {
      if (from != to && !table.links.contains({from, to})) {
        return wrong("no link from space " + std::to_string(from) + " to " + std::to_string(to));
      }
    }
  }
  if (std::ranges::any_of(table.links, [&](const auto& link) {
        const auto [from, to] = link.first;
        return from < 0 || to < 0 || from >= spaces || to >= spaces || from == to;
      })) {
    return wrong("a link between spaces that do not exist");
  }
  return table;
}

}  // namespace latecomer::testbed
