// SPDX-License-Identifier: BSD-3-Clause
// Looks at the files that are there.
#include "archive/experiment/no_records.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>

#include "archive/layout.hpp"
#include "archive/plain_file.hpp"
#include "archive/shell_word.hpp"

namespace latecomer {
namespace {

bool lies_in(const std::string& directory, const char* name) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::path(directory) / name, error);
}

}  // namespace

bool was_only_watched(const std::string& directory) {
  constexpr std::uint64_t kMostBytes = 1 << 20;
  const auto text =
      plain_content((std::filesystem::path(directory) / layout::kSettings).string(), kMostBytes);
  return text && text->find(std::string("\n") + kOnlyWatchedInSettings + '\n') != std::string::npos;
}

std::string hint_of_profile(const std::string& directory) {
  const std::string word = shell_word(directory);
  const std::string profile = "latecomer profile " + word + " makes a report of what was seen";
  if (lies_in(directory, kWatchReport)) return profile;
  return "latecomer watch --once --quiet --report " +
         shell_word((std::filesystem::path(directory) / kWatchReport).string()) + " " + word +
         " reads what is left, then " + profile;
}

Problem without_records(const std::string& directory) {
  const std::string hint = hint_without_records(directory);
  const auto records = std::filesystem::path(directory) / layout::kRecords;
  if (lies_in(directory, layout::kRecords)) return {records.string() + " has no records", hint};
  for (const char* name : {layout::kAnchor, kWatchReport, layout::kReport}) {
    if (lies_in(directory, name))
      return {"the run in " + directory + " has ended: its records are not here any more", hint};
  }
  return {directory + " is no experiment: it has no records", hint};
}

std::string hint_of_watched_run(const std::string& directory) {
  if (!lies_in(directory, kWatchReport) || lies_in(directory, layout::kAnchor)) return "";
  const std::string word = shell_word(directory);
  const std::string what =
      std::string("the run was only watched: ") + kWatchReport + " has what was seen, ";
  if (lies_in(directory, layout::kReport)) return what + "and latecomer show " + word + " shows it";
  return what + "latecomer profile " + word + " makes a report of it, and latecomer show " + word +
         " shows that";
}

std::string hint_without_records(const std::string& directory) {
  if (lies_in(directory, layout::kAnchor)) {
    return "the run has ended and its trace is complete: latecomer show " + shell_word(directory) +
           " tells where it waited";
  }
  if (std::string watched = hint_of_watched_run(directory); !watched.empty()) return watched;
  if (lies_in(directory, layout::kReport))
    return "latecomer show " + shell_word(directory) + " shows its report";
  return "name the directory of an experiment that is being recorded, or whose run was killed; "
         "without call of MPI_Init there is nothing";
}

}  // namespace latecomer
