// SPDX-License-Identifier: BSD-3-Clause
// Copies an archive with corrected times. The events are read a second time, because the analysis
// does not keep everything.
#include "analyzer/clocks/corrected_archive.hpp"

#include <algorithm>
#include <fstream>
#include <memory>

#include "analyzer/clocks/new_directories.hpp"
#include "analyzer/parallel/agreement.hpp"
#include "analyzer/trace/copy/collect_files.hpp"
#include "analyzer/trace/copy/copy_definitions.hpp"
#include "analyzer/trace/copy/copy_events.hpp"
#include "analyzer/trace/definitions/anchor_properties.hpp"
#include "archive/layout.hpp"
#include "sync/latency.hpp"

namespace latecomer::replay {
namespace fs = std::filesystem;
namespace {

using sync::Ticks;
using trace::kNone;

using Reader = std::unique_ptr<OTF2_Reader, decltype(&OTF2_Reader_Close)>;

// Opens a reader of the OTF2 library that works without communication.
Reader open(const fs::path& anchor) {
  Reader reader(OTF2_Reader_Open(anchor.c_str()), &OTF2_Reader_Close);
  if (reader) OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
  return reader;
}

// The process of each location of any kind, or kNone. An accelerator belongs to the process that
// created it and has its clock.
std::vector<std::uint32_t> processes_of(const trace::Definitions& definitions,
                                        const std::vector<trace::AnyLocation>& all) {
  std::map<std::uint64_t, std::uint32_t> of_location;
  for (const auto& l : definitions.locations) of_location.emplace(l.id, l.process);
  std::map<std::uint32_t, std::uint32_t> of_group;
  for (const auto& l : all) {
    const auto known = of_location.find(l.id);
    if (known != of_location.end()) of_group.emplace(l.group, known->second);
  }
  std::vector<std::uint32_t> out;
  for (const auto& l : all) {
    auto found = of_group.find(l.group);
    if (found == of_group.end()) found = of_group.find(l.creator);
    out.push_back(found == of_group.end() ? kNone : found->second);
  }
  return out;
}

// The latencies that the correction used. If the copy is corrected with them again, nothing is left
// to do.
std::string latencies_text(const CorrectedArchive& what) {
  const auto& definitions = what.archive.definitions();
  const auto known = definitions.properties.find(layout::kPropertyLatencies);
  const bool given = what.options.latency_inside || what.options.latency_between;
  if (known != definitions.properties.end() && !given) return known->second;
  const auto nanoseconds = [&](sync::LinkClass link) {
    const auto ticks = what.topology.latency[static_cast<std::size_t>(link)];
    return static_cast<Ticks>(static_cast<double>(ticks) * 1e9 /
                              static_cast<double>(definitions.ticks_per_second));
  };
  std::vector<sync::Latency> out;
  const auto& metahosts = definitions.metahosts;
  out.push_back({metahosts[0].id, metahosts[0].id, nanoseconds(sync::LinkClass::kMetahost)});
  if (metahosts.size() > 1) {
    const auto [a, b] = std::minmax(metahosts[0].id, metahosts[1].id);
    out.push_back({a, b, nanoseconds(sync::LinkClass::kExternal)});
  }
  return sync::to_text(out);
}

void set_properties(OTF2_Reader* reader, const CorrectedArchive& what, int parts,
                    OTF2_Archive* out) {
  const auto copy = [&](auto get, auto set) {
    char* text = nullptr;
    if (get(reader, &text) == OTF2_SUCCESS && text != nullptr && *text != '\0') set(out, text);
    std::free(text);
  };
  copy(OTF2_Reader_GetMachineName, OTF2_Archive_SetMachineName);
  copy(OTF2_Reader_GetCreator, OTF2_Archive_SetCreator);
  copy(OTF2_Reader_GetDescription, OTF2_Archive_SetDescription);
  auto properties = what.archive.definitions().properties;
  const auto& steps = what.correction.steps;
  const bool raw = what.options.most == TimeCorrection::kNone;
  properties[layout::kPropertyCorrected] = !steps.empty() ? steps.back().name
                                           : raw          ? "none"
                                                          : "linear";
  properties[layout::kPropertyLatencies] = latencies_text(what);
  if (parts > 1) {
    properties[layout::kPropertyParts] = std::to_string(parts);
  } else {
    properties.erase(layout::kPropertyParts);
  }
  for (const auto& [name, value] : properties) {
    OTF2_Archive_SetProperty(out, name.c_str(), value.c_str(), true);
  }
}

// Copies the part of the archive that this process writes.
class Copier {
 public:
  Copier(const CorrectedArchive& what, OTF2_Reader* reader, otf2::ArchiveWriter& out)
      : what_(what), reader_(reader), out_(out) {}

  // All times move by this much, so that none is below zero.
  void set_shift(Ticks shift) { shift_ = shift; }

