// SPDX-License-Identifier: BSD-3-Clause
// Damaged reports end in a Problem or in a report, never in a crash.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "analyzer/report/cube/read_cube.hpp"
#include "tests/report/formula_report.hpp"

using namespace latecomer;
using namespace latecomer::test;
using report::Report;

namespace {

// Opens a file and reads everything in it; returns the text of the problem.
std::string read_all(const std::filesystem::path& file) {
  auto report = Report::open(file);
  if (!report) return report.problem().what;
  for (std::uint32_t m = 0; m < report->definitions().metrics.size(); ++m) {
    const auto values = report->values(m);
    if (!values) return values.problem().what;
    if (std::isinf(report->total(m))) return "a value that is not finite came out";
    if (report->why_no_values(m).size() > 10000) return "an endless message came out";
    for (std::uint32_t c = 0; c < report->definitions().call_paths.size(); ++c) {
      for (const double value : (*values)->row(c)) {
        if (!(value - value == 0)) return "a value that is not finite came out";
      }
    }
  }
  return "";
}

std::string what(const std::vector<Member>& members) {
  TemporaryDirectory directory;
  const auto file = directory.path() / "r.cubex";
  write_tar(file, members);
  return read_all(file);
}

bool mentions(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) UNSCOPED_INFO(text);
  return found;
}

const std::string kDerived =
    derived_xml(2, "a", "PREDERIVED_EXCLUSIVE",
                "${m}[${calculation::callpath::id}] * metric::m0(e) + metric::m1()",
                init_xml("{ global(m); ${i} = 0; while (${i} < ${cube::#callpaths}) { ${m}[${i}] = "
                         "${cube::region::name}[${cube::callpath::calleeid}[${i}]] =~ /[A-D]/; "
                         "${i} = ${i} + 1; }; return 0; }") +
                    fold_xml("plus", "max(arg1, arg2)")) +
    derived_xml(3, "b", "POSTDERIVED", "100 * metric::m0() / metric::m1(i)");

std::vector<Member> good_members() {
  const auto rows = bytes_of<double>({1, 2, 3, 4});
  return {{"0.data", plain_data(rows)},
          {"0.index", sparse_index({2, 4})},
          {"1.data", compressed_data(rows, 16)},
          {"1.index", sparse_index({0, 5})},
          {"latecomer.json", "{\"schema_version\": 1}"},
          {"anchor.xml", small_anchor(metric_xml(0, "EXCLUSIVE", "DOUBLE") +
                                      metric_xml(1, "INCLUSIVE", "DOUBLE") + kDerived)}};
}

std::string with(std::size_t member, const std::string& content) {
  auto members = good_members();
  members[member].content = content;
  return what(members);
}

}  // namespace

TEST_CASE("what is wrong is said") {
  REQUIRE(what(good_members()).empty());
  const auto anchor = good_members().back().content;
  const auto replaced = [&](const std::string& from, const std::string& to) {
    auto text = anchor;
    REQUIRE(text.find(from) != std::string::npos);
    return with(5, text.replace(text.find(from), from.size(), to));
  };
  CHECK(mentions(with(0, "CUBEX.DATB"), "0.data (metric m0)"));
  CHECK(mentions(with(1, "CUBEX.INDEX"), "0.index (metric m0)"));
  CHECK(mentions(with(1, sparse_index({4, 2})), "0.index (metric m0)"));
  auto index = sparse_index({2, 4});
  index[18] = 100;  // more rows than the index has bytes
  CHECK(mentions(with(1, index), "0.index (metric m0)"));
  CHECK(mentions(with(0, plain_data(bytes_of<double>({1, 2, 0.0 / 0.0, 4}))), "not numbers"));
  CHECK(mentions(with(0, plain_data(bytes_of<double>({1, 2, -1.7e308, 4}))), "too large"));
  auto compressed = good_members()[2].content;
  compressed.back() ^= 1;
  CHECK(mentions(with(2, compressed), "1.data (metric m1)"));
  CHECK(mentions(with(2, compressed.substr(0, 60)), "1.data (metric m1)"));
  CHECK(mentions(with(4, "{\"schema"), "latecomer.json is not JSON"));
  const std::string brackets(100000, '['), ends(100000, ']');
  CHECK(mentions(with(4, brackets + ends), "latecomer.json is not JSON, or too deep"));
  CHECK(mentions(with(4, "{\"a\": " + brackets), "latecomer.json is not JSON, or too deep"));
  CHECK(with(4, "{\"schema_version\": 1, \"a\": \"\\\"" + brackets + "\"}").empty());
  CHECK(mentions(with(5, ""), "anchor.xml"));
  CHECK(mentions(with(5, gzip(anchor).substr(0, 90)), "cannot be decompressed"));
  // 80 MB of blanks are compressed to 80 kB.
  auto blanks = anchor;
  blanks.insert(blanks.find("<metrics>"), 80'000'000, ' ');
  CHECK(mentions(with(5, gzip(blanks)), "not to 64 MiB or less"));
  CHECK(mentions(with(5, "<cube></cube>"), "anchor.xml has no metrics"));
  CHECK(mentions(with(5, anchor.substr(0, 500)), "not well-formed"));
  CHECK(mentions(replaced("<location Id=\"1\"", "<location Id=\"0\""), "locations"));
  CHECK(mentions(replaced("<location Id=\"1\"", "<location Id=\"4000000000\""), "locations"));
  CHECK(mentions(replaced("calleeId=\"5\"", "calleeId=\"55\""), "call path"));
  CHECK(mentions(replaced("<metric id=\"1\"", "<metric id=\"x\""), "metric"));
}

