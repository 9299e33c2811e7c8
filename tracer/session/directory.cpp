// SPDX-License-Identifier: BSD-3-Clause
// Every failure says which path, why, and what to do.
#include "tracer/session/directory.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "archive/layout.hpp"

namespace latecomer::session {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kFilesOfScan = {layout::kLog, layout::kSettings,
                                                          layout::kManifest};

// Everything that an experiment consists of beside scan's files.
constexpr std::array<std::string_view, 6> kParts = {layout::kAnchor,      "traces.def",
                                                    layout::kArchiveName, layout::kReport,
                                                    layout::kStatistics,  layout::kRecords};

enum class State { kMissing, kFree, kExperiment, kForeign };

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

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

Result<std::string> make_experiment_directory(const std::string& name, Existing existing) {
  std::error_code error;
  const fs::path wanted = fs::absolute(name, error).lexically_normal();
  if (error) return cannot_create(name, error);
  fs::path path = wanted.has_filename() ? wanted : wanted.parent_path();
  const std::string first = path.string();
  State state = state_of(path, error);
  for (int number = 2; existing == Existing::kNextNumber && !error &&
                       (state == State::kExperiment || state == State::kForeign);
       ++number) {
    path = first + '_' + std::to_string(number);
    state = state_of(path, error);
  }
  if (error) return cannot_create(path, error);
  if (state == State::kForeign) return exists(path, state);
  if (state == State::kExperiment) {
    if (existing != Existing::kOverwrite) return exists(path, state);
    for (const std::string_view part : kParts) {
      fs::remove_all(path / part, error);
      if (error) return cannot_create(path, error);
    }
  }
  fs::create_directories(path, error);
  if (error) return cannot_create(path, error);
  fs::create_directory(path / layout::kRecords, error);
  if (error) return cannot_create(path / layout::kRecords, error);
  return path.string();
}

}  // namespace latecomer::session
