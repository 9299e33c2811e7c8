// SPDX-License-Identifier: BSD-3-Clause
// Definitions are read by the OTF2 library, whose own messages must not reach the user. Events are
// not, for speed, and because the library repeats the events of a cut file endlessly.
#include "analyzer/trace/archive_reader.hpp"

#include <otf2/otf2.h>

#include <cstdarg>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unordered_map>

#include "analyzer/trace/definitions/definition_reader.hpp"
#include "analyzer/trace/events/read_events.hpp"
#include "archive/experiment/live_processes.hpp"
#include "archive/experiment/no_records.hpp"
#include "archive/layout.hpp"
#include "archive/otf2/anchor_check.hpp"
#include "archive/otf2/definition_records.hpp"
#include "archive/printable.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::trace {
namespace fs = std::filesystem;
namespace {

// Error handler of the OTF2 library that prints nothing.
OTF2_ErrorCode quiet(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                     const char*, std::va_list) {
  return code;
}

// Finds the anchor in an experiment directory. Each way of not finding one has its own advice.
Result<fs::path> find_anchor(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return Problem{path.string() + ": no such experiment",
                   "give the directory that `scan` has written, latecomer_..._trace"};
  }
  if (!fs::is_directory(path, error)) return path;
  const bool records = fs::exists(path / layout::kRecords, error);
  // A run that was killed while it finished may leave an empty anchor beside its records.
  const auto is_anchor = [&](const fs::path& file) {
    return fs::exists(file, error) && !(records && fs::is_empty(file, error));
  };
  if (is_anchor(path / layout::kAnchor)) return path / layout::kAnchor;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() == ".otf2" && is_anchor(entry.path())) return entry.path();
  }
  const bool rest = fs::exists(path / layout::kArchiveName, error);
  if (rest && !records) {
    return Problem{(path / layout::kAnchor).string() +
                       ": no anchor file (traces.otf2), but the rest of the archive is there",
                   "copy traces.otf2 again from where it was recorded, or record the run again"};
  }
  const std::string name = shell_word(path.string());
  if (records) {
    if (auto going = still_going(path.string())) return std::move(*going);
  }
  if (!rest && was_only_watched(path.string())) {
    return Problem{
        path.string() + ": this run was only watched, so there is no trace",
        (fs::exists(path / layout::kReport, error) ? "latecomer show " + name + " prints its report"
                                                   : hint_of_profile(path.string())) +
            "; scan -t --watch records a trace, too"};
  }
  if (!rest && !records && fs::exists(path / layout::kReport, error)) {
    return Problem{
        path.string() +
            ": the trace is not here any more (scan --clean deletes it), but the report is",
        "latecomer show " + name + " prints it; scan --overwrite -e " + name +
            " mpiexec -n 4 ./program records anew"};
  }
  if (!rest && !records) {
    return Problem{
        path.string() + (fs::is_empty(path, error) ? ": an empty directory" : "") +
            ": no anchor file (traces.otf2): no trace was recorded here",
        "give an experiment directory; scan -e " + name + " mpiexec -n 4 ./program records one"};
  }
  return Problem{path.string() + ": no anchor file (traces.otf2): the archive was never finished",
                 records ? "`latecomer repair " + name + "` makes one from the records"
                         : "was the program recorded to its end? give the experiment directory"};
}

}  // namespace

// Owns the reader of the OTF2 library.
struct ArchiveReader::Handle {
  explicit Handle(OTF2_Reader* r) : reader(r) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { OTF2_Reader_Close(reader); }
  OTF2_Reader* reader;
};

ArchiveReader::ArchiveReader(ArchiveReader&&) noexcept = default;
ArchiveReader& ArchiveReader::operator=(ArchiveReader&&) noexcept = default;
ArchiveReader::~ArchiveReader() = default;

