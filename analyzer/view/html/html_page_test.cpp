// SPDX-License-Identifier: BSD-3-Clause
// The page for the browser: packing of values, contents, and the place where it is written.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analyzer/report/container/deflate.hpp"
#include "analyzer/report/container/inflate.hpp"
#include "analyzer/view/html/choose_metrics.hpp"
#include "analyzer/view/html/html_page.hpp"
#include "analyzer/view/html/own_values.hpp"
#include "analyzer/view/html/pack.hpp"
#include "analyzer/view/html/page_data.hpp"
#include "analyzer/view/html/page_sources.hpp"
#include "analyzer/view/html/seven_bits.hpp"
#include "patterns/metrics.hpp"
#include "tests/report/cube_file.hpp"

namespace {

using namespace latecomer;
using view::OwnRow;
using view::Precision;

// A report with metric m0, its parts m1 and m2, and m3, which counts something else. There are two
// locations and the call tree A(B(D(F),E),C(G)); rows are in document order: A B D F E C G.
report::Report small_report(const std::filesystem::path& file, const std::string& document = "") {
  const auto seconds = [](int id, const std::string& nested = "") {
    return test::metric_xml(id, "EXCLUSIVE", "DOUBLE", nested);
  };
  std::string counts = seconds(3);
  counts.replace(counts.find("sec"), 3, "occ");
  std::vector<test::Member> members;
  const auto add = [&](int id, const std::vector<std::uint32_t>& rows,
                       const std::vector<double>& values) {
    members.push_back({std::to_string(id) + ".index", test::sparse_index(rows)});
    members.push_back({std::to_string(id) + ".data", test::plain_data(test::bytes_of(values))});
  };
  members.push_back(
      {"anchor.xml", test::small_anchor(seconds(0, seconds(1) + seconds(2) + counts))});
  add(0, {0, 2}, {10, 20, 0.3, 5});
  add(1, {0, 2}, {4, 20, 0.1, 0});
  add(2, {2}, {0.2, 1});
  add(3, {0}, {7, 8});
  if (!document.empty()) members.push_back({"latecomer.json", document});
  test::write_tar(file, std::move(members));
  return std::move(*report::Report::open(file));
}

std::vector<unsigned> numbers(const std::vector<std::byte>& bytes) {
  std::vector<unsigned> out;
  for (const auto byte : bytes) out.push_back(std::to_integer<unsigned>(byte));
  return out;
}

}  // namespace

TEST_CASE("what is compressed comes back") {
  for (const std::size_t size : {0, 1, 5000, 300000}) {
    std::vector<std::byte> data(size);
    for (std::size_t i = 0; i < size; ++i) data[i] = std::byte(i * i / 7);
    CHECK(report::inflate_bytes(report::deflate_bytes(data), size) == data);
  }
}

TEST_CASE("own values are a metric without its parts") {
  const test::TemporaryDirectory directory;
  auto report = small_report(directory.path() / "small.cubex");
  const auto parts = view::parts_of_parents(report);
  CHECK(parts == std::vector<bool>{false, true, true, false});  // m3 counts, m0 measures time
  const auto own = view::own_values(report, 0, parts);
  REQUIRE(own);
  // A: (10 - 4, 20 - 20) = (6, 0). D: (0.3 - 0.1 - 0.2, 5 - 0 - 1) = (0, 4): as doubles 2.8e-17 is
  // left of 0.3, which counts as rounding.
  REQUIRE(own->size() == 2);
  CHECK((*own)[0].call_path == 0);
  CHECK((*own)[0].values == std::vector<double>{6, 0});
  CHECK((*own)[1].call_path == 2);
  CHECK((*own)[1].values == std::vector<double>{0, 4});
}

TEST_CASE("exact values are packed as planes of bytes") {
  // 5 locations. Row 3 has one value, 1.0 = 3ff0000000000000 at column 4: distance 5 to column -1.
  // Row 9 has three, at least half of 5: all values are stored.
  const std::vector<OwnRow> rows = {{3, {0, 0, 0, 0, 1}}, {9, {1, 0, 1, 1, 0}}};
  CHECK(view::count_values(rows) == 4);
  const auto bytes = numbers(view::pack(rows, 5, Precision::kExact));
  REQUIRE(bytes.size() == 1 + 4 + 8 + 8 + 4 + 6 * 8);
  const std::vector<unsigned> head(bytes.begin(), bytes.begin() + 25);
  CHECK(head == std::vector<unsigned>{0, 2, 0, 0, 0, 3, 9, 0, 0, 0, 0, 0, 0,
                                      1, 5, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0});
  const std::vector<unsigned> last(bytes.end() - 12, bytes.end());
  CHECK(last == std::vector<unsigned>{0xf0, 0xf0, 0, 0xf0, 0xf0, 0,  //
                                      0x3f, 0x3f, 0, 0x3f, 0x3f, 0});
}

