// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: CUBE reports as the members of their tar file: definitions, rows of values, and
// additional data.
#include "tests/fuzz/report_files.hpp"

#include <nlohmann/json.hpp>

#include "tests/fuzz/target.hpp"

namespace latecomer::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kWords[] = {
    "<metric id=\"0\" type=\"EXCLUSIVE\">"sv,
    "</metric>"sv,
    "<uniq_name>"sv,
    "</uniq_name>"sv,
    "INCLUSIVE"sv,
    "POSTDERIVED"sv,
    "PREDERIVED_INCLUSIVE"sv,
    "SIMPLE"sv,
    "DOUBLE"sv,
    "MAXDOUBLE"sv,
    "MINDOUBLE"sv,
    "UINT8"sv,
    "INT64"sv,
    "TAU_ATOMIC"sv,
    "HISTOGRAM"sv,
    "COMPLEX"sv,
    "<cubepl>metric::m0()/metric::m1()</cubepl>"sv,
    "<cubeplinit>{ return 0; }</cubeplinit>"sv,
    "<region id=\"1\" mod=\"\" begin=\"-1\" end=\"-1\">"sv,
    "</region>"sv,
    "<cnode id=\"0\" calleeId=\"0\">"sv,
    "</cnode>"sv,
    "calleeId=\"99\""sv,
    "id=\"4294967295\""sv,
    "id=\"0\""sv,
    "<systemtreenode Id=\"0\"><name>n</name><class>node</class>"sv,
    "</systemtreenode>"sv,
    "<locationgroup Id=\"0\"><name>r</name><rank>0</rank><type>process</type>"sv,
    "</locationgroup>"sv,
    "<location Id=\"0\"><name>t</name><rank>0</rank><type>thread</type></location>"sv,
    "<machine Id=\"0\">"sv,
    "<thread Id=\"0\">"sv,
    "viztype=\"GHOST\""sv,
    "<attr key=\"a\" value=\"b\"/>"sv,
    "<!--"sv,
    "-->"sv,
    "<![CDATA["sv,
    "]]>"sv,
    "&amp;"sv,
    "&#0;"sv,
    "&#x10ffff;"sv,
    "&x;"sv,
    "<?xml version=\"1.0\"?>"sv,
    "<!DOCTYPE x ["sv,
    "<topologies>"sv,
    "\"quality\": ["sv,
    "\"clocks\": {"sv,
    "\"efficiency\": {"sv,
    "\"statistics\": ["sv,
    "null"sv,
    "1e999"sv};

const Directory& place() {
  static const Directory directory;
  return directory;
}

}  // namespace

void run(std::span<const std::uint8_t> input) {
  const auto file = place().path() / "report.cubex";
  write_report(file, unpack(input));
  use_report(file);
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const Files& members : report_members()) all.push_back(pack(members));
  return all;
}

void mutate(Bytes& input, Random& random) {
  mutate_one(input, random, [](const std::string& name, Bytes& bytes, Random& numbers) {
    if (name.ends_with(".xml") || name.ends_with(".json")) {
      mutate_text(bytes, numbers, kWords);
    } else {
      mutate_bytes(bytes, numbers);
    }
  });
}

}  // namespace latecomer::fuzz
