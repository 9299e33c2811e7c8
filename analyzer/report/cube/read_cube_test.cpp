// SPDX-License-Identifier: BSD-3-Clause
// The reader with every variant of the format, and values computed by hand.
#include "analyzer/report/cube/read_cube.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "analyzer/report/container/tar_layout.hpp"
#include "tests/report/cube_file.hpp"

using namespace latecomer;
using namespace latecomer::test;
using report::Report;

namespace {

using Rows = std::map<std::string, std::vector<double>>;  // region name -> value per location

Rows rows_of(Report& report, const std::string& metric) {
  const auto& d = report.definitions();
  const auto id = report.find(metric);
  REQUIRE(id != report::kNone);
  const auto values = report.values(id);
  if (!values) FAIL(values.problem().what);
  Rows rows;
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    const auto row = (*values)->row(c);
    if (!row.empty()) rows[d.regions[d.call_paths[c].region].name] = {row.begin(), row.end()};
  }
  return rows;
}

struct File {
  explicit File(std::vector<Member> members) { write_tar(path(), std::move(members)); }
  [[nodiscard]] std::filesystem::path path() const { return directory.path() / "r.cubex"; }
  [[nodiscard]] Report open() const {
    auto report = Report::open(path());
    if (!report) FAIL(report.problem().what);
    return std::move(*report);
  }
  TemporaryDirectory directory;
};

Rows one_metric(const std::string& type, const std::string& dtype, const std::string& index,
                const std::string& data) {
  File file({{"3.data", data},
             {"3.index", index},
             {"anchor.xml", small_anchor(metric_xml(3, type, dtype))}});
  auto report = file.open();
  return rows_of(report, "m3");
}

}  // namespace

TEST_CASE("sparse and dense rows of an exclusive metric are depth first: A B D F E C G") {
  const auto two = bytes_of<double>({1, 2, 3, 4});
  const Rows expected = {{"D", {1, 2}}, {"E", {3, 4}}};
  CHECK(one_metric("EXCLUSIVE", "DOUBLE", sparse_index({2, 4}), plain_data(two)) == expected);
  CHECK(one_metric("", "FLOAT", sparse_index({2, 4}), plain_data(two)) == expected);
  CHECK(one_metric("EXCLUSIVE", "DOUBLE", sparse_index({2, 4}), compressed_data(two, 16)) ==
        expected);
  const auto big = bytes_of<double>({1, 2, 3, 4}, true);
  CHECK(one_metric("EXCLUSIVE", "DOUBLE", sparse_index({2, 4}, true), plain_data(big)) == expected);
  // A dense file that ends after two rows: the missing rows are zero.
  const Rows first = {{"A", {1, 2}}, {"B", {3, 4}}};
  CHECK(one_metric("EXCLUSIVE", "DOUBLE", dense_index(), plain_data(two)) == first);
  CHECK(one_metric("EXCLUSIVE", "DOUBLE", dense_index(true), plain_data(big)) == first);
  CHECK(one_metric("EXCLUSIVE", "DOUBLE", dense_index(), compressed_data(two, 16)) == first);
  // These files have half a row, surplus bytes, or row numbers beyond the tree.
  CHECK(one_metric("EXCLUSIVE", "DOUBLE", sparse_index({2, 4, 5}),
                   plain_data(two + bytes_of<double>({9}))) == expected);
  CHECK(one_metric("EXCLUSIVE", "DOUBLE", sparse_index({2, 4}), plain_data(two + "surplus")) ==
        expected);
  CHECK(one_metric("EXCLUSIVE", "DOUBLE", sparse_index({2, 4, 70}), plain_data(two + two)) ==
        expected);
}

