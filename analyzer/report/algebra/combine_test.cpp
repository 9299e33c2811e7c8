// SPDX-License-Identifier: BSD-3-Clause
// Matching, difference, mean and union of reports, with values that fit on a line.
#include <array>
#include <nlohmann/json.hpp>

#include "analyzer/report/algebra/combine.hpp"
#include "analyzer/report/algebra/cut.hpp"
#include "analyzer/report/model/missing_values.hpp"
#include "tests/report/cube_file.hpp"
#include "tests/report/small_reports.hpp"

using namespace latecomer;
using namespace latecomer::report;
using test::rows_of;
using test::small_report;
using test::SmallReport;
using test::written;
using Rows = std::map<std::string, std::vector<double>>;

namespace {

// Another report of the program: b comes first, one a is missing, c is new, and so is metric io
// below time.
SmallReport second() {
  return {{{"visits", "", "occ"}, {"time", "", "sec"}, {"io", "time", "sec"}},
          {{kNone, "main"}, {0, "b"}, {1, "c"}, {1, "a"}, {0, "a"}},
          2,
          {{{"time", 0}, {2, 2}},
           {{"time", 2}, {9, 9}},
           {{"time", 3}, {5, 7}},
           {{"time", 4}, {3, 5}},
           {{"io", 2}, {4, 4}},
           {{"visits", 0}, {3, 1}}}};
}

class Pair {
 public:
  Pair(const SmallReport& a, const SmallReport& b)
      : a_(written(a, directory_.path() / "a.cubex")),
        b_(written(b, directory_.path() / "b.cubex")),
        pointers_{&a_, &b_} {}

  [[nodiscard]] Result<Matching> match() const { return report::match(pointers_); }
  [[nodiscard]] Combined make(Operation operation) const {
    const auto matching = match();
    REQUIRE(matching);
    auto made = combine(operation, *matching, pointers_);
    REQUIRE(made);
    return std::move(*made);
  }
  // Values of the result after it was written to a file and read again.
  [[nodiscard]] Rows rows(Operation operation, const std::string& metric) const {
    auto report = written(make(operation), directory_.path() / "result.cubex");
    const auto values = report.values(report.find(metric));
    REQUIRE(values);
    return rows_of(report.definitions(), **values);
  }

 private:
  test::TemporaryDirectory directory_;
  Report a_, b_;
  std::array<Report*, 2> pointers_;
};

}  // namespace

TEST_CASE("a report in memory comes back from its file") {
  const test::TemporaryDirectory directory;
  auto made = test::combined(small_report());
  made.definitions.call_paths.push_back({kNone, 1});  // a second root
  made.values[0] = MetricValues(made.definitions.call_paths.size(), 2);
  const auto row = made.values[0].make_row(5);
  row[0] = -1.5;
  row[1] = 1e-300;
  made.values[1] = made.values[2] = MetricValues(made.definitions.call_paths.size(), 2);
  made.units[2] = "W & more";
  auto report = written(made, directory.path() / "x.cubex");
  CHECK(report.stored(2).unit == "W & more");
  CHECK(report.definitions().call_paths.size() == 7);  // with the artificial root
  const auto values = report.values(0);
  REQUIRE(values);
  CHECK(rows_of(report.definitions(), **values) == Rows{{"all programs/a", {-1.5, 1e-300}}});
}

