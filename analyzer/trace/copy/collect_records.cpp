// SPDX-License-Identifier: BSD-3-Clause
// Collects records. The log of a process says which run it belongs to and how many processes that
// had (tracer/record/README.md).
#include "analyzer/trace/copy/collect_records.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "analyzer/trace/copy/collect_files.hpp"
#include "archive/layout.hpp"
#include "archive/plain_file.hpp"
#include "archive/rank_list.hpp"

namespace latecomer::trace {
namespace fs = std::filesystem;
namespace {

bool number(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

// Parses the rank of "12.def" or "12.0.rec"; false for other files.
bool is_record_file(const std::string& name, int& rank) {
  return (name.ends_with(".def") || name.ends_with(".rec")) &&
         number(std::string_view(name).substr(0, name.find('.')), rank);
}

bool is_log(const std::string& name) { return name.ends_with(".def"); }

// Values from the beginning of a log. A killed process may not have written them.
struct Head {
  int size = 0;
  std::string run;
};

// The first bytes of a log, which have room for its first lines. A damaged one may have no end.
std::string first_bytes(const fs::path& log) {
  std::string bytes(std::size_t{1} << 20, '\0');
  const int file = open_plain(log.string());
  ssize_t got = -1;
  do {
    if (file >= 0) got = read(file, bytes.data(), bytes.size());
  } while (file >= 0 && got < 0 && errno == EINTR);
  if (file >= 0) close(file);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

Head read_head(const fs::path& log) {
  Head head;
  std::istringstream in(first_bytes(log));
  const std::string run = std::string("property\t") + layout::kLogRun + '\t';
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("process\t")) {
      const auto size = line.find('\t', 8) + 1;
      number(std::string_view(line).substr(size, line.find('\t', size) - size), head.size);
    }
    if (line.starts_with(run)) {
      head.run = line.substr(run.size());
      break;
    }
  }
  return head;
}

// Record files of one rank, and the directory that has them.
struct Found {
  fs::path part;
  std::vector<fs::path> files;
};

}  // namespace

bool has_records(const fs::path& part) {
  std::error_code error;
  int rank = 0;
  for (fs::directory_iterator entry(part / layout::kRecords, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (is_log(name) && is_record_file(name, rank)) return true;
  }
  return false;
}

// The directories must be of one run, have each rank once, and together have all ranks.
Result<Collected> collect_records(const std::vector<fs::path>& parts, const fs::path& target) {
  std::map<int, Found> found;  // by rank
  std::string run;
  fs::path part_of_run;
  int size = 0;
  for (const auto& part : parts) {
    std::error_code error;
    for (fs::directory_iterator entry(part / layout::kRecords, error), end; !error && entry != end;
         entry.increment(error)) {
      int rank = 0;
      const std::string name = entry->path().filename().string();
      if (!is_record_file(name, rank)) continue;
      Found& files = found.try_emplace(rank, Found{part, {}}).first->second;
      if (files.part != part) {
        return Problem{files.part.string() + " and " + part.string() +
                           " both hold the records of rank " + std::to_string(rank),
                       "name each part once", Exit::kUsage};
      }
      files.files.push_back(entry->path());
      if (!is_log(name)) continue;
      const Head head = read_head(entry->path());
      size = std::max(size, head.size);
      if (head.run.empty()) continue;
      if (!run.empty() && head.run != run) {
        return Problem{
            part_of_run.string() + " and " + part.string() + " hold records of different runs",
            "name the directories of one run"};
      }
      run = head.run;
      part_of_run = part;
    }
    if (error) {
      return Problem{"cannot read " + (part / layout::kRecords).string() + ": " + error.message(),
                     "copy the part again from where it was written"};
    }
  }
  // A damaged log may claim billions of processes.
  constexpr std::size_t kMostNamed = 1 << 20;
  std::vector<int> missing;
  for (int rank = 0; rank < size && missing.size() < kMostNamed; ++rank) {
    if (!found.contains(rank)) missing.push_back(rank);
  }
  if (!missing.empty()) {
    return Problem{"a part is missing: none of the directories holds the records of " +
                       rank_list(missing) + (missing.size() == kMostNamed ? " and more" : ""),
                   "name the directories of all metahosts; what there is of one can be analyzed "
                   "after `latecomer repair` of its directory"};
  }
  auto out = NewDirectory::make(target);
  if (!out) return out.problem();
  const std::string folder = layout::kRecords;
  if (Status made = out->add_folder(folder); !made) return made.problem();
  for (const auto& [rank, files] : found) {
    for (const auto& file : files.files) {
      const Status copied = out->copy(file, folder + '/' + file.filename().string());
      if (!copied) return copied.problem();
    }
  }
  if (Status finished = out->finish(); !finished) return finished.problem();
  return Collected{found.size(), true};
}

}  // namespace latecomer::trace