  // Copies the events of the locations that belong to this process.
  void copy(const std::vector<trace::AnyLocation>& all, int host) {
    const auto process = processes_of(what_.archive.definitions(), all);
    std::vector<std::size_t> own;
    for (std::size_t l = 0; l < all.size(); ++l) {
      const bool here =
          process[l] == kNone ? host == 0 : what_.partition.host_of(process[l]) == host;
      if (here && what_.archive.event_bytes(all[l].id)) own.push_back(l);
    }
    out_.reading(true);
    for (const auto l : own) OTF2_Reader_SelectLocation(reader_, all[l].id);
    const bool opened = OTF2_Reader_OpenDefFiles(reader_) == OTF2_SUCCESS;
    for (const auto l : own) {
      const bool whole = opened && what_.archive.has_whole_definitions(all[l].id);
      auto* definitions = whole ? OTF2_Reader_GetDefReader(reader_, all[l].id) : nullptr;
      if (definitions == nullptr) continue;
      std::uint64_t ignored = 0;
      OTF2_Reader_ReadAllLocalDefinitions(reader_, definitions, &ignored);
      OTF2_Reader_CloseDefReader(reader_, definitions);
    }
    if (opened) OTF2_Reader_CloseDefFiles(reader_);
    OTF2_Reader_OpenEvtFiles(reader_);
    out_.reading(false);
    for (const auto l : own) copy(all[l], process[l]);
  }

  [[nodiscard]] const trace::DefinitionChanges& changes() const { return changes_; }

 private:
  void copy(const trace::AnyLocation& location, std::uint32_t process) {
    out_.reading(true);
    auto* events = OTF2_Reader_GetEvtReader(reader_, location.id);
    const auto function = function_of(location.id);
    if (events != nullptr && function != nullptr) OTF2_EvtReader_ApplyClockOffsets(events, false);
    out_.reading(false);
    if (events == nullptr) return;  // the analysis has counted it as missing
    // The clock of a location without process is unknown, so its times stay.
    auto* const corrected = process == kNone ? nullptr : what_.correction.times.get();
    const auto times = [&](Ticks t) { return corrected == nullptr ? t : (*corrected)(process, t); };
    const auto zero = static_cast<Ticks>(what_.archive.definitions().first_tick);
    const auto common = [&](Ticks time) { return function != nullptr ? (*function)(time) : time; };
    const auto new_time = [&](std::uint64_t time) {
      const Ticks moved = times(common(static_cast<Ticks>(time)) - zero) + zero + shift_;
      return static_cast<std::uint64_t>(std::max<Ticks>(0, moved));
    };
    // Divides the row as the analysis does before it corrects times.
    const auto row_time = [&](const trace::CallRow& row) {
      Ticks sum = 0;
      trace::CallRow{common(row.enter) - zero, common(row.leave) - zero, row.calls, row.time}
          .for_each_piece([&](Ticks enter, Ticks leave) { sum += times(leave) - times(enter); });
      return static_cast<std::uint64_t>(sum);
    };
    const auto& definitions = what_.archive.definitions();
    const trace::NewRows new_rows{definitions.calls, definitions.call_time, row_time};
    const auto limit = events_of(location.id);
    trace::CopiedEvents copied;
    out_.write_location(location.id, [&](OTF2_EvtWriter* writer) {
      copied = trace::copy_events(reader_, events, limit, out_, writer, new_time, new_rows);
    });
    out_.write_local_definitions(location.id, [](OTF2_DefWriter*) {});
    OTF2_Reader_CloseEvtReader(reader_, events);
    if (copied.copied > 0) {
      changes_.first = std::min(changes_.first, copied.first);
      changes_.last = std::max(changes_.last, copied.last);
    }
    if (copied.unknown > 0) changes_.lost[location.id] = copied.unknown;
  }

  // The number of events that the analysis has read: after a cut the OTF2 library would repeat
  // earlier ones. A location that it did not read has at most as many events as bytes.
  [[nodiscard]] std::uint64_t events_of(std::uint64_t id) const {
    const auto& locations = what_.archive.definitions().locations;
    for (const auto& events : what_.mine) {
      if (locations[events.location].id == id) return events.events;
    }
    return what_.archive.event_bytes(id).value_or(0);
  }

  [[nodiscard]] const sync::PiecewiseLinear* function_of(std::uint64_t id) const {
    const auto& functions = what_.archive.functions();
    if (functions.empty()) return nullptr;
    static const sync::PiecewiseLinear kAsItIs;
    const auto& locations = what_.archive.definitions().locations;
    const auto it = std::ranges::find(locations, id, &trace::Location::id);
    if (it == locations.end()) return &kAsItIs;
    return &functions[static_cast<std::size_t>(it - locations.begin())];
  }

