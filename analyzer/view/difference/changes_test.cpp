// SPDX-License-Identifier: BSD-3-Clause
// The order in which changes between two reports are listed, and their texts.
#include "analyzer/view/difference/changes.hpp"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/view/difference/changes_table.hpp"
#include "analyzer/view/metrics/export.hpp"
#include "tests/report/cube_file.hpp"
#include "tests/report/formula_report.hpp"
#include "tests/report/small_reports.hpp"

using namespace latecomer;
using namespace latecomer::view;
using report::kNone;

namespace {

// A report of main(MPI_Allreduce). Rank 0 computes `more` seconds longer; the other two wait for
// it.
test::SmallReport run(double more) {
  return {{{"time", "", "sec"},
           {"comp", "time", "sec"},
           {"mpi", "time", "sec"},
           {"mpi_wait_nxn", "mpi", "sec"},
           {"visits", "", "occ"},
           {"delay", "", "sec"},
           {"delay_mpi", "delay", "sec"}},
          {{kNone, "main"}, {0, "MPI_Allreduce"}},
          3,
          {{{"time", 0}, {4 + more, 4, 4}},
           {{"comp", 0}, {4 + more, 4, 4}},
           {{"time", 1}, {1, 1 + more, 1 + more}},
           {{"mpi", 1}, {1, 1 + more, 1 + more}},
           {{"mpi_wait_nxn", 1}, {0.5, 0.5 + more, 0.5 + more}},
           {{"visits", 1}, {10, 10, 10}},
           {{"delay", 0}, {2 * more, 0, 0}},
           {{"delay_mpi", 0}, {2 * more, 0, 0}}}};
}

Changes changes(const test::SmallReport& a, const test::SmallReport& b,
                const std::vector<std::string>& metrics = {}) {
  const test::TemporaryDirectory directory;
  auto before = test::written(a, directory.path() / "a.cubex");
  auto after = test::written(b, directory.path() / "b.cubex");
  const std::array<report::Report*, 2> both = {&before, &after};
  const auto matching = report::match(both);
  REQUIRE(matching);
  auto found = find_changes(before, after, *matching, metrics);
  if (!found) FAIL(found.problem().text());
  return std::move(*found);
}

}  // namespace

TEST_CASE("what caused the waiting comes before the waiting") {
  // Computation of main is +1 and caused +2 of waiting: weight 3. The waiting itself has weight 2.
  const auto found = changes(run(0), run(1));
  REQUIRE(found.changes.size() == 2);
  CHECK(found.changes[0].metric == "comp");
  CHECK(found.changes[0].call_path == std::vector<std::string>{"main"});
  CHECK(found.changes[0].value.before == Approx(12));
  CHECK(found.changes[0].value.change() == Approx(1));
  CHECK(found.changes[0].caused == Approx(2));
  REQUIRE(found.changes[0].ranks.size() == 1);
  CHECK(found.changes[0].ranks[0].rank == 0);
  CHECK(found.changes[1].metric == "mpi_wait_nxn");
  CHECK(found.changes[1].value.change() == Approx(2));
  CHECK(found.changes[1].ranks.size() == 2);
  CHECK(found.changes[1].caused == 0);
  const auto text = changes_text(found, 10, Colours(false));
  CHECK(text.find("0: 100%") != std::string::npos);
  CHECK(text.find("\x1b") == std::string::npos);
}

TEST_CASE("what a report does not tell is not compared") {
  // A was only watched: without causes, and it knows of Wait at N x N only. B also has a scan, at
  // which it waited 3 s.
  const test::TemporaryDirectory directory;
  auto watched = test::combined(run(0));
  report::Extras extras;
  extras.tells = {"time", "comp", "mpi", "mpi_wait_nxn", "visits"};
  watched.definitions.extras = std::make_shared<report::Extras>(extras);
  auto traced = run(0);
  traced.metrics.push_back({"mpi_earlyscan", "mpi", "sec"});
  traced.values[{"mpi_earlyscan", 1}] = {1, 1, 1};
  traced.values[{"delay_mpi", 0}] = {5, 0, 0};
  traced.values[{"visits", 0}] = {1, 1, 1};  // of main, which is no function of MPI
  auto before = test::written(watched, directory.path() / "a.cubex");
  auto after = test::written(traced, directory.path() / "b.cubex");
  const std::array<report::Report*, 2> both = {&before, &after};
  const auto matching = report::match(both);
  REQUIRE(matching);
  const auto found = find_changes(before, after, *matching, {});
  REQUIRE(found);
  CHECK(found->changes.empty());
  CHECK(found->causes.empty());
  CHECK(found->before.waiting == Approx(1.5));
  CHECK(found->after.waiting == Approx(1.5));  // without the scan
  for (const auto& total : found->totals) CHECK(extras.told(total.metric));
  REQUIRE(found->notes.size() == 2);
  CHECK(found->notes[0].find("a.cubex was only watched; not compared") != std::string::npos);
}

