// SPDX-License-Identifier: BSD-3-Clause
// Parts of the report writer that do not need MPI.
#include <catch2/catch.hpp>

#include "analyzer/report/container/tar_layout.hpp"
#include "analyzer/report/cube/anchor_xml.hpp"
#include "analyzer/report/cube/xml_text.hpp"
#include "analyzer/report/model/tree_order.hpp"
#include "tests/report/synthetic.hpp"

using namespace latecomer;
using namespace latecomer::report;
using Nodes = std::vector<std::uint32_t>;

TEST_CASE("deep and wide order of A(B(D(F),E),C(G))") {
  //                    A      B  C  D  E  F  G
  const Nodes parents = {kNone, 0, 0, 1, 1, 3, 2};
  const TreeOrder tree(parents);
  CHECK(tree.deep() == Nodes{0, 1, 3, 5, 4, 2, 6});
  CHECK(tree.wide() == Nodes{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("wide order is not breadth first: A(B(D(F)),C(E))") {
  const Nodes parents = {kNone, 0, 0, 1, 2, 3};  // A B C D E F
  const TreeOrder tree(parents);
  CHECK(tree.wide() == Nodes{0, 1, 2, 3, 5, 4});
}

TEST_CASE("orders of several roots, of nothing, of nodes before their parents") {
  CHECK(TreeOrder(Nodes{kNone, kNone, 0, 1}).deep() == Nodes{0, 2, 1, 3});
  CHECK(TreeOrder(Nodes{kNone, kNone, 0, 1}).wide() == Nodes{0, 2, 1, 3});
  CHECK(TreeOrder(Nodes{}).deep().empty());
  CHECK(TreeOrder(Nodes{1, kNone}).deep() == Nodes{1, 0});
}

TEST_CASE("text for XML") {
  CHECK(xml_text("a<b>&'\"") == "a&lt;b&gt;&amp;&apos;&quot;");
  CHECK(xml_text("tab\tnewline\n") == "tab\tnewline\n");
  CHECK(xml_text("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  CHECK(xml_text(std::string_view("\0\x01\r", 3)) == "???");
  CHECK(xml_text("\xe4") == "?");            // latin 1
  CHECK(xml_text("\xe2\x82") == "??");       // cut
  CHECK(xml_text("\xc0\xaf") == "??");       // too long a form
  CHECK(xml_text("\xed\xa0\x80") == "???");  // a surrogate
  CHECK(xml_text("\xef\xbf\xbf") == "???");  // U+FFFF
  CHECK(xml_text("\xf5\x80\x80\x80") == "????");
}

TEST_CASE("members of a tar archive") {
  TarLayout layout;
  CHECK(layout.add("a", "12345") == 512);
  CHECK(layout.add("b", std::uint64_t{513}) == 1536);
  CHECK(layout.file_size() == 1536 + 1024 + 1024);
  const auto& header = layout.pieces()[0].bytes;
  REQUIRE(header.size() == 512);
  CHECK(header.substr(124, 12) == std::string("00000000005\0", 12));
  CHECK(header.substr(257, 8) == std::string("ustar\0"
                                             "00",
                                             8));
  unsigned sum = 8 * ' ';
  for (std::size_t i = 0; i < 512; ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(header[i]);
  }
  CHECK(std::stoul(header.substr(148, 6), nullptr, 8) == sum);
  CHECK(header.substr(154, 2) == std::string("\0 ", 2));
}

TEST_CASE("members of 8 GiB and more get a pax header") {
  TarLayout layout;
  const std::uint64_t largest = 0x1fffffffe;
  CHECK(layout.add("a", largest) == 512);
  CHECK(layout.pieces()[0].bytes.substr(124, 11) == "77777777776");
  const std::uint64_t next = 512 + (largest / 512 + 1) * 512;
  CHECK(layout.add("b", largest + 1) == next + 1536);
  const auto& pax = layout.pieces()[1];
  CHECK(pax.offset == next);
  REQUIRE(pax.bytes.size() == 1024);
  CHECK(pax.bytes.substr(0, 12) == std::string("PaxHeader/b\0", 12));
  CHECK(pax.bytes[156] == 'x');
  CHECK(pax.bytes.substr(124, 11) == "00000000023");
  CHECK(pax.bytes.substr(512, 19) == std::string("19 size=8589934591\n"));
  CHECK(layout.pieces()[2].offset == next + 1024);
}

TEST_CASE("no member is made of full blocks") {
  CHECK(never_full_blocks(std::string(512, 'x'), '\n').size() == 513);
  CHECK(never_full_blocks(std::string(511, 'x'), '\n').size() == 511);
}

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
