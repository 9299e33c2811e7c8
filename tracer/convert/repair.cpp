// SPDX-License-Identifier: BSD-3-Clause
// Repairs an archive with the steps of MPI_Finalize, one process after the other.
#include "tracer/convert/repair.hpp"

#include <fcntl.h>
#include <otf2/otf2.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "archive/experiment/live_processes.hpp"
#include "archive/layout.hpp"
#include "archive/plain_file.hpp"
#include "archive/settings.hpp"
#include "tracer/convert/clocks/measured_clocks.hpp"
#include "tracer/convert/definitions/unify.hpp"
#include "tracer/convert/file_view.hpp"
#include "tracer/convert/lost_files.hpp"
#include "tracer/convert/process_records.hpp"
#include "tracer/convert/run_summary.hpp"
#include "tracer/record/reader.hpp"
#include "tracer/symbols/module_symbols.hpp"

namespace latecomer::convert {
namespace {

namespace fs = std::filesystem;

// Limit against garbage in logs: a size that no run has would fill the memory.
constexpr std::uint32_t kMaxProcesses = 1U << 24;

// Threads with a file, by rank. A rank with only a log has no threads.
using FoundFiles = std::map<std::uint32_t, std::vector<std::uint32_t>>;

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// Notes a file such as "12.def" or "12.0.rec".
void note_file(const std::string& name, FoundFiles& found) {
  const auto dot = name.find('.');
  const auto rank = number(std::string_view(name).substr(0, dot));
  if (!rank || *rank >= kMaxProcesses || dot == std::string::npos) return;
  const std::string_view rest = std::string_view(name).substr(dot + 1);
  if (rest == "def") {
    found[*rank];
  } else if (rest.ends_with(".rec")) {
    if (const auto thread = number(rest.substr(0, rest.size() - 4))) {
      found[*rank].push_back(*thread);
    }
  }
}

// A ring has only the last records of its thread.
bool is_ring(const std::string& path) {
  const Result<FileView> file = FileView::open(path);
  if (!file) return false;
  const auto reader = record::RecordReader::over(file->bytes());
  return reader && reader->header().ring_chunks != 0;
}

Result<FoundFiles> find_files(const std::string& directory) {
  FoundFiles found;
  std::error_code error;
  const fs::path records = fs::path(directory) / layout::kRecords;
  for (fs::directory_iterator entry(records, error), end; !error && entry != end;
       entry.increment(error)) {
    note_file(entry->path().filename().string(), found);
    if (entry->path().extension() == ".rec" && is_ring(entry->path().string())) {
      return Problem{records.string() +
                         " has only the last records of each thread, since the "
                         "program was watched and not traced",
                     "run it again with scan; -t --watch traces and watches it"};
    }
  }
  if (error) {
    return Problem{"cannot read " + records.string() + ": " + error.message(),
                   "name the directory of an experiment that was not completed"};
  }
  if (found.empty()) {
    return Problem{records.string() + " has no records of any process",
                   "the run ended before it recorded anything; run it again"};
  }
  return found;
}

// Number of processes that most logs state; without any, as many as there are files for.
std::uint32_t size_of_run(const std::vector<ProcessRecords>& processes) {
  std::map<std::uint32_t, std::size_t> votes;
  std::uint32_t least = 0;
  for (const ProcessRecords& p : processes) {
    const record::ProcessDefinition& d = p.input().definitions.process;
    least = std::max(least, p.input().rank + 1);
    if (d.rank == p.input().rank && d.size > d.rank && d.size <= kMaxProcesses) ++votes[d.size];
  }
  std::uint32_t size = least;
  std::size_t most = 0;
  for (const auto& [stated, count] : votes) {
    if (count >= most) size = stated;
    most = std::max(most, count);
  }
  return size;
}

// A process that was killed before it logged its clock gets that of its node, if the node has only
// one.
void lend_clocks(std::vector<ProcessRecords>& processes) {
  std::map<std::string, record::ClockDefinition> clocks;
  std::set<std::string> several;
  for (const ProcessRecords& p : processes) {
    if (!p.has_clock()) continue;
    const std::string& node = p.input().definitions.node.identity;
    const auto [known, is_new] = clocks.try_emplace(node, p.clock());
    if (!is_new && known->second.leader != p.clock().leader) several.insert(node);
  }
  for (ProcessRecords& p : processes) {
    if (p.has_clock() || !p.has_log()) continue;
    const auto found = clocks.find(p.input().definitions.node.identity);
    if (found != clocks.end() && !several.contains(found->first)) p.set_clock(found->second);
  }
}

// Records identify MPI functions by their index in the table of the release that made them.
Status made_by_this_release(const std::vector<ProcessRecords>& processes) {
  for (const ProcessRecords& p : processes) {
    for (const record::Property& d : p.input().definitions.properties) {
      if (d.name != kMpiTableProperty || d.value == mpi_table_name()) continue;
      return Problem{"the records of rank " + std::to_string(p.input().rank) +
                         " were made by another release of Latecomer than this one",
                     "use the latecomer-repair that came with the library that recorded them"};
    }
  }
  return success();
}

// Number of directories in which the run recorded. Killed processes may not have logged it, and the
// records may have been collected since.
int parts_of_run(const std::vector<ProcessInput>& inputs) {
  int parts = 1;
  for (const ProcessInput& input : inputs) {
    for (const record::Property& d : input.definitions.properties) {
      if (d.name != layout::kLogParts) continue;
      parts = std::max(parts, static_cast<int>(number(d.value).value_or(1)));
    }
  }
  return parts;
}

// State of an archive with a whole anchor, which is written last. If it lacks records of some
// processes, they may have arrived since. A part that lacks only the other parts has no records any
// more.
struct Finished {
  bool complete = false;
  std::vector<std::string> lost_files;
};

Finished look_at_archive(const std::string& directory, bool has_records) {
  const fs::path anchor = fs::path(directory) / layout::kAnchor;
  std::error_code ignored;
  if (!fs::is_regular_file(anchor, ignored)) return {};
  bool partial = false, is_part = false;
  {
    const otf2::Errors silence;
    OTF2_Reader* reader = OTF2_Reader_Open(anchor.c_str());
    if (reader == nullptr) return {};
    OTF2_Reader_GetBoolProperty(reader, layout::kPropertyPartial, &partial);
    char* parts = nullptr;
    is_part = OTF2_Reader_GetProperty(reader, layout::kPropertyParts, &parts) == OTF2_SUCCESS;
    std::free(parts);
    OTF2_Reader_Close(reader);
  }
  if (partial && (!is_part || has_records)) return {};
  return {true, lost_files(anchor, is_part)};
}

std::optional<std::int64_t> end_of_run(const std::string& directory) {
  constexpr std::uint64_t kMostBytes = 4096;
  std::istringstream in(
      plain_content(directory + '/' + layout::kRecords + '/' + layout::kEnded, kMostBytes)
          .value_or(""));
  std::int64_t wall = 0;
  return in >> wall ? std::optional(wall) : std::nullopt;
}

// Writes everything except the anchor, which ArchiveWriter::close() makes.
Status write_all(otf2::ArchiveWriter& archive, std::vector<ProcessRecords>& processes,
                 std::uint32_t size, const std::string& directory, RepairReport& report) {
  const bool scalasca25 = setting_text(SettingId::kCompat) == "scalasca25";
  std::vector<ProcessInput> inputs;
  for (ProcessRecords& p : processes) inputs.push_back(p.take_input());
  // Functions that were recorded by address get their names from the files on disk.
  user::NameLookup names;
  std::vector<std::string> nameless;
  for (ProcessInput& input : inputs) {
    for (std::string& why : names.resolve(input.definitions)) nameless.push_back(std::move(why));
  }
  const int parts = parts_of_run(inputs);
  Unified unified = unify(inputs, size, mpi_functions(), scalasca25);
  const Clocks clocks(inputs);
  archive.begin({});
  std::vector<ProcessReport> reports;
  std::vector<bool> written(size);
  for (std::size_t i = 0; i < processes.size() && archive.status(); ++i) {
    const ClockOffsets offsets = clocks.offsets(inputs[i].rank);
    reports.push_back(processes[i].write(archive, unified.maps[i], offsets, scalasca25));
    written[inputs[i].rank] = true;
  }
  for (std::uint32_t rank = 0; rank < size && archive.status(); ++rank) {
    if (!written[rank]) write_empty_process(archive, rank);
  }
  if (!archive.status()) return archive.status();
  RunSummary summary(size, std::move(reports), unified.unknown_comms);
  const bool all_here = std::ranges::all_of(written, [](bool there) { return there; });
  summary.is_in_parts(all_here ? 1 : parts);
  summary.read_logs(inputs);
  if (const auto wall = end_of_run(directory)) summary.ended(*wall);
  summary.lock_circles(report.lock_circles);
  summary.write(archive, unified.global, clocks, scalasca25);
  for (const std::string& note : clocks.notes()) summary.note(note);
  report = summary.report();
  report.notes.insert(report.notes.end(), nameless.begin(), nameless.end());
  return archive.status() ? write_manifest(directory, report, keeps_records(report))
                          : archive.status();
}

// One repair at a time: the records are locked as long as this lives. A file system without locks
// has none.
class Lock {
 public:
  explicit Lock(const std::string& directory)
      : folder_(
            open((directory + '/' + layout::kRecords).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        is_taken_(folder_ >= 0 && flock(folder_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (folder_ >= 0) close(folder_);
  }
  [[nodiscard]] bool is_taken() const { return is_taken_; }

 private:
  int folder_;
  bool is_taken_;  // by another process
};

}  // namespace

bool keeps_records(const RepairReport& report) {
  return report.partial() || setting_flag(SettingId::kKeepRecords);
}

Result<RepairReport> repair(const std::string& directory, const FindLockCircles& lock_circles) {
  const Lock lock(directory);
  if (lock.is_taken()) {
    return Problem{directory + ": another latecomer-repair makes its archive now",
                   "wait for its end, then look at what it has made"};
  }
  // The processes make the archive themselves at the end of a usual run. What is there is final
  // once none of them is left, so this comes before the look at it.
  const std::vector<pid_t> live = lasting_processes(directory);
  RepairReport report;
  std::error_code ignored;
  const bool has_records = fs::exists(fs::path(directory) / layout::kRecords, ignored);
  Finished archive_there = look_at_archive(directory, has_records);
  // A finished archive is kept even if records were kept, too: they may be incomplete, and what the
  // archive still has would be replaced.
  if (archive_there.complete) {
    report.already_complete = true;
    report.lost_files = std::move(archive_there.lost_files);
    return report;
  }
  if (!live.empty()) return still_going(directory, live);
  Result<FoundFiles> found = find_files(directory);
  if (!found) return found.problem();

  std::vector<ProcessRecords> processes;
  for (auto& [rank, threads] : *found) {
    processes.emplace_back(directory + '/' + layout::kRecords, rank, std::move(threads));
    static_cast<void>(processes.back().take_log());
  }
  const std::uint32_t size = size_of_run(processes);
  std::erase_if(processes, [size](const ProcessRecords& p) { return p.input().rank >= size; });
  lend_clocks(processes);
  const Status release = made_by_this_release(processes);
  if (!release) return release.problem();

  if (lock_circles) report.lock_circles = lock_circles();
  otf2::remove_archive(directory);
  otf2::ArchiveWriter archive(directory, otf2::definition_chunk(size));
  Status status = write_all(archive, processes, size, directory, report);
  archive.close();
  if (status) status = archive.status();
  if (status) return report;
  otf2::remove_archive(directory);
  return Problem{status.problem().what, "the records are kept; remove the cause and repair again"};
}

}  // namespace latecomer::convert
