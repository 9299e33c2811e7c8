// SPDX-License-Identifier: BSD-3-Clause
// Collects parts of an experiment. Everything is checked before anything is copied.
#include "analyzer/trace/copy/collect.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/trace/archive_reader.hpp"
#include "analyzer/trace/copy/collect_files.hpp"
#include "analyzer/trace/copy/collect_records.hpp"
#include "analyzer/trace/definitions/anchor_properties.hpp"
#include "archive/layout.hpp"
#include "archive/plain_file.hpp"
#include "archive/rank_list.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::trace {
namespace fs = std::filesystem;
namespace {

constexpr const char* kDefinitions = "traces.def";

// Files that scan leaves beside an archive, in the directory of rank 0.
constexpr const char* kFilesOfScan[] = {layout::kLog, layout::kSettings};

bool has_archive(const fs::path& part) {
  std::error_code ignored;
  return fs::exists(part / layout::kAnchor, ignored);
}

// Parts of one archive have equal anchors and global definitions.
bool are_equal(const std::vector<fs::path>& parts) {
  return std::ranges::all_of(parts, [&](const fs::path& part) {
    return same_content(part / layout::kAnchor, parts.front() / layout::kAnchor) &&
           same_content(part / kDefinitions, parts.front() / kDefinitions);
  });
}

// Text such as "ranks 4-7 of metahost FZJ, ranks 8, 9 of metahost CAESAR".
std::string by_metahost(const Definitions& definitions, const std::vector<int>& ranks) {
  std::map<std::uint32_t, std::vector<int>> sorted;
  for (const int rank : ranks) {
    sorted[definitions.processes[static_cast<std::size_t>(rank)].metahost].push_back(rank);
  }
  std::string text;
  for (const auto& [metahost, own] : sorted) {
    text += (text.empty() ? "" : ", ") + rank_list(own) + " of metahost " +
            definitions.metahosts[metahost].name;
  }
  return text;
}

// The part that has the events of each location.
struct Sources {
  std::vector<std::optional<std::size_t>> part;  // per location
};

// Each location must have events in exactly one part, unless it has none at all.
Result<Sources> find_sources(const std::vector<fs::path>& parts, const Definitions& definitions,
                             const std::vector<std::vector<bool>>& files) {
  Sources sources;
  sources.part.resize(definitions.locations.size());
  std::vector<int> missing;
  for (std::size_t l = 0; l < definitions.locations.size(); ++l) {
    const auto rank = static_cast<int>(definitions.locations[l].process);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (!files[p][l]) continue;
      if (sources.part[l]) {
        return Problem{parts[*sources.part[l]].string() + " and " + parts[p].string() +
                           " both hold the events of rank " + std::to_string(rank),
                       "name each part once", Exit::kUsage};
      }
      sources.part[l] = p;
    }
    const bool lacks = !sources.part[l] && definitions.locations[l].events > 0;
    if (lacks && (missing.empty() || missing.back() != rank)) missing.push_back(rank);
  }
  if (missing.empty()) return sources;
  return Problem{"a part is missing: none of the directories holds the events of " +
                     by_metahost(definitions, missing),
                 "name the directories of all metahosts, copied to where they can be read here"};
}

// Copies the files of a location that is no thread, if this part has them.
Status copy_location(const fs::path& part, const Location& location, NewDirectory& out) {
  for (const char* kind : {".evt", ".def"}) {
    const std::string name =
        std::string(layout::kArchiveName) + '/' + std::to_string(location.id) + kind;
    std::error_code ignored;
    if (!fs::exists(part / name, ignored)) continue;
    if (Status copied = out.copy(part / name, name); !copied) return copied;
  }
  return success();
}

// A main thread without events is a process without records. The archive then stays partial.
bool lacks_processes(const Definitions& definitions) {
  return std::ranges::any_of(definitions.processes, [&](const Process& process) {
    return !process.locations.empty() && definitions.locations[process.locations[0]].events == 0;
  });
}

