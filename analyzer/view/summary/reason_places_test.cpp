// SPDX-License-Identifier: BSD-3-Clause
// Places of reasons, weighed by delay costs.
#include "analyzer/view/summary/reason_places.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "analyzer/view/summary/show.hpp"
#include "analyzer/view/summary/summary.hpp"
#include "tests/report/cube_file.hpp"
#include "tests/report/small_reports.hpp"

using namespace latecomer;
using namespace latecomer::view;
using report::kNone;

namespace {

// main > work (4 s on rank 0, 2 s on rank 1), main > write (3 s on rank 1).
test::SmallReport late() {
  return {{{"time", "", "sec"},
           {"mpi", "time", "sec"},
           {"mpi_barrier_wait", "mpi", "sec"},
           {"delay", "", "sec"},
           {"delay_mpi", "delay", "sec"},
           {"delay_reasons", "", "sec"},
           {"delay_blocked", "delay_reasons", "sec"},
           {"delay_in_files", "delay_reasons", "sec"}},
          {{kNone, "main"}, {0, "work"}, {0, "write"}},
          2,
          {{{"time", 1}, {20, 20}},
           {{"mpi", 1}, {9, 0}},
           {{"mpi_barrier_wait", 1}, {9, 0}},
           {{"delay_mpi", 1}, {4, 2}},
           {{"delay_mpi", 2}, {0, 3}},
           {{"delay_blocked", 1}, {4, 2}},
           {{"delay_in_files", 2}, {0, 3}}}};
}

report::LongerComputation blocked(std::uint32_t location, const char* function, std::uint32_t line,
                                  double seconds, double all) {
  return {.call_path = 1,
          .location = location,
          .delay_costs = all,
          .not_computing = {.blocked = all},
          .blocked = {{.function = function,
                       .caller = "rest",
                       .file = "/a/heat.c",
                       .line = line,
                       .seconds = seconds}}};
}

Summary summary_with(report::Extras extras) {
  const test::TemporaryDirectory directory;
  auto made = test::combined(late());
  made.definitions.extras = std::make_shared<const report::Extras>(std::move(extras));
  auto report = test::written(made, directory.path() / "r.cubex");
  auto summary = summarize(report);
  REQUIRE(summary);
  return *summary;
}

std::string place(const Summary& summary, const std::string& metric) {
  for (const auto& reason : summary.delay_reasons) {
    if (reason.metric == metric) return reason.place;
  }
  return "no such reason";
}

}  // namespace

TEST_CASE("the call in which ranks were blocked, and the file") {
  // Rank 0's 4 s of 6 s are in usleep, and half of rank 1's 2 s. These 5 s are not nearly all.
  report::Extras extras;
  extras.results.emplace().longer_computation = {blocked(0, "usleep", 12, 3, 3),
                                                 blocked(1, "usleep", 12, 2, 4)};
  extras.results->file_uses = {{.call_path = 2, .location = 1, .file = "/a/out.bin", .writing = 3}};
  const auto summary = summary_with(extras);
  CHECK(place(summary, "delay_blocked") == " mostly in usleep (heat.c:12)");
  CHECK(place(summary, "delay_in_files") == " (out.bin)");
  const std::string text = show_text(summary);
  CHECK(text.find("delay_blocked mostly in usleep (heat.c:12) 67 %, ") != std::string::npos);
  CHECK(text.find("delay_in_files (out.bin) 33 %") != std::string::npos);
  CHECK(show_json(summary)["delay_reasons"][0]["place"] == "mostly in usleep (heat.c:12)");
}

TEST_CASE("places of which none has half of the costs") {
  // 2 of 6 s in recv, 2 of 6 s in usleep; nothing is known of files.
  report::Extras extras;
  extras.results.emplace().longer_computation = {blocked(0, "usleep", 12, 2, 4),
                                                 blocked(1, "recv", 33, 4, 4)};
  const auto summary = summary_with(extras);
  CHECK(place(summary, "delay_blocked").empty());
  CHECK(place(summary, "delay_in_files").empty());
}