TEST_CASE("metrics in metrics in metrics") {
  const auto nested = [](int levels) {
    std::string text;
    for (int i = 0; i < levels; ++i) {
      text += "<metric type=\"EXCLUSIVE\"><uniq_name>m" + std::to_string(i) +
              "</uniq_name><dtype>DOUBLE</dtype>";
    }
    for (int i = 0; i < levels; ++i) text += "</metric>";
    return what({{"anchor.xml", small_anchor(text)}});
  };
  CHECK(nested(101).empty());
  CHECK(mentions(nested(102), "is in more than 100 others"));
}

TEST_CASE("metrics without names, or with the same") {
  TemporaryDirectory directory;
  const auto file = directory.path() / "r.cubex";
  // Each metric contains the next one; the names would have no end if a parent had the name of its
  // child.
  const auto metric = [](const std::string& unique, const std::string& display) {
    return "<metric type=\"EXCLUSIVE\"><disp_name>" + display + "</disp_name><uniq_name>" + unique +
           "</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom>";
  };
  std::string nested;
  for (const char* name : {"", "", "time", "time", "time_2", "time"}) nested += metric(name, "");
  nested += metric("", "Visits");
  for (int i = 0; i < 7; ++i) nested += "</metric>";
  write_tar(file, {{"anchor.xml", small_anchor(nested)}});
  const auto report = Report::open(file);
  REQUIRE(report);
  std::vector<std::string> names, parents;
  for (const auto& m : report->definitions().metrics) {
    names.push_back(m.name);
    parents.push_back(m.parent);
  }
  const std::vector<std::string> expected = {"unnamed",  "unnamed_2", "time",  "time_2",
                                             "time_2_2", "time_3",    "Visits"};
  CHECK(names == expected);
  CHECK(parents == std::vector<std::string>{"", "unnamed", "unnamed_2", "time", "time_2",
                                            "time_2_2", "time_3"});
}

TEST_CASE("values that a file should have, and has not") {
  // Metrics m0 (plain) and m1 (compressed) have two rows each.
  TemporaryDirectory directory;
  const auto file = directory.path() / "r.cubex";
  const auto missing = [&](std::vector<Member> members) {
    write_tar(file, std::move(members));
    const auto report = Report::open(file);
    REQUIRE(report);
    std::string text;
    for (const auto& note : report->missing_values()) {
      text += (note.partial ? "lost " : "none ") + std::to_string(note.count);
      for (const auto& what : note.files) text += " | " + what;
    }
    CHECK(report->extras().partial == report->lost_values());
    return text;
  };
  const auto without = [](const std::string& name, std::vector<Member> members) {
    std::erase_if(members, [&](const auto& member) { return member.name.starts_with(name); });
    return members;
  };
  // This report stands for one of a tool that does not record what it stored.
  const auto foreign = without("latecomer.json", good_members());
  CHECK(missing(foreign).empty());
  CHECK(missing(without("0.data", foreign)) == "lost 1 | m0: no 0.data");
  CHECK(missing(without("1.index", foreign)) == "lost 1 | m1: no 1.index");
  CHECK(missing(without("1.", foreign)) == "none 1 | m1");
  auto members = foreign;
  members[0].content.pop_back();  // a row that is partly beyond the end
  CHECK(missing(members) == "lost 1 | m0: 0.data has 1 of 2 rows");
  members[0].content.resize(10);
  members[3].content = sparse_index({0, 3, 5});
  CHECK(missing(members) == "lost 2 | m0: 0.data has 0 of 2 rows | m1: 1.data has 2 of 3 rows");
  members = foreign;
  members[1].content = dense_index();
  CHECK(missing(members) == "lost 1 | m0: 0.data has 2 of 7 rows");
  // Rows of nonexistent call paths are no loss.
  members[0].content = plain_data(bytes_of<double>({1, 2}));
  members[1].content = sparse_index({2, 700});
  CHECK(missing(members).empty());
  // Our reports record what they stored; metrics with only zeros have no members.
  members = without("1.", good_members());
  const auto ours = [&](const std::string& stored) {
    for (auto& member : members) {
      if (member.name == "latecomer.json") {
        member.content = "{\"schema_version\": 1, \"stored_metrics\": " + stored + "}";
      }
    }
    return missing(members);
  };
  CHECK(ours("[\"m0\"]").empty());
  CHECK(ours("[\"m0\", \"m1\"]") == "lost 1 | m1: no 1.data");
  CHECK(ours("7").empty());
}