// Copies the events of each location from its part, and everything else from the first part. The
// new anchor no longer says that the archive is in parts.
Status copy_all(const std::vector<fs::path>& parts, const Definitions& definitions,
                const Sources& sources, NewDirectory& out) {
  const fs::path& first = parts.front();
  const std::string folder = layout::kArchiveName;
  if (Status made = out.add_folder(folder); !made) return made;
  for (std::size_t l = 0; l < sources.part.size(); ++l) {
    if (!sources.part[l]) continue;
    for (const char* kind : {".evt", ".def"}) {
      const std::string name = folder + '/' + std::to_string(definitions.locations[l].id) + kind;
      const fs::path from = parts[*sources.part[l]] / name;
      std::error_code ignored;
      if (kind == std::string(".def") && !fs::exists(from, ignored)) continue;
      if (Status copied = out.copy(from, name); !copied) return copied;
    }
  }
  for (const Location& other : definitions.other_locations) {
    for (const auto& part : parts) {
      if (Status copied = copy_location(part, other, out); !copied) return copied;
    }
  }
  if (Status copied = out.copy(first / kDefinitions, kDefinitions); !copied) return copied;
  std::string manifest = file_content(first / layout::kManifest);
  manifest = manifest.substr(0, manifest.find(std::string("\n") + layout::kManifestOfParts));
  // Records are not copied.
  if (const auto row = manifest.find("| `" + std::string(layout::kRecords)); row != manifest.npos) {
    manifest.erase(row, manifest.find('\n', row) + 1 - row);
  }
  if (Status written = out.write(layout::kManifest, manifest); !written) return written;
  for (const char* name : kFilesOfScan) {
    const auto has_it = [&](const fs::path& part) {
      std::error_code ignored;
      return fs::exists(part / name, ignored);
    };
    const auto part = std::ranges::find_if(parts, has_it);
    if (part == parts.end()) continue;
    if (Status copied = out.copy(*part / name, name); !copied) return copied;
  }
  const PropertyChanges changes = {
      {layout::kPropertyParts, std::nullopt},
      {layout::kPropertyPartial, lacks_processes(definitions) ? "true" : "false"}};
  return out.write(layout::kAnchor,
                   with_properties(file_content(first / layout::kAnchor), changes));
}

Result<Collected> collect_archives(const std::vector<fs::path>& parts, const fs::path& target) {
  std::vector<std::vector<bool>> files;
  std::optional<ArchiveReader> reader;
  for (const auto& part : parts) {
    auto opened = ArchiveReader::open(part);
    if (!opened) return opened.problem();
    files.push_back(opened->event_files());
    reader.emplace(std::move(*opened));
  }
  const Definitions& definitions = reader->definitions();
  if (!definitions.properties.contains(layout::kPropertyParts)) {
    return Problem{
        parts.front().string() + " is no part of an archive: it is all there is",
        "`latecomer info " + shell_word(parts.front().string()) + "` shows what it contains"};
  }
  const auto sources = find_sources(parts, definitions, files);
  if (!sources) return sources.problem();
  auto out = NewDirectory::make(target);
  if (!out) return out.problem();
  if (Status copied = copy_all(parts, definitions, *sources, *out); !copied) {
    return copied.problem();
  }
  if (Status finished = out->finish(); !finished) return finished.problem();
  return Collected{definitions.processes.size(), false};
}

// A file or folder that is there, but cannot be read.
Status can_read(const fs::path& part) {
  const auto problem = [&](const char* name, const std::string& why) {
    return Problem{"cannot read " + (part / name).string() + ": " + why,
                   "copy the part again from where it was written, or change its permissions"};
  };
  for (const char* name : {layout::kAnchor, kDefinitions}) {
    const int file = open_plain((part / name).string());
    if (file < 0 && errno != ENOENT) return problem(name, file_error(errno));
    if (file >= 0) close(file);
  }
  for (const char* name : {layout::kArchiveName, layout::kRecords}) {
    std::error_code error;
    static_cast<void>(fs::directory_iterator(part / name, error));
    if (error && error != std::errc::no_such_file_or_directory) {
      return problem(name, error.message());
    }
  }
  return success();
}

}  // namespace

Result<Collected> collect(const std::vector<fs::path>& parts, const fs::path& target) {
  std::error_code error;
  for (const auto& part : parts) {
    if (!fs::is_directory(part, error)) {
      return Problem{part.string() + ": no such experiment",
                     "name the experiment directories of all metahosts"};
    }
    if (Status readable = can_read(part); !readable) return readable.problem();
    for (const auto& other : parts) {
      if (&other != &part && fs::equivalent(part, other, error)) {
        return Problem{part.string() + " is given twice", "name each part once", Exit::kUsage};
      }
    }
  }
  const bool archives = std::ranges::all_of(parts, has_archive);
  if (archives && are_equal(parts)) return collect_archives(parts, target);
  if (std::ranges::all_of(parts, has_records)) return collect_records(parts, target);
  for (const auto& part : parts) {
    if (has_archive(part) || has_records(part)) continue;
    return Problem{part.string() + ": neither an archive nor records are in there",
                   "name the experiment directories of all metahosts"};
  }
  if (archives) {
    return Problem{"the directories do not hold parts of one archive: their definitions differ",
                   "name the directories of one run; `latecomer info` shows what each contains"};
  }
  return Problem{"some of the directories hold archives, others records only",
                 "name the directories of one run"};
}

}  // namespace latecomer::trace
