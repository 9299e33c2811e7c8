// SPDX-License-Identifier: BSD-3-Clause
// Uses a report in all ways that need no second file.
#include "tests/fuzz/report_files.hpp"

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "analyzer/report/algebra/combine.hpp"
#include "analyzer/report/algebra/cut.hpp"
#include "analyzer/report/algebra/write_combined.hpp"
#include "analyzer/report/container/tar_reader.hpp"
#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/view/check/run_values.hpp"
#include "analyzer/view/html/html_page.hpp"
#include "analyzer/view/metrics/export.hpp"
#include "analyzer/view/summary/show.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/report/cube_file.hpp"

namespace latecomer::fuzz {
namespace {

// Discards everything: texts of views can be long.
class Nowhere : public std::streambuf {
  int overflow(int c) override { return c; }
  std::streamsize xsputn(const char*, std::streamsize size) override { return size; }
};

template <typename T>
bool in_order(const Result<T>& result) {
  must(result.ok() || !result.problem().what.empty(), "a problem has words");
  return result.ok();
}

void write(const Result<report::Combined>& combined) {
  Nowhere nowhere;
  std::ostream out(&nowhere);
  if (in_order(combined)) in_order(report::write_combined(*combined, out));
}

report::Report* opened(Result<report::Report>& report) {
  return in_order(report) ? &*report : nullptr;
}

Bytes gzipped(const std::string& text) { return bytes_of(test::gzip(text)); }

}  // namespace

void use_report(const std::filesystem::path& file) {
  Nowhere nowhere;
  std::ostream out(&nowhere);
  auto opening = report::Report::open(file);
  report::Report* const report = opened(opening);
  if (report == nullptr) return;
  for (std::uint32_t m = 0; m < report->definitions().metrics.size(); ++m) {
    in_order(report->values(m));
    static_cast<void>(report->total(m));
  }
  if (const auto summary = view::summarize(*report); in_order(summary)) {
    must(!view::show_text(*summary).empty(), "the summary has a text");
    static_cast<void>(view::show_json(*summary).dump());
    static_cast<void>(view::next_command(*summary));
  }
  in_order(view::export_json(*report, out));
  in_order(view::export_csv(*report, out));
  in_order(view::run_values(*report));
  in_order(view::html_page(*report, std::nullopt));
  write(report::cut(*report, {}));
  auto again = report::Report::open(file);
  report::Report* const both[] = {report, opened(again)};
  must(both[1] != nullptr, "what was opened can be opened again");
  const auto matching = report::match(both);
  if (!in_order(matching)) return;
  write(report::combine(report::Operation::kDiff, *matching, both));
}

std::vector<Files> report_members() {
  std::vector<Files> reports;
  Files& example = reports.emplace_back();
  auto tar = report::TarReader::open(LATECOMER_EXAMPLE_REPORT);
  must(tar.ok(), "the example report can be read");
  for (const std::string name : {"anchor.xml", "0.index", "0.data", "1.index", "1.data"}) {
    if (!tar->has(name)) continue;
    const auto bytes = tar->read(name);
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes->data());
    example[name] = {first, first + bytes->size()};
  }
  using test::metric_xml;
  const std::vector<double> rows = {1, 2, 3, 4, 5, 6};
  const std::string values = test::bytes_of(rows);
  reports.push_back(
      {{"anchor.xml", bytes_of(test::small_anchor(metric_xml(0, "EXCLUSIVE", "DOUBLE") +
                                                  metric_xml(1, "INCLUSIVE", "UINT64")))},
       {"0.index", bytes_of(test::sparse_index({0, 2, 5}))},
       {"0.data", bytes_of(test::compressed_data(values, 16))},
       {"1.index", bytes_of(test::dense_index())},
       {"1.data", bytes_of(test::plain_data(values + values + std::string(16, '\1')))},
       {"latecomer.json",
        bytes_of(R"({"schema_version": 1, "program": {"name": "heat", "arguments": ["2"]},)"
                 R"("run": {"ranks": 2, "locations": 2, "nodes": 1, "metahosts": ["m"]},)"
                 R"("quality": [{"name": "n", "count": 3, "text": "t"}], "partial": true})")}});
  reports.push_back(
      {{"anchor.xml", gzipped(test::small_anchor(
                          metric_xml(0, "EXCLUSIVE", "MAXDOUBLE") +
                          metric_xml(1, "PREDERIVED_EXCLUSIVE", "DOUBLE",
                                     "<cubepl>metric::m0(e) / 2</cubepl>\n<cubeplaggr "
                                     "cubeplaggrtype=plus>max(arg1,arg2)</cubeplaggr>\n")))},
       {"0.index", bytes_of(test::sparse_index({1, 3}, true))},
       {"0.data", bytes_of(test::plain_data(test::bytes_of<double>({1, 2, 3, 4}, true)))}});
  return reports;
}

void write_report(const std::filesystem::path& file, const Files& members) {
  std::vector<test::Member> all;
  // A header holds names of up to this length; fuzz_report_file tests longer ones.
  constexpr std::size_t kLongestName = 99;
  for (const auto& [name, bytes] : members)
    all.push_back({name.substr(0, kLongestName), text_of(bytes)});
  test::write_tar(file, std::move(all));
}

}  // namespace latecomer::fuzz