TEST_CASE("rounded values have the four digits that people see") {
  const std::vector<double> values = {
      1, -3, 9999.6, 0.00012345678, 1e18, 3e-9, 0.9999999, 1.0006, 32767.0, 0, NAN};
  //                                  1000 3000 1000 1235 1000 3000 1000 1001 3277 (four of 32767)
  const std::vector<unsigned> low = {0, 0, 0, 235, 0, 0, 0, 1, 27, 0, 0};  // less 1000, modulo 250
  const std::vector<unsigned> high = {0, 8, 0, 0, 0, 8, 0, 0, 9, 0, 0};
  // Exponents -3 -3 1 -7 15 -12 -3 -3 1, and 400, twice, and 1 for the sign
  const std::vector<unsigned> rest = {794, 795, 802, 786, 830, 776, 794, 794, 802, 0, 0xffff};
  const std::vector<OwnRow> rows = {{0, values}};
  const auto bytes = numbers(view::pack(rows, values.size(), Precision::kRounded));
  const std::size_t n = values.size(), digits = 13 + 8;  // after the sum of the row
  REQUIRE(bytes.size() == digits + 4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    INFO(values[i]);
    CHECK(bytes[digits + i] == low[i]);
    CHECK(bytes[digits + n + i] == high[i]);
    CHECK((bytes[digits + 2 * n + i] | bytes[digits + 3 * n + i] << 8) == rest[i]);
  }
  // The sum is exact: 1.5 + 0.25 = 1.75 = 3ffc000000000000
  const auto two =
      numbers(view::pack(std::vector<OwnRow>{{0, {1.5, 0.25}}}, 2, Precision::kRounded));
  CHECK(two[13 + 6] == 0xfc);
  CHECK(two[13 + 7] == 0x3f);
}

TEST_CASE("what is there again and again stays exact") {
  std::vector<double> values(64, 12345.678);
  CHECK(view::repeats(std::vector<OwnRow>{{0, values}}));
  for (std::size_t i = 0; i < 4; ++i) values[i] = static_cast<double>(i) + 1;
  CHECK(!view::repeats(std::vector<OwnRow>{{0, values}}));  // 5 of 64
}

TEST_CASE("bytes are text of seven bits, which has nothing that a page does not take") {
  const auto text = [](const std::vector<unsigned>& numbers) {
    std::vector<std::byte> bytes;
    for (const auto number : numbers) bytes.push_back(std::byte(number));
    return view::seven_bits(bytes);
  };
  CHECK(text({}).empty());
  // The first 7 bytes are 56 bits: 1000001 1000010 1000011 1000100 1000101 1000110 1000111 1001000
  CHECK(text({0x83, 0x0a, 0x1c, 0x48, 0xb1, 0xa3, 0xc8}) == "ABCDEFGH");
  CHECK(text({0xff}) == "\x7f\x40");  // 1111111 1 and zeros
  // 0111100, which is <, and 1000001: U+0100 + 128 x 5 + 65 = U+03c1
  CHECK(text({0x79, 0x04}) == "\xcf\x81\xd4\x80");  // then 00 and zeros, NUL at the end: U+0500
  std::vector<unsigned> all;
  for (unsigned i = 0; i < 5000; ++i) all.push_back(i * i / 7 & 0xff);
  CHECK(text(all).find_first_of(std::string("\0\n\r\"&<>", 7)) == std::string::npos);
  CHECK(text(all).size() <= 8 * all.size() / 7 + 2);
}

TEST_CASE("values are rounded only where there are many") {
  const test::TemporaryDirectory directory;
  auto report = small_report(directory.path() / "small.cubex");
  // Own values: 2 of m0, 3 of m1, 2 of m2, 2 of m3.
  const auto exact = view::pack_values(report, {0, 1, 2, 3}, 9);
  REQUIRE(exact);
  CHECK(exact->precision == Precision::kExact);
  CHECK(exact->totals == std::vector<double>{10, 24.1, 1.2, 15});
  const auto rounded = view::pack_values(report, {0, 1, 2, 3}, 8);
  REQUIRE(rounded);
  CHECK(rounded->precision == Precision::kRounded);
}