TEST_CASE("rows of an inclusive metric: wide order A B C D E F G, children are subtracted") {
  //      A 100       exclusive  100 - 60 - 30 = 10
  //   B 60   C 30               60 - 40 - 15 = 5     30 - 7 = 23
  //  D 40 E 15 G 7              40 - 39 = 1
  //  F 39
  std::vector<double> values;
  for (const double v : {100, 60, 30, 40, 15, 39, 7}) values.insert(values.end(), {v, 10 * v});
  const Rows expected = {{"A", {10, 100}}, {"B", {5, 50}},   {"C", {23, 230}}, {"D", {1, 10}},
                         {"E", {15, 150}}, {"F", {39, 390}}, {"G", {7, 70}}};
  CHECK(one_metric("INCLUSIVE", "DOUBLE", dense_index(), plain_data(bytes_of(values))) == expected);
  // The rows 0, 2, 6 belong to A, C, G.
  CHECK(one_metric("INCLUSIVE", "UINT64", sparse_index({0, 2, 6}),
                   plain_data(bytes_of<std::uint64_t>({9, 9, 5, 5, 5, 2}))) ==
        Rows{{"A", {4, 4}}, {"C", {0, 3}}, {"G", {5, 2}}});
}

TEST_CASE("all value types that are one number") {
  const auto read = [](const std::string& dtype, const std::string& bytes) {
    return one_metric("EXCLUSIVE", dtype, sparse_index({0}), plain_data(bytes)).at("A");
  };
  using Values = std::vector<double>;
  CHECK(read("INT64", bytes_of<std::int64_t>({-5, 6})) == Values{-5, 6});
  CHECK(read("SIGNED INTEGER", bytes_of<std::int64_t>({-5, 6})) == Values{-5, 6});
  CHECK(read("UNSIGNED INTEGER", bytes_of<std::uint64_t>({5, 1ULL << 52})) ==
        Values{5, 4503599627370496});
  CHECK(read("UINT32", bytes_of<std::uint32_t>({0xffffffff, 1})) == Values{4294967295, 1});
  CHECK(read("INT", bytes_of<std::int32_t>({-1, 1})) == Values{-1, 1});
  CHECK(read("UNSIGNED SHORT INT", bytes_of<std::uint16_t>({65535, 1})) == Values{65535, 1});
  CHECK(read("SHORT INT", bytes_of<std::int16_t>({-2, 1})) == Values{-2, 1});
  CHECK(read("CHAR", bytes_of<std::uint8_t>({200, 1})) == Values{200, 1});
  CHECK(read("INT8", bytes_of<std::int8_t>({-56, 1})) == Values{-56, 1});
}

TEST_CASE("metrics without data, hidden, derived and compound ones") {
  const std::string derived =
      "<cubepl rowwise=false shape=plain>100 * metric::m0() &lt; 3</cubepl>\n"
      "<cubeplaggr cubeplaggrtype=plus>arg1 + arg2</cubeplaggr>\n"
      "<cubeplaggr cubeplaggrtype=\"aggr\">arg1 + arg2</cubeplaggr>\n";
  const std::string ghost = "<metric id=\"9\" viztype=\"GHOST\"><uniq_name>m9</uniq_name></metric>";
  File file(
      {{"0.data", plain_data(bytes_of<double>({1, 2}))},  // its index is missing
       {"1.data", plain_data(bytes_of<double>({3, 4}))},
       {"1.index", sparse_index({0})},
       {"5.data", plain_data(std::string(72, 'x'))},
       {"5.index", sparse_index({0})},
       {"9.data", plain_data(bytes_of<double>({5, 6}))},
       {"9.index", sparse_index({0})},
       {"ghost_9.data", plain_data(bytes_of<double>({7, 8}))},
       {"ghost_9.index", sparse_index({1})},
       {"anchor.xml",
        gzip(small_anchor(metric_xml(0, "EXCLUSIVE", "DOUBLE", metric_xml(7, "EXCLUSIVE", "")) +
                          metric_xml(1, "POSTDERIVED", "DOUBLE", derived) +
                          metric_xml(4, "SOMETHING", "DOUBLE", "<val>VOID</val>") +
                          metric_xml(5, "EXCLUSIVE", "TAU_ATOMIC") + ghost))}});
  auto report = file.open();
  CHECK(rows_of(report, "m0").empty());
  CHECK(rows_of(report, "m7").empty());
  CHECK(rows_of(report, "m1").empty());
  CHECK(rows_of(report, "m9") == Rows{{"B", {7, 8}}});
  CHECK(report.find("m6") == report::kNone);
  CHECK(report.creator() == "a test");
  const auto& metrics = report.definitions().metrics;
  CHECK(metrics[1].name == "m7");
  CHECK(metrics[1].parent == "m0");
  CHECK(metrics[5].display == "m9");
  CHECK(report.stored(3).hidden);
  CHECK(report.stored(5).hidden);
  CHECK_FALSE(report.stored(0).hidden);
  CHECK(report.why_no_values(report.find("m5")) ==
        "its values are of type TAU_ATOMIC, which are not one number each");
  const auto compound = report.values(report.find("m5"));
  REQUIRE(compound);
  CHECK((*compound)->row(0).empty());
  CHECK(report.why_no_values(report.find("m0")).empty());
}