TEST_CASE("metrics match by name, call paths by names from the root, siblings by order") {
  const Pair pair(small_report(), second());
  const auto matching = pair.match();
  REQUIRE(matching);
  std::string names;
  for (const auto& metric : matching->definitions.metrics) names += metric.name + " ";
  CHECK(names == "time mpi io visits ");
  CHECK(matching->definitions.call_paths.size() == 6);  // c is new
  CHECK_FALSE(matching->collapsed);
  CHECK(matching->notes.empty());
  //   time: main 1 2, a 3 4, b/a 5 6, a' 7 8;  main 2 2, b/c 9 9, b/a 5 7, a 3 5
  CHECK(pair.rows(Operation::kDiff, "time") == Rows{{"main", {1, 0}},
                                                    {"main/a", {0, 1}},
                                                    {"main/a'", {-7, -8}},
                                                    {"main/b/a", {0, 1}},
                                                    {"main/b/c", {9, 9}}});
  CHECK(pair.rows(Operation::kDiff, "visits") == Rows{{"main", {2, 0}}});
  CHECK(pair.rows(Operation::kDiff, "mpi") == Rows{{"main/b/a", {-1, -1}}});
  CHECK(pair.rows(Operation::kMean, "time") == Rows{{"main", {1.5, 2}},
                                                    {"main/a", {3, 4.5}},
                                                    {"main/a'", {3.5, 4}},
                                                    {"main/b/a", {5, 6.5}},
                                                    {"main/b/c", {4.5, 4.5}}});
  CHECK(pair.rows(Operation::kMean, "io") == Rows{{"main/b/c", {2, 2}}});
  CHECK(pair.rows(Operation::kMerge, "time") ==
        Rows{{"main", {1, 2}}, {"main/a", {3, 4}}, {"main/a'", {7, 8}}, {"main/b/a", {5, 6}}});
  CHECK(pair.rows(Operation::kMerge, "io") == Rows{{"main/b/c", {4, 4}}});
}

TEST_CASE("programs may have other names") {
  auto other = second();
  other.call_paths[0].second = "main_v2";
  const Pair pair(small_report(), other);
  CHECK(pair.rows(Operation::kDiff, "visits") == Rows{{"main", {2, 0}}});
}

TEST_CASE("other numbers of ranks: sums over all") {
  auto other = second();
  other.ranks = 3;
  for (auto& [key, row] : other.values) row.push_back(10);
  const Pair pair(small_report(), other);
  const auto matching = pair.match();
  REQUIRE(matching);
  CHECK(matching->collapsed);
  REQUIRE(matching->notes.size() == 1);
  CHECK(matching->notes[0].find("ranks: 2, 3") != std::string::npos);
  //                                main 3 -> 14, visits 2 -> 14
  CHECK(pair.rows(Operation::kDiff, "time").at("main") == std::vector<double>{11});
  CHECK(pair.rows(Operation::kDiff, "visits").at("main") == std::vector<double>{12});
}

TEST_CASE("reports that share nothing, and units that differ") {
  auto other = second();
  other.call_paths[0].second = "x";
  for (auto& path : other.call_paths) path.second += "_other";
  const Pair strangers(small_report(), other);
  const auto nothing = strangers.match();
  REQUIRE_FALSE(nothing);
  CHECK(nothing.problem().what.find("share no call path") != std::string::npos);

  auto renamed = second();
  for (auto& metric : renamed.metrics) metric.name += "_x";
  renamed.metrics[2].parent = "time_x";
  const Pair metrics(small_report(), renamed);
  const auto none = metrics.match();
  REQUIRE_FALSE(none);
  CHECK(none.problem().what.find("share no metric") != std::string::npos);

  auto units = second();
  units.metrics[1].unit = "W";
  const Pair mixed(small_report(), units);
  const auto matching = mixed.match();
  REQUIRE(matching);
  REQUIRE(matching->notes.size() == 1);
  CHECK(matching->notes[0].find("its unit is W, not sec") != std::string::npos);
  CHECK(mixed.rows(Operation::kMean, "time").at("main") == std::vector<double>{0.5, 1});
}