TEST_CASE("what is not chosen stays in its parent") {
  const test::TemporaryDirectory directory;
  auto report = small_report(directory.path() / "small.cubex");
  CHECK(*view::choose_metrics(report, {}) == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(*view::choose_metrics(report, {"m2"}) == std::vector<std::uint32_t>{0, 2});
  CHECK(*view::choose_metrics(report, {"m2", "m3"}) == std::vector<std::uint32_t>{0, 2, 3});
  CHECK(*view::choose_metrics(report, {"m0"}) == std::vector<std::uint32_t>{0, 1, 2, 3});
  const auto unknown = view::choose_metrics(report, {"m7"});
  REQUIRE(!unknown);
  CHECK(unknown.problem().what.starts_with("there is no metric m7; the nearest is m"));
  // m0 has 35.3, of which m2 has 1.2; m1 is not shown.
  const auto packed = view::pack_values(report, {0, 2});
  REQUIRE(packed);
  CHECK(packed->totals[0] == Approx(34.1));
  CHECK(packed->totals[1] == 1.2);
  CHECK(packed->parts == std::vector<bool>{false, true});
}

TEST_CASE("metrics that a report hides are not shown unless named or needed") {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "hidden.cubex";
  const auto hidden = [](int id, const std::string& nested) {
    std::string xml = test::metric_xml(id, "EXCLUSIVE", "DOUBLE", nested);
    return xml.insert(xml.find(">"), " viztype=\"GHOST\"");
  };
  const std::string shown = test::metric_xml(0, "EXCLUSIVE", "DOUBLE");
  const std::string part = test::metric_xml(2, "EXCLUSIVE", "DOUBLE");  // hidden like its parent
  test::write_tar(file, {{"anchor.xml", test::small_anchor(shown + hidden(1, part))}});
  const auto report = report::Report::open(file);
  REQUIRE(report);
  CHECK(*view::choose_metrics(*report, {}) == std::vector<std::uint32_t>{0});
  CHECK(*view::choose_metrics(*report, {"m2"}) == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("the page is one file that asks nobody for anything") {
  const test::TemporaryDirectory directory;
  auto report = small_report(directory.path() / "small.cubex");
  const auto page = view::html_page(report, std::nullopt);
  REQUIRE(page);
  CHECK(page->starts_with("<!DOCTYPE html>"));
  CHECK(page->ends_with("</html>\n"));
  CHECK(page->find("default-src 'none'") != std::string::npos);
  for (const char* loads : {"src=", "@import", "url(http", "import("}) {
    CHECK(page->find(loads) == std::string::npos);
  }
  for (const char* id : {"\"data\"", "\"values-0\"", "\"values-3\""}) {
    CHECK(page->find("id=" + std::string(id)) != std::string::npos);
  }
}

TEST_CASE("lines of the computation have call paths as the page numbers them") {
  const test::TemporaryDirectory directory;
  auto report = small_report(directory.path() / "r.cubex",
                             R"({"computation": {"samples": 1, "functions": [{"locations": [1, 2]}],
                                 "lines": [{"call_path": 6, "locations": [1, 2]},
                                           {"call_path": 99}, {"call_path": "x"}, 7]}})");
  const auto summary = view::summarize(report);
  REQUIRE(summary);
  const auto data = view::page_data(report, *summary, {}, std::nullopt);
  const auto& lines = data["summary"]["computation"]["lines"];
  // Call path 6 of the report is D, the third in the order of the document.
  CHECK(lines[0] == nlohmann::ordered_json{{"call_path", 2}});
  CHECK(lines[1]["call_path"] == -1);
  CHECK(lines[2]["call_path"] == -1);
  CHECK(data["summary"]["computation"]["functions"][0].empty());
}

TEST_CASE("wait states have a formula, and advice") {
  for (const std::string name : {"mpi_latesender",
                                 "mpi_latereceiver",
                                 "mpi_latesender_wo",
                                 "mpi_earlyreduce",
                                 "mpi_late_contributor",
                                 "mpi_earlyscan",
                                 "mpi_latebroadcast",
                                 "mpi_wait_nxn",
                                 "mpi_late_neighbor",
                                 "mpi_io_collective_wait",
                                 "mpi_mgmt_file_wait",
                                 "mpi_nxn_completion",
                                 "mpi_barrier_wait",
                                 "mpi_barrier_completion",
                                 "mpi_finalize_wait",
                                 "mpi_init_completion",
                                 "mpi_rma_wait_at_create",
                                 "mpi_rma_wait_at_free",
                                 "mpi_rma_wait_at_fence",
                                 "mpi_rma_early_fence",
                                 "mpi_rma_sync_late_post",
                                 "mpi_rma_comm_late_post",
                                 "mpi_rma_early_wait",
                                 "mpi_rma_late_complete",
                                 "mpi_rma_sync_lock_competition",
                                 "mpi_rma_comm_lock_competition",
                                 "mpi_rma_sync_wait_for_progress",
                                 "mpi_rma_comm_wait_for_progress"}) {
    INFO(name);
    const auto metric = patterns::find_metric(name);
    REQUIRE(metric);
    CHECK(!metric->formula.empty());
    CHECK(metric->advice.ends_with("."));
  }
}

TEST_CASE("an existing file is replaced only if somebody says so") {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "page.html";
  REQUIRE(view::write_new_file(file, "one", false));
  const auto again = view::write_new_file(file, "two", false);
  REQUIRE(!again);
  CHECK(again.problem().text() ==
        "error: " + file.string() +
            " exists already\nhint:  --overwrite replaces it; or name another file\n");
  CHECK(again.problem().status == Exit::kUsage);
  CHECK(test::read_bytes(file) == "one");
  REQUIRE(view::write_new_file(file, "two", true));
  CHECK(test::read_bytes(file) == "two");
  CHECK(!view::write_new_file(directory.path(), "three", true));
  CHECK(!view::write_new_file("/dev/null", "three", true));
  const auto nowhere = view::write_new_file(directory.path() / "no" / "page.html", "four", false);
  REQUIRE(!nowhere);
  CHECK(nowhere.problem().what.ends_with("No such file or directory"));
}