// Checks the anchor before the OTF2 library reads it.
Result<ArchiveReader> ArchiveReader::open(const fs::path& path) {
  OTF2_Error_RegisterCallback(quiet, nullptr);
  auto anchor = find_anchor(path);
  if (!anchor) return anchor.problem();
  const std::string where = anchor->string();
  if (Status checked = otf2::check_anchor(*anchor); !checked) return checked.problem();
  OTF2_Reader* reader = OTF2_Reader_Open(where.c_str());
  if (reader == nullptr) {
    return Problem{where + ": not an OTF2 archive, or a damaged one",
                   "give the directory that `scan` has written, or the *.otf2 file in it"};
  }
  ArchiveReader archive;
  archive.handle_ = std::make_unique<Handle>(reader);
  archive.anchor_ = *anchor;
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  auto definitions = read_definitions(reader, where);
  if (!definitions) return definitions.problem();
  archive.definitions_ = std::move(*definitions);
  archive.local_.resize(archive.definitions_.locations.size());
  archive.local_of_others_.resize(archive.definitions_.other_locations.size());
  OTF2_Reader_GetChunkSize(reader, &archive.chunk_, &archive.definition_chunk_);

  char* creator = nullptr;
  if (OTF2_Reader_GetCreator(reader, &creator) == OTF2_SUCCESS && creator != nullptr) {
    archive.definitions_.creator = creator;
  }
  std::free(creator);
  std::uint32_t count = 0;
  char** names = nullptr;
  if (OTF2_Reader_GetPropertyNames(reader, &count, &names) == OTF2_SUCCESS) {
    for (std::uint32_t i = 0; i < count; ++i) {
      char* value = nullptr;
      if (OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS && value != nullptr) {
        archive.definitions_.properties[printable(names[i])] = printable(value);
      }
      std::free(value);
    }
    std::free(names);
  }
  return archive;
}

const std::vector<ClockOffset>& ArchiveReader::clock_offsets(std::uint32_t location) const {
  return local_[location].offsets;
}

// The offsets of each location become the knots of its function.
void ArchiveReader::replace_clock_offsets(std::vector<sync::PiecewiseLinear> functions) {
  functions_ = std::move(functions);
  for (std::size_t l = 0; l < functions_.size(); ++l) {
    auto& offsets = local_[l].offsets;
    offsets.clear();
    for (const auto& knot : functions_[l].knots()) {
      offsets.push_back({static_cast<std::uint64_t>(knot.at), knot.value - knot.at, 0});
    }
  }
}

fs::path ArchiveReader::local_file(std::uint64_t location, const char* ending) const {
  return anchor_.parent_path() / anchor_.stem() / (std::to_string(location) + ending);
}

std::optional<std::uintmax_t> ArchiveReader::event_bytes(std::uint64_t location_id) const {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(local_file(location_id, ".evt"), error);
  return error ? std::nullopt : std::optional(bytes);
}

bool ArchiveReader::has_whole_definitions(std::uint64_t location_id) const {
  return otf2::definitions_are_whole(local_file(location_id, ".def"),
                                     otf2::DefinitionsOf::kOneLocation, definition_chunk_);
}

// Reads the folder once, because there may be thousands of files.
std::vector<bool> ArchiveReader::event_files() const {
  std::unordered_map<std::string, std::size_t> names;
  for (std::size_t l = 0; l < definitions_.locations.size(); ++l) {
    names.emplace(std::to_string(definitions_.locations[l].id) + ".evt", l);
  }
  std::vector<bool> found(definitions_.locations.size());
  std::error_code error;
  const fs::path folder = anchor_.parent_path() / anchor_.stem();
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto it = names.find(entry->path().filename().string());
    if (it != names.end()) found[it->second] = true;
  }
  return found;
}

// Hash (FNV-1a) of the anchor, which contains a random number that the library made for the
// archive.
std::uint64_t ArchiveReader::fingerprint() const {
  std::ifstream in(anchor_, std::ios::binary);
  std::uint64_t h = 0xcbf29ce484222325;
  for (std::istreambuf_iterator<char> c(in), end; c != end; ++c) {
    h = (h ^ static_cast<std::uint8_t>(*c)) * 0x100000001b3;
  }
  std::error_code error;
  const auto size =
      fs::file_size(anchor_.parent_path() / (anchor_.stem().string() + ".def"), error);
  return error ? h : (h ^ size) * 0x100000001b3;
}

