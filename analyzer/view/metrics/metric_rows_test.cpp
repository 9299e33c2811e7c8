// SPDX-License-Identifier: BSD-3-Clause
// Choosing call paths by name, and the sums of chosen metrics.
#include "analyzer/view/metrics/metric_rows.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "analyzer/view/metrics/call_path_pattern.hpp"
#include "analyzer/view/metrics/metric_table.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/colours.hpp"

using namespace latecomer;
using namespace latecomer::view;

namespace {

// The call tree main(a(MPI_Send), b(a(MPI_Send)), ns::f<int>(int), x/y)
report::Definitions paths() {
  report::Definitions d;
  for (const char* name : {"main", "a", "MPI_Send", "b", "void ns::f<int>(int)", "x/y"}) {
    d.regions.push_back({name, "", "", "", ""});
  }
  d.call_paths = {{report::kNone, 0}, {0, 1}, {1, 2}, {0, 3}, {3, 1}, {5 - 1, 2}, {0, 4}, {0, 5}};
  return d;
}

std::string chosen(const std::string& pattern) {
  const auto flags = at_or_below(paths(), pattern);
  if (!flags) return flags.problem().what;
  std::string text;
  for (const bool flag : *flags) text += flag ? '1' : '0';
  return text;
}

}  // namespace

TEST_CASE("call paths that are too deep to name each") {
  report::Definitions d;
  d.regions.push_back({"f", "", "", "", ""});
  // A chain of n call paths has n (n + 1) / 2 names; 20 million are allowed.
  for (std::uint32_t c = 0; c < 6324; ++c)
    d.call_paths.push_back({c == 0 ? report::kNone : c - 1, 0});
  CHECK(can_name_all(d));
  d.call_paths.push_back({6323, 0});
  const auto status = can_name_all(d);
  REQUIRE_FALSE(status);
  CHECK(status.problem().what.find("6,325 call paths, up to 6,325 functions deep") !=
        std::string::npos);
}

TEST_CASE("patterns of names") {
  CHECK(fits("MPI_*", "MPI_Send"));
  CHECK(fits("*", ""));
  CHECK(fits("*a*b?", "xxaayyabz"));
  CHECK(fits("main", "main"));
  CHECK_FALSE(fits("main", "mai"));
  CHECK_FALSE(fits("ma?", "main"));
  CHECK_FALSE(fits("*b", "abc"));
  CHECK_FALSE(fits("", "a"));
}

TEST_CASE("call paths that fit a pattern, and all below them") {
  //   columns: main a Send b a Send f x/y
  CHECK(chosen("main") == "11111111");
  CHECK(chosen("a") == "01101100");
  CHECK(chosen("b/a") == "00001100");
  CHECK(chosen("b > a > MPI_*") == "00000100");
  CHECK(chosen("MPI_?end") == "00100100");
  CHECK(chosen("ns::f") == "00000010");
  CHECK(chosen("void ns::f<int>(int)") == "00000010");
  CHECK(chosen("x/y") == "00000001");
  CHECK(chosen("MPI_Sned") == "no call path fits MPI_Sned; the nearest name is MPI_Send");
}

TEST_CASE("colours only where they are wanted") {
  CHECK(Colours(false).paint("x", Tone::kStrong) == "x");
  CHECK(Colours(true).paint("x", Tone::kStrong) == "\x1b[1;31mx\x1b[0m");
  CHECK(Colours(true).paint("x", Tone::kPlain) == "x");
  CHECK(Colours::of_share(1, 2) == Tone::kStrong);
  CHECK(Colours::of_share(-1, 5) == Tone::kMedium);
  CHECK(Colours::of_share(1, 1000) == Tone::kFaint);
  CHECK(Colours::of_share(1, 0) == Tone::kFaint);
}

TEST_CASE("values by call path, rank and part add up to the whole") {
  auto report = report::Report::open(LATECOMER_EXAMPLE_REPORT);
  REQUIRE(report);
  Choice choice;
  const auto tree = metric_rows(*report, choice);
  REQUIRE(tree);
  REQUIRE(tree->columns.size() == 1);
  CHECK(tree->columns[0].metric == "time");
  const double total = tree->columns[0].total;
  double own = 0;
  for (const auto& row : tree->rows) own += row.own[0];
  CHECK(own == Approx(total));
  CHECK(tree->rows.front().values[0] == Approx(total));
  choice.by = By::kRank;
  const auto ranks = metric_rows(*report, choice);
  REQUIRE(ranks);
  double sum = 0;
  for (const auto& row : ranks->rows) sum += row.values[0];
  CHECK(sum == Approx(total));
  choice.by = By::kCallPath;
  choice.top = 1;
  const auto top = metric_rows(*report, choice);
  REQUIRE(top);
  CHECK(top->rows.size() == 1);
  CHECK(metric_text(*top, Colours(false)).find("smaller one") != std::string::npos);
  choice.metrics = {"tiem"};
  const auto unknown = metric_rows(*report, choice);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.problem().what.find("the nearest is time") != std::string::npos);
  CHECK(unknown.problem().status == Exit::kUsage);
}

TEST_CASE("values are shown in their unit") {
  CHECK(value_text(1234567, "occ", 1234567) == "1,234,567");
  CHECK(value_text(-12, "bytes", 12) == "-12");
  CHECK(value_text(0.5, "sec", 12.5) == "0.50");
  CHECK(value_text(1.5, "occ", 1.5) == "1.500");
}
