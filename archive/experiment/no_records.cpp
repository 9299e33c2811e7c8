// SPDX-License-Identifier: BSD-3-Clause
// Looks at the files that are there.
#include "archive/experiment/no_records.hpp"

#include <filesystem>
#include <system_error>

#include "archive/layout.hpp"
#include "archive/shell_word.hpp"

namespace latecomer {
namespace {

bool lies_in(const std::string& directory, const char* name) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::path(directory) / name, error);
}

}  // namespace

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
  return "name the directory of an experiment that is being recorded, or whose run was killed; "
         "without call of MPI_Init there is nothing";
}

}  // namespace latecomer