  const CorrectedArchive& what_;
  OTF2_Reader* reader_;
  otf2::ArchiveWriter& out_;
  Ticks shift_ = 0;
  trace::DefinitionChanges changes_{UINT64_MAX, 0, {}};
};

// Combines the changes of all processes. Times are exchanged as signed numbers.
trace::DefinitionChanges gather(const trace::DefinitionChanges& mine, std::int64_t& unknown,
                                parallel::Processes& processes) {
  trace::DefinitionChanges all;
  constexpr auto kNever = static_cast<std::uint64_t>(INT64_MAX);
  all.first = static_cast<std::uint64_t>(
      processes.min(static_cast<std::int64_t>(std::min(mine.first, kNever))));
  all.last = static_cast<std::uint64_t>(
      processes.max(static_cast<std::int64_t>(std::min(mine.last, kNever))));
  parallel::Packer pack;
  for (const auto& entry : mine.lost) {
    pack.put(entry.first);
    pack.put(entry.second);
  }
  unknown = 0;
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto id = in.get<std::uint64_t>();
      const auto count = in.get<std::uint64_t>();
      all.lost[id] = count;
      unknown += static_cast<std::int64_t>(count);
    }
  }
  return all;
}

// The OTF2 library gives every archive a random identity. This one is computed from the archive and
// the correction, so that equal copies are equal byte by byte.
Status set_identity(const fs::path& anchor, const CorrectedArchive& what, std::uint64_t first,
                    std::uint64_t last) {
  std::uint64_t id = what.archive.fingerprint();
  for (const auto part : {static_cast<std::uint64_t>(what.correction.events_moved),
                          static_cast<std::uint64_t>(what.correction.largest_shift), first, last}) {
    // Multiplier of the FNV-1a hash.
    id = (id ^ part) * 0x100000001b3;
  }
  const std::string bytes = trace::with_trace_id(trace::file_content(anchor), id);
  std::ofstream out(anchor, std::ios::binary | std::ios::trunc);
  out << bytes;
  out.close();
  if (out) return success();
  return Problem{"cannot write " + anchor.string(), ""};
}

}  // namespace

// Process 0 of each file system writes the definitions of its part. Every process copies the events
// of its locations. All agree before and after, so that an incomplete copy never gets its name.
Status write_corrected(const CorrectedArchive& what, const fs::path& target, std::int64_t& unknown,
                       parallel::Processes& processes) {
  auto directory = NewDirectories::make(target, !what.mine.empty(), processes);
  if (!directory) return directory.problem();
  const auto advice = [&](const Status& status) {
    if (status || !status.problem().next.empty()) return status;
    // The message names the directory as it will be called at the end.
    std::string text = status.problem().what;
    const auto at = text.find(directory->path().string());
    if (at != std::string::npos)
      text.replace(at, directory->path().string().size(), target.string());
    return Status(Problem{text, "name a new directory with room: --write-corrected DIR"});
  };
  Ticks lowest = 0;
  for (const auto& events : what.mine) {
    if (events.events > 0) lowest = std::min(lowest, events.first);
  }
  const auto zero = static_cast<Ticks>(what.archive.definitions().first_tick);
  lowest = processes.min(lowest) + zero;

  const bool writes = directory->place() >= 0, leads = directory->place() == 0;
  const auto reader = open(what.archive.anchor());
  std::uint64_t event_chunk = otf2::kEventChunk, definition_chunk = otf2::kEventChunk;
  std::vector<trace::AnyLocation> all;
  if (reader) {
    OTF2_Reader_GetChunkSize(reader.get(), &event_chunk, &definition_chunk);
    (void)trace::read_locations(reader.get(), all);
  }
  std::unique_ptr<otf2::ArchiveWriter> out;
  trace::DefinitionChanges changes{UINT64_MAX, 0, {}};
  Status status = success();
  if (writes) {
    out = std::make_unique<otf2::ArchiveWriter>(directory->path().string(), definition_chunk,
                                                event_chunk);
    // The number of writers is of no importance to OTF2 with a file per location.
    if (leads) out->begin({0, static_cast<std::uint32_t>(processes.size()) + 1});
    status = out->status();
  }
  status = parallel::agree(processes, advice(status));
  if (writes && status) {
    if (!leads) {
      out->begin({static_cast<std::uint32_t>(directory->place()),
                  static_cast<std::uint32_t>(processes.size()) + 1});
    }
    Copier copier(what, reader.get(), *out);
    copier.set_shift(lowest < 0 ? -lowest : 0);
    copier.copy(all, processes.rank());
    changes = copier.changes();
    status = out->status();
  }
  changes = gather(changes, unknown, processes);
  if (leads && status) {
    const auto definitions = open(what.archive.anchor());
    out->write_definitions([&](OTF2_GlobalDefWriter* writer) {
      trace::copy_definitions(definitions.get(), writer, changes);
    });
    set_properties(reader.get(), what, directory->number(), out->handle());
  }
  if (out) {
    out->close();
    if (status) status = out->status();
    out.reset();
  }
  if (leads && status) {
    status = set_identity(directory->path() / layout::kAnchor, what, changes.first, changes.last);
  }
  return directory->finish(advice(status), processes);
}

}  // namespace latecomer::replay