TEST_CASE("a call path caused waiting once, whatever metrics of it changed") {
  auto before = run(0), after = run(1);
  // This call path also needs longer for something small that is not computation.
  for (auto* one : {&before, &after}) one->metrics.push_back({"io", "time", "sec"});
  before.values[{"io", 0}] = {0, 0, 0};
  after.values[{"io", 0}] = {0.25, 0, 0};
  after.values[{"time", 0}][0] += 0.25;
  const auto found = changes(before, after);
  REQUIRE(found.changes.size() == 3);
  double caused = 0;
  for (const auto& change : found.changes) caused += change.caused;
  CHECK(caused == Approx(2));
  CHECK(found.changes[0].metric == "comp");
  CHECK(found.changes[0].caused == Approx(2));
}

TEST_CASE("waiting is shown at the sampled function that changed, not at its caller") {
  // Delay costs stay at main. Its computing time is that of work, which only samples know: it has
  // no visits. The calls of main and MPI_Allreduce are counted.
  auto before = run(0), after = run(1);
  for (auto* one : {&before, &after}) {
    one->call_paths.push_back({0, "work"});
    one->values[{"visits", 0}] = {1, 1, 1};
    for (const char* metric : {"time", "comp"}) {
      one->values[{metric, 2}] = one->values[{metric, 0}];
      one->values[{metric, 0}] = {0, 0, 0};
    }
  }
  // Of main itself 0.25 s are new.
  for (const char* metric : {"time", "comp"}) after.values[{metric, 0}] = {0.25, 0, 0};
  const auto found = changes(before, after);
  REQUIRE(found.changes.size() == 3);
  CHECK(found.changes[0].call_path == std::vector<std::string>{"main", "work"});
  CHECK(found.changes[0].caused == Approx(2));
  CHECK(found.changes[2].call_path == std::vector<std::string>{"main"});
  CHECK(found.changes[2].caused == 0);
}

TEST_CASE("why a call path made others wait in each run") {
  const test::TemporaryDirectory directory;
  const auto written = [&](double more, const report::LongerComputation& longer, const char* name) {
    auto one = test::combined(run(more));
    report::Extras extras;
    extras.results.emplace().longer_computation = {longer};
    extras.results->computation.emplace().samples = 100;
    one.definitions.extras = std::make_shared<const report::Extras>(extras);
    return test::written(one, directory.path() / name);
  };
  auto a = written(1, {.delay_costs = 1, .not_computing = {.blocked = 1}}, "a.cubex");
  auto b = written(2, {.delay_costs = 2, .not_computing = {.preempted = 2}}, "b.cubex");
  const std::array<report::Report*, 2> both = {&a, &b};
  const auto matching = report::match(both);
  REQUIRE(matching);
  const auto found = find_changes(a, b, *matching, {});
  REQUIRE(found);
  REQUIRE(found->causes.size() == 1);
  CHECK(found->causes[0].seconds.change() == Approx(2));
  const auto text = changes_text(*found, 10, Colours(false));
  CHECK(text.find("cause:  main made others wait 2.000 s longer\n"
                  "        A: it was blocked for 1.000 s of the waiting: asleep") !=
        std::string::npos);
  CHECK(text.find("        B: it had no core for 2.000 s of the waiting, since something else "
                  "ran there") != std::string::npos);
  CHECK(text.find("No function changed by more") != std::string::npos);
  const auto json = changes_json(*found);
  CHECK(json["causes"][0]["how"]["before"].get<std::string>().starts_with("it was blocked"));
  CHECK(json["computation"]["functions"].empty());
}

