// SPDX-License-Identifier: BSD-3-Clause
// latecomer-stuck: says who waits for whom in a run that hangs, or that was killed.
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "archive/output/checked_output.hpp"
#include "archive/problem_text.hpp"
#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/stuck/rank_states.hpp"
#include "tracer/stuck/stuck_report.hpp"

namespace {

using latecomer::Exit;
using latecomer::problem_text;
namespace stuck = latecomer::stuck;

constexpr const char* kUsage =
    "usage: latecomer stuck [--json] EXPERIMENT\n"
    "\n"
    "Says which rank of a run is in which call, since when, and who waits for whom. The run goes "
    "on\n"
    "undisturbed. Of a run that was killed, the records say how it ended.\n"
    "\n"
    "Exit status: 0 no rank waits for something that cannot come; 1 ranks do; 2 wrong usage; 3 no\n"
    "records; 4 some ranks cannot be seen from here.\n";

// Pause between two looks. Ranks that do something in between are not stuck.
constexpr std::chrono::milliseconds kPause{500};

int fail(const latecomer::Problem& problem) {
  std::fputs(problem_text(problem).c_str(), stderr);
  return static_cast<int>(problem.status);
}

latecomer::Status made_by_this_release(const stuck::RunView& run) {
  for (const auto& view : run.ranks) {
    for (const auto& d : view.definitions.properties) {
      if (d.name != latecomer::convert::kMpiTableProperty ||
          d.value == latecomer::convert::mpi_table_name())
        continue;
      return latecomer::Problem{"the records of rank " + std::to_string(view.rank) +
                                    " were made by another release of Latecomer than this one",
                                "use the latecomer of the library that records them"};
    }
  }
  return latecomer::success();
}

std::vector<std::string> notes_of(const stuck::StuckReport& report, const stuck::RunView& run) {
  std::vector<std::string> notes;
  std::vector<std::uint32_t> unseen;
  for (const auto& rank : report.ranks) {
    if (rank.standing == stuck::Standing::kUnseen) unseen.push_back(rank.rank);
  }
  if (!unseen.empty()) {
    notes.push_back(std::to_string(unseen.size()) + " of " + std::to_string(report.ranks.size()) +
                    " ranks cannot be seen from here: " + stuck::ranks_text(unseen));
  }
  constexpr std::size_t kShown = 5;
  for (const auto& view : run.ranks) {
    for (const auto& problem : view.problems) {
      if (notes.size() < kShown) notes.push_back(problem);
    }
  }
  return notes;
}

int run(const std::string& directory, bool as_json) {
  auto read = stuck::read_run(directory);
  if (!read) return fail(read.problem());
  if (const auto release = made_by_this_release(*read); !release) return fail(release.problem());
  stuck::StuckReport report;
  report.experiment = directory;
  std::vector<bool> moved;
  for (const auto& view : read->ranks)
    report.running = report.running || view.life == stuck::Life::kRunning;
  if (report.running) {
    std::this_thread::sleep_for(kPause);
    moved = stuck::moved_since(directory, *read);
  }
  report.ranks = stuck::describe(*read, moved);
  report.standstill = stuck::find_standstill(report.ranks);
  report.notes = notes_of(report, *read);
  if (as_json) {
    std::cout << stuck::json_of(report).dump(2, ' ', false,
                                             nlohmann::json::error_handler_t::replace)
              << '\n';
  } else {
    std::cout << stuck::text_of(report);
  }
  if (report.standstill.is_deadlock()) return static_cast<int>(Exit::kCheckFailed);
  const bool partial = std::ranges::any_of(report.ranks, [](const stuck::RankState& rank) {
    return rank.standing == stuck::Standing::kUnseen;
  });
  return static_cast<int>(partial ? Exit::kPartial : Exit::kOk);
}

int run(int argc, char** argv) {
  std::string directory;
  bool as_json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::fputs(kUsage, stdout);
      return static_cast<int>(Exit::kOk);
    }
    if (argument == "--json") {
      as_json = true;
    } else if (argument.starts_with("-") || !directory.empty()) {
      std::fputs(kUsage, stderr);
      return static_cast<int>(Exit::kUsage);
    } else {
      directory = argument;
    }
  }
  if (directory.empty()) {
    std::fputs(kUsage, stderr);
    return static_cast<int>(Exit::kUsage);
  }
  try {
    return run(directory, as_json);
  } catch (const std::exception& error) {
    return fail({"cannot read " + directory + ": " + error.what(), "", Exit::kBadInput});
  }
}

}  // namespace

int main(int argc, char** argv) {
  latecomer::hold_streams();
  return latecomer::checked_output(run(argc, argv));
}