// Archives of tools that need no clock offsets have no local definitions at all. The folder is
// searched once, since every location asks.
bool ArchiveReader::has_local_definitions() {
  if (has_local_definitions_) return *has_local_definitions_;
  has_local_definitions_ = false;
  std::error_code error;
  const fs::path folder = anchor_.parent_path() / anchor_.stem();
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".def") has_local_definitions_ = true;
  }
  return *has_local_definitions_;
}

void ArchiveReader::select(std::span<const std::uint32_t> locations) {
  OTF2_Reader* reader = handle_->reader;
  for (const auto l : locations) OTF2_Reader_SelectLocation(reader, definitions_.locations[l].id);
  std::vector<std::uint32_t> others;
  std::vector<bool> is_mine(definitions_.processes.size());
  for (const auto l : locations) is_mine[definitions_.locations[l].process] = true;
  for (std::uint32_t l = 0; l < definitions_.other_locations.size(); ++l) {
    if (!is_mine[definitions_.other_locations[l].process]) continue;
    OTF2_Reader_SelectLocation(reader, definitions_.other_locations[l].id);
    others.push_back(l);
  }
  const bool opened = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
  for (const auto l : locations) read_local(opened, definitions_.locations[l].id, local_[l]);
  for (const auto l : others) {
    read_local(opened, definitions_.other_locations[l].id, local_of_others_[l]);
  }
  if (opened) OTF2_Reader_CloseDefFiles(reader);
}

// The library would keep a chunk of memory even without a file, so that is checked before.
void ArchiveReader::read_local(bool opened, std::uint64_t id, LocalDefinitions& local) {
  local.unread =
      !(opened && has_whole_definitions(id) && read_local_definitions(handle_->reader, id, local));
}

LocationEvents ArchiveReader::read(std::uint32_t location, CallTree& tree,
                                   const std::function<void(std::uint64_t)>& progress) {
  const Location& info = definitions_.locations[location];
  tree.set_root_location(location);
  teams_.start(info.process);
  LocationBuilder builder(definitions_, tree, location, &teams_);
  EventFile file(local_file(info.id, ".evt"), chunk_, buffer_);
  EventsRead read;
  if (file.opened()) {
    const LocalDefinitions& local = local_[location];
    ClockCorrection clock(local.offsets, functions_.empty() ? nullptr : &functions_[location],
                          definitions_.first_tick);
    read = read_events(file, local.ids, clock, builder, progress);
  }
  LocationEvents out = builder.finish();
  out.events = read.count;
  out.opened = file.opened();
  out.error = file.error();
  out.complete = read.complete && info.events == read.count;
  if (!file.opened()) {
    // A location without events has no file in some archives; that is not a loss.
    if (info.events > 0) out.quality.add(Quality::kMissingLocations);
  } else if (!read.complete) {
    out.quality.add(Quality::kTruncatedLocations);
  } else if (info.events != read.count) {
    out.quality.add(Quality::kEventCountDiffers);
  }
  if (file.opened() && local_[location].unread && has_local_definitions()) {
    out.quality.add(Quality::kUnreadOffsets);
  }
  return out;
}

// Times that replace the archive's are those of the process, whose clock the records have.
OtherEvents ArchiveReader::read_other(std::uint32_t location) {
  const Location& info = definitions_.other_locations[location];
  OtherBuilder builder(location);
  EventFile file(local_file(info.id, ".evt"), chunk_, buffer_);
  if (file.opened()) {
    const LocalDefinitions& local = local_of_others_[location];
    const auto& threads = definitions_.processes[info.process].locations;
    const bool replaced = !functions_.empty() && !threads.empty();
    ClockCorrection clock(local.offsets, replaced ? &functions_[threads.front()] : nullptr,
                          definitions_.first_tick);
    (void)read_other_events(file, local.ids, clock, definitions_, builder);
  }
  return builder.finish();
}

std::uint64_t ArchiveReader::count_events(std::uint32_t location) {
  EventFile file(local_file(definitions_.locations[location].id, ".evt"), chunk_, buffer_);
  std::uint64_t count = 0;
  for (EventRecord record; file.opened() && file.next(record);) ++count;
  return count;
}

}  // namespace latecomer::trace