TEST_CASE("machine, node, process, thread: the old system tree") {
  const std::string system =
      "<machine Id=\"0\"><name>cluster</name><descr></descr>\n"
      "<node Id=\"0\"><name>n0</name>\n"
      "<process Id=\"0\"><rank>1</rank><thread Id=\"1\"><rank>0</rank></thread></process>\n"
      "<process Id=\"1\"><name>zero</name><rank>0</rank><thread Id=\"0\"><name>main</name>"
      "<rank>0</rank></thread></process>\n</node></machine>\n";
  File file({{"0.data", plain_data(bytes_of<std::int64_t>({3, 4}))},
             {"0.index", sparse_index({6})},
             {"anchor.xml", small_anchor(metric_xml(0, "", "INTEGER"), system)}});
  auto report = file.open();
  CHECK(rows_of(report, "m0") == Rows{{"G", {3, 4}}});
  const auto& d = report.definitions();
  REQUIRE(d.system.size() == 2);
  CHECK(d.system[0].class_name == "machine");
  CHECK(d.system[1].class_name == "node");
  CHECK(d.system[1].parent == 0);
  REQUIRE(d.processes.size() == 2);
  CHECK(d.processes[0].name == "Process 1");
  CHECK(d.processes[0].node == 1);
  // Thread ids are columns, whatever their position in the document.
  REQUIRE(d.locations.size() == 2);
  CHECK(d.locations[0].name == "main");
  CHECK(d.locations[0].process == 1);
  CHECK(d.locations[1].name == "Thread 0");
  CHECK(d.locations[1].process == 0);
}

TEST_CASE("the example of the format description") {
  auto report = Report::open(LATECOMER_EXAMPLE_REPORT);
  REQUIRE(report);
  CHECK(report->definitions().regions[1].name == "void f<int>(int)");
  CHECK(report->definitions().regions[1].mangled == "_Z1fIiEvT_");
  CHECK(report->definitions().metrics[2].description == "Waiting time <recv before send> & more");
  CHECK(report->document().is_null());
  // 2.index lists rows 2 and 3, which are two MPI_Recv: below f and below main.
  const auto late = report->values(report->find("mpi_latesender"));
  REQUIRE(late);
  CHECK((*late)->row(0).empty());
  CHECK((*late)->row(2).size() == 2);
  CHECK((*late)->row(3).size() == 2);
  CHECK(rows_of(*report, "mpi_earlyreduce").empty());
}

TEST_CASE("a member of full blocks may be followed by one more block") {
  // CUBE pads 1024 bytes with another 512; POSIX tar does not. The reader accepts both.
  File file({{"anchor.xml", small_anchor(metric_xml(0, "", "DOUBLE"))}});
  const auto rest = read_bytes(file.path());
  report::TarLayout layout;
  layout.add("x", std::uint64_t{1025});
  auto header = layout.pieces()[0].bytes;
  header.replace(124, 11, "00000002000");  // 1024
  for (const std::size_t blocks : {2, 3, 7}) {
    write_bytes(file.path(), header + std::string(blocks * 512, '\0') + rest);
    CHECK(file.open().definitions().call_paths.size() == 7);
  }
}

TEST_CASE("sizes of 8 GiB and more stand in a pax header") {
  // The file does not hold the whole member, so the reader must notice that the file ends inside
  // it.
  File file({{"anchor.xml", small_anchor(metric_xml(0, "", "DOUBLE"))}});
  report::TarLayout layout;
  layout.add("0.data", std::uint64_t{1} << 33 | 10);
  std::string bytes;
  for (const auto& piece : layout.pieces()) bytes += piece.bytes;
  write_bytes(file.path(), bytes + read_bytes(file.path()));
  const auto report = Report::open(file.path());
  REQUIRE_FALSE(report);
  CHECK(report.problem().what.find("the file ends inside 0.data") != std::string::npos);
}
