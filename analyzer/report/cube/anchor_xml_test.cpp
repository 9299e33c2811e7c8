// SPDX-License-Identifier: BSD-3-Clause
// The XML part of a report: roots, and processes without locations.
#include "analyzer/report/cube/anchor_xml.hpp"

#include <catch2/catch.hpp>

#include "tests/report/synthetic.hpp"

using namespace latecomer;
using namespace latecomer::report;

TEST_CASE("one root each, made where there are several") {
  const auto plain = test::synthetic_definitions({});
  CHECK_FALSE(has_artificial_root(plain));
  CHECK(anchor_xml(plain).find("metacomputer") == std::string::npos);
  const auto grid = test::synthetic_definitions({.machines = 2, .call_roots = 2});
  CHECK(has_artificial_root(grid));
  const auto xml = anchor_xml(grid);
  CHECK(xml.find("<systemtreenode Id=\"0\">\n<name>metacomputer</name>\n"
                 "<class>metacomputer</class>\n<systemtreenode Id=\"1\">\n"
                 "<name>machine 0</name>") != std::string::npos);
  // There are 9 call paths and 5 regions: the artificial ones follow them.
  CHECK(xml.find("<cnode id=\"9\" calleeId=\"5\">\n<cnode id=\"0\" calleeId=\"0\">") !=
        std::string::npos);
}

TEST_CASE("a process without locations is left out of the anchor") {
  auto definitions = test::synthetic_definitions({});
  definitions.processes.push_back({"MPI Rank 99", 99, 1});
  CHECK(anchor_xml(definitions) == anchor_xml(test::synthetic_definitions({})));
}
