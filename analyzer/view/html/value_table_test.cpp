// SPDX-License-Identifier: BSD-3-Clause
// Values of metrics that cannot be summed, as the page gets them.
#include "analyzer/view/html/value_table.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "analyzer/view/html/page_data.hpp"
#include "tests/report/cube_file.hpp"
#include "tests/report/small_reports.hpp"

using namespace latecomer;
using report::kNone;
using view::OwnRow;

namespace {

// A report of main(a, b(a)) on ranks 0 (node n0) and 1, 2 (node n1); rank 2 has two threads.
//
//             time             work            with callees: time, work
//   main      1 1 1 1          0 0 0 0          10 10 10 12, 2 3 4 6
//     a       2 2 2 2          1 1 1 1           2  2  2  2, 1 1 1 1
//     b       3 3 3 3          0 0 0 0           7  7  7  9, 1 2 3 5
//       a     4 4 4 6          1 2 3 5           4  4  4  6, 1 2 3 5
report::Report ratio_report(const std::filesystem::path& file) {
  auto small = test::combined({{{"time", "", "sec"}, {"work", "", "sec"}, {"ratio", "", "%"}},
                               {{kNone, "main"}, {0, "a"}, {0, "b"}, {2, "a"}},
                               4,
                               {{{"time", 0}, {1, 1, 1, 1}},
                                {{"time", 1}, {2, 2, 2, 2}},
                                {{"time", 2}, {3, 3, 3, 3}},
                                {{"time", 3}, {4, 4, 4, 6}},
                                {{"work", 1}, {1, 1, 1, 1}},
                                {{"work", 3}, {1, 2, 3, 5}}}});
  auto& d = small.definitions;
  d.system = {{"m", "machine", kNone}, {"n0", "node", 0}, {"n1", "node", 0}};
  d.processes = {{"rank 0", 0, 1}, {"rank 1", 1, 2}, {"rank 2", 2, 2}};
  d.locations = {{"t", 0, 0}, {"t", 0, 1}, {"t", 0, 2}, {"t", 1, 2}};
  report::StoredMetric ratio;
  ratio.kind = report::StoredMetric::Kind::kDerived;
  ratio.formula = "metric::work() / metric::time()";
  small.special.emplace(2, ratio);
  return test::written(small, file);
}

}  // namespace

TEST_CASE("a ratio is evaluated for all that can be selected") {
  const test::TemporaryDirectory directory;
  auto report = ratio_report(directory.path() / "r.cubex");
  REQUIRE_FALSE(report.adds_up(2));
  const auto table = view::value_table(report, 2, true);
  // Columns: all; m, n0, n1; rank 0, 1, 2; the two threads of rank 2.
  CHECK(table.columns == 9);
  const std::vector<OwnRow> expected = {
      {0, {15. / 42, 15. / 42, .2, 13. / 32, .2, .3, 10. / 22, .4, .5}},
      {1, {.5, .5, .5, .5, .5, .5, .5, .5, .5}},
      {2, {11. / 30, 11. / 30, 1. / 7, 10. / 23, 1. / 7, 2. / 7, .5, 3. / 7, 5. / 9}},
      {3, {11. / 18, 11. / 18, .25, 10. / 14, .25, .5, .8, .75, 5. / 6}},
      // Exclusively main and b do no work, and a has its inclusive values.
      {4 + 0, {0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {4 + 2, {0, 0, 0, 0, 0, 0, 0, 0, 0}},
      // Function a, the second one, at both places: 2 3 4 6 of 6 6 6 8.
      {8 + 1, {15. / 26, 15. / 26, 2. / 6, 13. / 20, 2. / 6, .5, 10. / 14, 4. / 6, 6. / 8}}};
  REQUIRE(table.rows.size() == expected.size());
  for (std::size_t r = 0; r < expected.size(); ++r) {
    INFO(r);
    CHECK(table.rows[r].call_path == expected[r].call_path);
    REQUIRE(table.rows[r].values.size() == 9);
    for (std::size_t i = 0; i < 9; ++i) {
      CHECK(table.rows[r].values[i] == Approx(expected[r].values[i]));
    }
  }
  const auto whole = view::value_table(report, 2, false);
  CHECK(whole.columns == 1);
  REQUIRE(whole.rows.size() == 7);
  CHECK(whole.rows[2].values == std::vector<double>{11. / 30});
}

TEST_CASE("places are left out of the page where they need too much room") {
  const test::TemporaryDirectory directory;
  auto report = ratio_report(directory.path() / "r.cubex");
  // 5 rows of 9 values of this metric are not zero, and 4 and 2 rows of 4 of the others.
  const auto all = view::pack_values(report, {0, 1, 2}, 69, 45);
  REQUIRE(all);
  CHECK(all->columns == std::vector<std::size_t>{0, 0, 9});
  CHECK(all->totals[2] == Approx(15. / 42));
  CHECK(all->precision == view::Precision::kExact);
  const auto less = view::pack_values(report, {0, 1, 2}, 69, 44);
  REQUIRE(less);
  CHECK(less->columns == std::vector<std::size_t>{0, 0, 1});
  CHECK(less->packs[2].size() < all->packs[2].size());
  const auto rounded = view::pack_values(report, {0, 1, 2}, 68, 45);
  REQUIRE(rounded);
  CHECK(rounded->precision == view::Precision::kRounded);
  const auto data = view::page_data(report, {}, *less, std::nullopt);
  CHECK(data["metrics"][2]["table"] == 1);
  CHECK(data["metrics"][2]["note"].get<std::string>().find("--by rank shows them") !=
        std::string::npos);
  CHECK_FALSE(data["metrics"][0].contains("table"));
}

TEST_CASE("what has no value is packed as such") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto bytes = view::pack(std::vector<OwnRow>{{0, {none, 1}}}, 2, view::Precision::kRounded);
  std::vector<unsigned> numbers;
  for (const auto byte : bytes) numbers.push_back(std::to_integer<unsigned>(byte));
  // Rounded; 1 row, call path 0, 2 values; digits 0 and 16384; exponents 32767 and -14. The sum has
  // no value either, 7ff8000000000000; 1 is 1000 x 10^-3: 2 x 397 = 031a
  CHECK(numbers == std::vector<unsigned>{1, 1, 0, 0, 0,    0,    0,    0,    0, 2, 0, 0, 0,  //
                                         0, 0, 0, 0, 0,    0,    0xf8, 0x7f,                 //
                                         0, 0, 0, 0, 0xff, 0x1a, 0xff, 0x03});
  CHECK(view::count_values(std::vector<OwnRow>{{0, {none, 0, 2}}}) == 2);
}