TEST_CASE("reports with different metrics are put together, but not compared") {
  auto other = second();
  for (auto& metric : other.metrics) metric.name += "_x";
  other.metrics[2].parent = "time_x";
  std::map<std::pair<std::string, std::uint32_t>, std::vector<double>> values;
  for (const auto& [key, row] : other.values) values[{key.first + "_x", key.second}] = row;
  other.values = values;
  const test::TemporaryDirectory directory;
  auto a = written(small_report(), directory.path() / "a.cubex");
  auto b = written(other, directory.path() / "b.cubex");
  const std::array<Report*, 2> both = {&a, &b};
  CHECK_FALSE(match(both));
  const auto matching = match(both, Common::kCallPaths);
  REQUIRE(matching);
  auto merged = combine(Operation::kMerge, *matching, both);
  REQUIRE(merged);
  auto result = written(*merged, directory.path() / "merged.cubex");
  for (const auto& [metric, expected] : {std::pair("visits", Rows{{"main", {1, 1}}}),
                                         {"visits_x", Rows{{"main", {3, 1}}}},
                                         {"io_x", Rows{{"main/b/c", {4, 4}}}}}) {
    const auto found = result.values(result.find(metric));
    REQUIRE(found);
    CHECK(rows_of(result.definitions(), **found) == expected);
  }
}

TEST_CASE("what is said of the run is true of what was made of it") {
  const test::TemporaryDirectory directory;
  const auto with_extras = [&](const char* name, std::uint32_t ranks, double duration) {
    auto small = small_report();
    small.ranks = ranks;
    for (auto& [key, row] : small.values) row.resize(ranks, 1);
    auto made = test::combined(small);
    made.definitions.document = std::make_shared<const nlohmann::json>(nlohmann::json{
        {"schema_version", 1},
        {"program", {{"name", "main"}}},
        {"run", {{"ranks", ranks}, {"duration", duration}}},
        {"efficiency", {{"parallel", 0.5}}},
        {"messages", {{"sizes", 1}}},
        {"time_slices", {{"count", 1}, {"metrics", {{"mpi", {{1}}}, {"time", {{2}}}}}}}});
    return written(made, directory.path() / name);
  };
  auto two = with_extras("two.cubex", 2, 4), slower = with_extras("slower.cubex", 2, 6),
       three = with_extras("three.cubex", 3, 5);
  const auto extras = [](Operation operation, Report& a, Report& b) {
    const std::array<Report*, 2> both = {&a, &b};
    const auto matching = match(both);
    REQUIRE(matching);
    return nlohmann::json::parse(extras_text(combine(operation, *matching, both)->definitions, {}));
  };
  CHECK(extras(Operation::kMean, two, slower)["run"]["duration"] == 5.0);
  CHECK(extras(Operation::kMerge, two, slower)["run"]["duration"] == 0.0);
  CHECK(extras(Operation::kMerge, two, two)["run"]["duration"] == 4.0);
  CHECK(extras(Operation::kDiff, two, slower)["run"]["duration"] == 0.0);
  CHECK_FALSE(extras(Operation::kMerge, two, slower)["operation"].contains("ranks"));
  CHECK(extras(Operation::kMerge, two, three)["operation"]["ranks"] == nlohmann::json({2, 3}));

  const auto of_cut = [&](const Cut& parts) {
    auto made = cut(two, parts);
    REQUIRE(made);
    return *made->definitions.document;
  };
  for (const Cut& parts : {Cut{{false, false, true}, {}, {}}, Cut{{}, {false, false, true}, {}}}) {
    const auto left = of_cut(parts);
    CHECK_FALSE(left.contains("efficiency"));
    CHECK_FALSE(left.contains("messages"));
    CHECK_FALSE(left.contains("time_slices"));
    CHECK(left["program"]["name"] == "main");
    CHECK(left["operation"]["name"] == "cut");
  }
  const auto metrics = of_cut({{}, {}, {false, false, true}});  // the whole program, visits only
  CHECK(metrics["efficiency"]["parallel"] == 0.5);
  CHECK(metrics["time_slices"]["metrics"].empty());
  CHECK(of_cut({{}, {}, {false, true}})["time_slices"]["metrics"].size() == 2);
}