TEST_CASE("nothing changed; less; named metrics") {
  CHECK(changes(run(1), run(1)).changes.empty());
  CHECK(changes_text(changes(run(1), run(1)), 10, Colours(false)).find("No value differs.") !=
        std::string::npos);
  const auto faster = changes(run(2), run(0));
  CHECK(faster.changes[0].metric == "comp");
  CHECK(faster.changes[0].value.change() == Approx(-2));
  const auto mpi = changes(run(0), run(1), {"mpi"});
  REQUIRE(mpi.changes.size() == 1);  // including its parts
  CHECK(mpi.changes[0].value.change() == Approx(2));
  CHECK(mpi.changes[0].value.before == Approx(3));
}

TEST_CASE("what is missing in a partial report may be missing data") {
  auto found = changes(run(1), run(0));
  const auto text = [&found] { return changes_text(found, 10, Colours(false)); };
  found.changes[0].value.after = 0;
  CHECK(text().find("gone") != std::string::npos);
  CHECK(text().find("gone?") == std::string::npos);
  CHECK(text().find("note: B is partial") == std::string::npos);
  found.after.partial = true;
  found.after.quality = {{"truncated_locations", 1, "thread that is cut: analyzed", true, {}}};
  CHECK(text().find("gone?") != std::string::npos);
  CHECK(text().find("note: B is partial (1 thread that is cut): where B has less or nothing, its "
                    "data may be missing, not the time\n") != std::string::npos);
  CHECK(changes_json(found)["notes"].empty());

  auto more = changes(run(0), run(1));
  more.changes[0].value.before = 0;
  more.before.partial = true;
  const auto other = changes_text(more, 10, Colours(false));
  CHECK(other.find("new?") != std::string::npos);
  CHECK(other.find("note: A is partial") != std::string::npos);
}

TEST_CASE("what matters to the time of all ranks is listed; many times nothing is no measure") {
  // Computation 12 s, +1 s; "io" 0.4 ms, +1.2 s; "lock" 0.1 ms, +1 ms: less than 0.05 % of 15 s.
  auto before = run(0), after = run(1);
  for (auto* one : {&before, &after}) {
    one->metrics.push_back({"io", "time", "sec"});
    one->metrics.push_back({"lock", "time", "sec"});
  }
  const auto add = [](auto& report, double io, double lock) {
    report.values[{"io", 0}] = {io, 0, 0};
    report.values[{"lock", 0}] = {lock, 0, 0};
    report.values[{"time", 0}][0] += io + lock;
  };
  add(before, 0.0004, 0.0001);
  add(after, 1.2, 0.0011);
  const auto found = changes(before, after);
  CHECK(found.changes.size() == 4);  // JSON lists all
  const auto text = changes_text(found, 10, Colours(false));
  CHECK(text.find("  lock ") == std::string::npos);
  CHECK(text.find("and 1 smaller one, see --json") != std::string::npos);
  const auto io = text.find("  io ");
  REQUIRE(io != std::string::npos);
  CHECK(text.substr(io, text.find('\n', io) - io).find(" - ") != std::string::npos);
  CHECK(text.find("x 3000") == std::string::npos);
}

TEST_CASE("names with a slash are told from call paths in CSV") {
  const test::TemporaryDirectory directory;
  const test::SmallReport small = {{{"time", "", "sec"}},
                                   {{kNone, "main"}, {0, "a/b"}, {1, "c\\d"}},
                                   1,
                                   {{{"time", 1}, {1}}, {{"time", 2}, {2}}}};
  auto report = test::written(small, directory.path() / "slash.cubex");
  std::ostringstream out;
  REQUIRE(export_csv(report, out));
  CHECK(out.str().find("\ntime,main/a\\/b,") != std::string::npos);
  CHECK(out.str().find("\ntime,main/a\\/b/c\\\\d,") != std::string::npos);
  CHECK(out.str().find("# call_path: names from the root, separated by /") != std::string::npos);
}