TEST_CASE("metrics with the same number") {
  // Otherwise a few values could be those of any number of metrics.
  auto members = good_members();
  members.back().content =
      small_anchor(metric_xml(0, "EXCLUSIVE", "DOUBLE") + metric_xml(0, "EXCLUSIVE", "DOUBLE"));
  CHECK(mentions(what(members), "no number of its own"));
  // Derived metrics have no values in the file.
  members.back().content =
      small_anchor(metric_xml(0, "EXCLUSIVE", "DOUBLE") + metric_xml(0, "POSTDERIVED", "DOUBLE"));
  CHECK(what(members).empty());
}

TEST_CASE("formulas whose values are too large have none") {
  auto members = good_members();
  for (const char* type : {"POSTDERIVED", "PREDERIVED_EXCLUSIVE", "PREDERIVED_INCLUSIVE"}) {
    members.back().content =
        small_anchor(metric_xml(0, "EXCLUSIVE", "DOUBLE") + derived_xml(2, "a", type, "1e308") +
                     derived_xml(3, "b", type, "metric::m0() * 1e307"));
    CHECK(what(members).empty());
  }
}

TEST_CASE("compressed rows with the same bytes") {
  const std::string zipped = compressed_data(bytes_of<double>({1, 2, 3, 4}), 16);
  constexpr std::size_t kFirst = 19 + 8, kSecond = kFirst + 24;  // offsets in the table of rows
  auto same = zipped;
  same.replace(kSecond, 16, zipped.substr(kFirst, 16));
  CHECK(mentions(with(2, same), "1.data (metric m1)"));
  // The bytes of the rows may lie in any order.
  auto swapped = zipped;
  swapped.replace(19, 24, zipped.substr(19 + 24, 24));
  swapped.replace(19 + 24, 24, zipped.substr(19, 24));
  CHECK(with(2, swapped).empty());
}

TEST_CASE("zeros without an end") {
  TemporaryDirectory directory;
  const auto file = directory.path() / "r.cubex";
  write_tar(file, good_members());
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
  CHECK(read_all(file).empty());
  // A member that is longer than its rows.
  auto members = good_members();
  members[0].content.resize(std::size_t{10} << 20);
  write_tar(file, members);
  CHECK(read_all(file).empty());
}

TEST_CASE("files that are no report") {
  TemporaryDirectory directory;
  const auto file = directory.path() / "r.cubex";
  CHECK(mentions(read_all(file), "No such file"));
  CHECK(mentions(read_all(directory.path()), "r"));
  for (const std::string& bytes : {std::string(), std::string("short"), std::string(5000, 'x'),
                                   std::string(2048, '\0'), std::string("<?xml version=")}) {
    write_bytes(file, bytes);
    CHECK(mentions(read_all(file), "is not a CUBE 4 report"));
  }
}

TEST_CASE("a cut file is noticed wherever it is cut") {
  TemporaryDirectory directory;
  const auto file = directory.path() / "r.cubex";
  write_tar(file, good_members());
  const auto bytes = read_bytes(file);
  // There are only zeros after the last member, so cutting there loses nothing.
  const auto last = bytes.find_last_not_of('\0') + 1;
  for (std::size_t size = 0; size < bytes.size(); size += size % 7 + 1) {
    write_bytes(file, bytes.substr(0, size));
    INFO("cut at " << size << " of " << last);
    CHECK(read_all(file).empty() == (size >= last));
  }
}

TEST_CASE("bytes changed anywhere do not crash the reader") {
  TemporaryDirectory directory;
  const auto file = directory.path() / "r.cubex";
  std::mt19937 random(1);
  for (const bool compressed : {false, true}) {
    auto members = good_members();
    if (compressed) members.back().content = gzip(members.back().content);
    write_tar(file, members);
    const auto bytes = read_bytes(file);
    for (std::size_t position = 0; position < bytes.size(); position += 1 + random() % 3) {
      auto changed = bytes;
      changed[position] = static_cast<char>(random());
      if (random() % 4 == 0) changed.erase(random() % changed.size(), random() % 700);
      write_bytes(file, changed);
      CHECK(read_all(file) != "a value that is not finite came out");
    }
  }
}

TEST_CASE("a call tree deeper than any stack") {
  constexpr int kDepth = 300000;
  auto members = good_members();
  auto& anchor = members.back().content;
  const std::string leaf = "<cnode id=\"5\" calleeId=\"6\"></cnode>";
  std::string open, close;
  for (int i = 0; i < kDepth; ++i) {
    open += "<cnode id=\"" + std::to_string(7 + i) + "\" calleeId=\"6\">";
    close += "</cnode>";
  }
  anchor.replace(anchor.find(leaf), leaf.size(), leaf + open + close);
  TemporaryDirectory directory;
  const auto file = directory.path() / "r.cubex";
  write_tar(file, members);
  CHECK(read_all(file).empty());
  CHECK(Report::open(file)->definitions().call_paths.size() == 7 + kDepth);
}
