// SPDX-License-Identifier: BSD-3-Clause
// latecomer-repair: makes an archive from what a killed run left behind.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include "archive/layout.hpp"
#include "archive/output/checked_output.hpp"
#include "archive/printable.hpp"
#include "archive/problem_text.hpp"
#include "archive/settings.hpp"
#include "archive/shell_word.hpp"
#include "tracer/convert/repair.hpp"
#include "tracer/filter/filter.hpp"
#include "tracer/stuck/rank_states.hpp"

namespace {

using latecomer::Exit;
using latecomer::printable;
using latecomer::problem_text;

constexpr const char* kUsage =
    "usage: latecomer repair [--keep-records] EXPERIMENT\n"
    "       latecomer-repair --check-filter FILE\n"
    "\n"
    "Makes a trace archive of the records that a run left in EXPERIMENT when it was killed or "
    "could\n"
    "not write its archive. The records are removed if everything that was recorded is in the\n"
    "archive, unless --keep-records is given. An archive that was complete is never changed.\n"
    "--check-filter says what is wrong in a file for scan --filter, as scan does before a run.\n"
    "\n"
    "Exit status: 0 ok, also if there was nothing to do; 2 wrong usage; 3 no records, or no "
    "archive\n"
    "could be made; 4 partial: processes did not reach MPI_Finalize or left no records, records\n"
    "are lost, or files of an archive that was complete are cut or missing.\n";

void print(const char* what, const std::vector<std::uint32_t>& ranks) {
  if (ranks.empty()) return;
  std::string text;
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < ranks.size() && i < kShown; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  if (ranks.size() > kShown) text += ", ...";
  std::printf("%s: %zu (rank%s %s)\n", what, ranks.size(), ranks.size() == 1 ? "" : "s",
              text.c_str());
}

int fail(const latecomer::Problem& problem) {
  std::fputs(problem_text(problem).c_str(), stderr);
  return static_cast<int>(problem.status);
}

// Problem of an archive that was complete before.
latecomer::Problem lost_since(const std::string& directory, const std::vector<std::string>& lost) {
  constexpr std::size_t kShown = 4;
  std::string files;
  for (std::size_t i = 0; i < lost.size() && i < kShown; ++i) {
    files += (i == 0 ? "" : ", ") + lost[i];
  }
  if (lost.size() > kShown) files += ", ...";
  std::error_code ignored;
  const bool has_records = std::filesystem::exists(
      std::filesystem::path(directory) / latecomer::layout::kRecords, ignored);
  const bool readable = lost.front().find('/') != std::string::npos;
  const std::string here = latecomer::shell_word(directory);
  std::string next = "copy the archive again from where it was recorded, or ";
  if (has_records) {
    next += "make it again from the records: move traces.otf2, traces.def and traces/ out of " +
            here + ", then latecomer repair " + here;
  } else if (readable) {
    next += "analyze what is there: scan -a " + here;
  } else {
    next += "record the run again";
  }
  return {directory + ": the archive was complete, but " + std::to_string(lost.size()) +
              " of its files " + (lost.size() == 1 ? "was" : "were") +
              " cut or lost since: " + files,
          next, readable ? Exit::kPartial : Exit::kBadInput};
}

// Threads that waited for locks of each other when the run ended. Nothing that goes wrong here may
// keep the archive from being made.
std::vector<std::string> lock_circles(const std::string& directory) try {
  namespace stuck = latecomer::stuck;
  auto run = stuck::read_run(directory);
  if (!run) return {};
  std::vector<std::string> circles;
  for (const stuck::RankState& rank : stuck::describe(*run, {})) {
    const stuck::LockWaits waits = stuck::find_lock_waits(rank.lock_threads);
    for (const stuck::LockWaits::Sentence& sentence : waits.sentences) {
      if (sentence.is_circle)
        circles.push_back("rank " + std::to_string(rank.rank) + ": " + sentence.text);
    }
  }
  return circles;
} catch (const std::exception&) {
  return {};
}

int run(const std::string& directory) {
  const auto result =
      latecomer::convert::repair(directory, [&directory] { return lock_circles(directory); });
  if (!result) return fail(result.problem());
  const latecomer::convert::RepairReport& report = *result;
  if (!report.lost_files.empty()) return fail(lost_since(directory, report.lost_files));
  if (report.already_complete) {
    std::printf(
        "%s has a complete archive already: nothing to repair, nothing was changed\n"
        "next: scan -a %s\n",
        printable(directory).c_str(), latecomer::shell_word(directory).c_str());
    return static_cast<int>(Exit::kOk);
  }
  std::printf("%s: %llu event%s of %u process%s\n", printable(directory).c_str(),
              static_cast<unsigned long long>(report.events), report.events == 1 ? "" : "s",
              report.processes, report.processes == 1 ? "" : "es");
  print("without MPI_Finalize", report.unfinished);
  print("without records", report.missing);
  if (report.records_lost != 0) {
    std::printf("records lost: at least %llu\n",
                static_cast<unsigned long long>(report.records_lost));
  }
  if (report.records_mended != 0) {
    std::printf("records left out, regions closed: %llu\n",
                static_cast<unsigned long long>(report.records_mended));
  }
  for (const std::string& circle : report.lock_circles) {
    std::printf("stuck: %s\n", printable(circle).c_str());
  }
  for (const std::string& note : report.notes) std::printf("note: %s\n", printable(note).c_str());
  if (!latecomer::convert::keeps_records(report)) {
    std::error_code ignored;
    std::filesystem::remove_all(std::filesystem::path(directory) / latecomer::layout::kRecords,
                                ignored);
  }
  std::printf("next: scan -a %s\n", latecomer::shell_word(directory).c_str());
  const bool whole = !report.partial() && report.unfinished.empty();
  return static_cast<int>(whole ? Exit::kOk : Exit::kPartial);
}

int run(int argc, char** argv) {
  std::string directory;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::fputs(kUsage, stdout);
      return static_cast<int>(Exit::kOk);
    }
    if (argument == "--check-filter" && i + 2 == argc) {
      const auto filter = latecomer::user::read_filter(argv[i + 1]);
      return filter ? static_cast<int>(Exit::kOk) : fail(filter.problem());
    }
    if (argument == "--keep-records") {
      setenv("LATECOMER_KEEP_RECORDS", "1", 1);
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
  const latecomer::Status settings = latecomer::check_settings();
  if (!settings) {
    std::fputs(problem_text(settings.problem()).c_str(), stderr);
    return static_cast<int>(Exit::kUsage);
  }
  try {
    return run(directory);
  } catch (const std::exception& error) {
    return fail(
        {std::string("cannot repair ") + directory + ": " + error.what(), "", Exit::kBadInput});
  }
}

}  // namespace

int main(int argc, char** argv) {
  latecomer::hold_streams();
  return latecomer::checked_output(run(argc, argv));
}