TEST_CASE("relative changes") {
  CHECK(relative(2, 3) == "+50.0");
  CHECK(relative(2, 1) == "-50.0");
  CHECK(relative(0, 1) == "new");
  CHECK(relative(1, 0) == "gone");
  CHECK(relative(0, std::numeric_limits<double>::quiet_NaN()) == "gone");
  CHECK(relative(0, 0) == "0.0");
  CHECK(relative(1, 10001) == "x 10001");
  const double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(relative(none, 1) == "new");
  CHECK(relative(1, none) == "gone");
  CHECK(relative(none, none) == "0.0");
}

TEST_CASE("ratios are evaluated in both reports, then compared") {
  // E spends 9 and 10 s in MPI, before 4.5 and 5: the share of MPI is 32.5 / 105, before 23 / 105.
  const test::TemporaryDirectory directory;
  const auto metrics =
      test::derived_xml(2, "share", "POSTDERIVED", "100 * metric::mpi() / metric::time()") +
      test::derived_xml(3, "cost", "POSTDERIVED", "metric::time() / metric::mpi()") +
      test::extrema_xml(4);
  const auto open = [&](const char* name, const std::vector<double>& mpi) {
    test::write_formula_report(directory.path() / name, metrics, mpi, test::extrema_data(4));
    auto report = report::Report::open(directory.path() / name);
    REQUIRE(report);
    return std::move(*report);
  };
  auto before = open("a", {4.5, 5, 6.5, 7}), after = open("b", {9, 10, 6.5, 7});
  const std::array<report::Report*, 2> both = {&before, &after};
  const auto matching = report::match(both);
  REQUIRE(matching);
  const auto found = find_changes(before, after, *matching, {});
  REQUIRE(found);
  CHECK(found->notes.empty());
  REQUIRE(found->ratios.size() == 4);
  const auto& share = found->ratios[0];
  CHECK(share.metric == "share");
  CHECK(share.total.before == Approx(100 * 23.0 / 105));
  CHECK(share.total.change() == Approx(100 * 9.5 / 105));
  REQUIRE(share.places.size() == 3);  // E, B with E, A with all; C is unchanged
  CHECK(share.places[0].call_path == std::vector<std::string>{"A", "B", "E"});
  CHECK(share.places[0].value.before == 50);
  CHECK(share.places[0].own.change() == 50);
  CHECK(share.places[1].call_path == std::vector<std::string>{"A", "B"});
  CHECK(share.places[1].value.change() == Approx(100 * 9.5 / 52));
  CHECK(share.places[1].own.change() == 0);
  // Call paths without MPI have no value in either report.
  CHECK(found->ratios[1].total.change() == Approx(105 / 32.5 - 105 / 23.0));
  CHECK(found->ratios[1].places.size() == 3);
  for (const std::size_t i : {2, 3}) {
    CHECK_FALSE(found->ratios[i].total.differs());
    CHECK(found->ratios[i].places.empty());
  }
  // Ratios are chosen by name; a name of another metric chooses no ratio.
  const auto named = find_changes(before, after, *matching, {"cost"});
  REQUIRE(named);
  CHECK(named->changes.empty());
  REQUIRE(named->ratios.size() == 1);
  const auto text = changes_text(*named, 1, Colours(false));
  CHECK(text.find("No value differs") == std::string::npos);
  CHECK(text.find("  cost               (all)") != std::string::npos);
  CHECK(text.find("  and 1 smaller one, see --top") != std::string::npos);
  const auto mpi = find_changes(before, after, *matching, {"mpi"});
  REQUIRE(mpi);
  CHECK(mpi->ratios.empty());
  CHECK(mpi->changes.size() == 1);
  // JSON has null for a value that is not a number.
  auto nothing = *found;
  nothing.ratios[0].total.before = std::numeric_limits<double>::quiet_NaN();
  const auto json = nlohmann::json::parse(changes_json(nothing).dump());
  CHECK(json["ratios"][0]["before"].is_null());
  CHECK(json["ratios"][0]["change"].is_null());
  CHECK(json["ratios"][0]["call_paths"][0]["after"] == 100);
  CHECK(json["ratios"][0]["call_paths"][0]["own"]["before"] == 50);
}
