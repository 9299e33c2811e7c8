// SPDX-License-Identifier: BSD-3-Clause
// Chooses, makes and marks experiment directories. Every failure says which path, why, and what to
// do.
#include "tracer/session/agreement/directory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "archive/experiment/no_records.hpp"
#include "archive/first_umask.hpp"
#include "archive/layout.hpp"
#include "archive/plain_file.hpp"

namespace latecomer::session {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kFilesOfScan = {
    layout::kLog,      layout::kSettings,        layout::kManifest,
    layout::kOtherMpi, layout::kSuggestedFilter, kAgents};

// Everything that belongs to an experiment besides scan's files.
constexpr std::array<std::string_view, 9> kParts = {
    layout::kAnchor, "traces.def",     layout::kArchiveName, layout::kReport, layout::kStatistics,
    layout::kPage,   layout::kRecords, kWatchReport,         kWatchReportPart};

enum class State { kMissing, kFree, kExperiment, kForeign };

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Contents of `path`: nothing, only scan's files, an experiment, or other files, too.
State state_of(const fs::path& path, std::error_code& error) {
  const auto status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) {
    error.clear();
    return State::kMissing;
  }
  if (error) return State::kForeign;
  if (!fs::is_directory(path)) return State::kForeign;
  State state = State::kFree;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (contains(kParts, name)) {
      if (state == State::kFree) state = State::kExperiment;
    } else if (!contains(kFilesOfScan, name)) {
      state = State::kForeign;
    }
  }
  return state;
}

std::string settings_text(const fs::path& path) {
  constexpr std::uint64_t kMostBytes = 1 << 20;
  return plain_content(path / layout::kSettings, kMostBytes).value_or("");
}

// True if the directory belongs to this run. scan names its run in its file of settings. If there
// is no such file (other hosts), the process that makes the directory writes it.
bool is_of_run(const fs::path& path, const std::string& run) {
  if (run.empty()) return false;
  std::istringstream text(settings_text(path));
  for (std::string line; std::getline(text, line);) {
    if (line == layout::kRunInSettings + run) return true;
  }
  return false;
}

void note_run(const fs::path& path, const std::string& run) {
  if (run.empty() || is_of_run(path, run)) return;
  // Errors are ignored: then a later program of the run only takes the directory for another run's.
  static_cast<void>(append_plain(path / layout::kSettings, layout::kRunInSettings + run + '\n'));
}

// True if the directory was made for a further program of a run and not prepared by scan: its file
// names only the run.
bool is_of_further_program(const fs::path& path) {
  std::istringstream text(settings_text(path));
  std::string line;
  return std::getline(text, line) && line.starts_with(layout::kRunInSettings) &&
         !std::getline(text, line);
}

// Path of a mark. The folder of records has no foreign files and is removed with the records.
fs::path mark(const std::string& path, std::uint64_t token, int maker) {
  std::array<char, 48> name{};
  std::snprintf(name.data(), name.size(), "mark-%016llx-%d", static_cast<unsigned long long>(token),
                maker);
  return fs::path(path) / layout::kRecords / name.data();
}

Problem cannot_create(const fs::path& path, const std::error_code& why) {
  return {"cannot create experiment directory " + path.string() + ": " + why.message(),
          "name a place where there is room and you may write: "
          "LATECOMER_EXPERIMENT_DIRECTORY=DIRECTORY, or `scan -e DIRECTORY`",
          Exit::kUsage};
}

Problem exists(const fs::path& path, State state) {
  if (state == State::kExperiment) {
    return {"experiment directory " + path.string() + " exists already",
            "choose another one with LATECOMER_EXPERIMENT_DIRECTORY (`scan -e DIRECTORY`), or set "
            "LATECOMER_NEXT=1 (`--next`) for a fresh number or LATECOMER_OVERWRITE=1 "
            "(`--overwrite`) to replace it",
            Exit::kUsage};
  }
  return {path.string() + " exists and is not an experiment directory",
          "choose another name with LATECOMER_EXPERIMENT_DIRECTORY (`scan -e DIRECTORY`); "
          "files that are not Latecomer's are never removed",
          Exit::kUsage};
}

}  // namespace

std::string default_directory_name(const std::string& program, int ranks) {
  return "latecomer_" + program + '_' + std::to_string(ranks) + "_trace";
}

int free_number(const std::string& name, const Rules& rules, int from) {
  bool next = rules.existing == Existing::kNextNumber || (from > 1 && !rules.run.empty());
  for (int number = from;; number = std::max(2, number + 1)) {
    std::error_code error;
    const std::string path = with_number(name, number);
    const State state = state_of(path, error);
    if (error || state == State::kMissing) return number;
    const bool same_run = is_of_run(path, rules.run);
    // Numbered directories with settings of other runs are left alone, even if they hold no records
    // yet.
    const bool others = number > 1 && !rules.run.empty() && !same_run;
    if (state == State::kFree && !(others && fs::exists(fs::path(path) / layout::kSettings))) {
      return number;
    }
    if (state == State::kExperiment && rules.existing == Existing::kOverwrite && !same_run &&
        (!others || is_of_further_program(path))) {
      return number;
    }
    next = next || same_run;
    if (!next) return number;
  }
}

std::string with_number(const std::string& name, int number) {
  return number < 2 ? name : name + '_' + std::to_string(number);
}

std::string absolute_name(const std::string& name) {
  std::error_code error;
  const fs::path path = fs::absolute(name, error).lexically_normal();
  if (error) return name;
  return (path.has_filename() ? path : path.parent_path()).string();
}

bool holds_experiment(const std::string& path) {
  std::error_code error;
  return state_of(path, error) == State::kExperiment;
}

bool leave_mark(const std::string& path, std::uint64_t token, int maker) {
  return write_plain(mark(path, token, maker), "") == 0;
}

bool sees_mark(const std::string& path, std::uint64_t token, int maker) {
  return access(mark(path, token, maker).c_str(), F_OK) == 0;
}

void remove_mark(const std::string& path, std::uint64_t token, int maker) {
  unlink(mark(path, token, maker).c_str());
}

void discard(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(fs::path(path) / layout::kRecords, ignored);
  fs::remove(path, ignored);  // only if it is empty
}

// Several worlds of a run may want the same fresh number at the same time (MPI_Comm_spawn), and so
// may two programs of a run. The process that makes the folder of records gets it; others try the
// next.
Result<std::string> make_experiment_directory(const std::string& name, const Rules& rules,
                                              int from) {
  const std::string wanted = absolute_name(name);
  const int number = free_number(wanted, rules, from);
  const fs::path path = with_number(wanted, number);
  std::error_code error;
  const State state = state_of(path, error);
  if (error) return cannot_create(path, error);
  if (state == State::kForeign) return exists(path, state);
  if (state == State::kExperiment) {
    if (rules.existing != Existing::kOverwrite) return exists(path, state);
    for (const std::string_view part : kParts) {
      fs::remove_all(path / part, error);
      if (error) return cannot_create(path, error);
    }
  }
  make_directories(path.string(), error);
  if (error) return cannot_create(path, error);
  note_run(path, rules.run);
  const bool is_ours = make_directory((path / layout::kRecords).string(), error);
  if (error) return cannot_create(path / layout::kRecords, error);
  if (!is_ours && (rules.existing == Existing::kNextNumber || !rules.run.empty())) {
    return make_experiment_directory(name, rules, std::max(2, number + 1));
  }
  return path.string();
}

}  // namespace latecomer::session
