// SPDX-License-Identifier: BSD-3-Clause
// Characters that XML does not allow, and bytes that are not UTF-8.
#include "analyzer/report/cube/xml_text.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::report;

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
