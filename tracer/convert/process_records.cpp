// SPDX-License-Identifier: BSD-3-Clause
// Reads each file twice: for the definitions that it uses, and to convert it.
#include "tracer/convert/process_records.hpp"

#include <algorithm>
#include <filesystem>

#include "tracer/convert/file_view.hpp"

namespace latecomer::convert {
namespace {

// Losses that the writers of threads count as well, in the headers of their files.
bool is_about_records(const std::string& what) {
  return what == "records" || what == "record bytes" || what == "clamped times";
}

// True if the process was killed while it made the file. There is no first word, and nothing was
// recorded.
bool never_begun(std::span<const std::byte> bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  return std::all_of(bytes.begin(), bytes.begin() + std::min(bytes.size(), kWord),
                     [](std::byte b) { return b == std::byte{0}; });
}

std::string default_name(std::uint32_t number) {
  return number == 0 ? "Master thread" : "Thread " + std::to_string(number);
}

std::string thread_name(const record::Definitions& definitions, std::uint32_t number) {
  std::string name = default_name(number);
  for (const record::ThreadDefinition& d : definitions.threads) {
    if (d.number == number && !d.name.empty()) name = d.name;  // the last one counts
  }
  return name;
}

std::string cores_of(const record::Definitions& definitions, std::uint32_t number) {
  std::string cores;
  for (const record::AffinityDefinition& d : definitions.affinities) {
    if (d.thread == number) cores = d.cores;  // the last one counts
  }
  return cores;
}

// Makes a location of another kind of a thread, if the log or the header of the file say so. Only
// the file is there if the process was killed before the line was in the log.
void set_kind(ThreadRecords& location, const record::Definitions& definitions,
              record::LocationKind in_file) {
  if (location.number == 0) return;  // MPI_COMM_WORLD consists of main threads
  location.kind = std::min(in_file, record::LocationKind::kMonitor);
  if (location.kind != record::LocationKind::kThread) {
    location.name = "Location " + std::to_string(location.number);
  }
  for (const record::LocationDefinition& d : definitions.locations) {
    if (d.number != location.number || d.kind != location.kind) continue;
    if (!d.name.empty()) location.name = d.name;
    location.device = d.device;
  }
}

}  // namespace

std::string log_path(const std::string& records, std::uint32_t rank) {
  return records + '/' + std::to_string(rank) + ".def";
}

std::string thread_path(const std::string& records, std::uint32_t rank, std::uint32_t thread) {
  return records + '/' + std::to_string(rank) + '.' + std::to_string(thread) + ".rec";
}

ProcessRecords::ProcessRecords(const std::string& records, std::uint32_t rank,
                               std::vector<std::uint32_t> threads)
    : rank_(rank) {
  input_.rank = rank;
  report_.rank = rank;
  const Result<FileView> log = FileView::open(log_path(records, rank));
  has_log_ = log.ok();
  if (has_log_) {
    // A killed process leaves zeros after its last line.
    log_text_ = log->text().substr(0, log->text().find('\0'));
    input_.definitions = record::parse_definitions(log_text_);
  } else {
    report_.notes.push_back(log.problem().what);
    std::error_code error;
    const bool gone = !std::filesystem::exists(log_path(records, rank), error) && !error;
    if (!gone) unreadable_ = log.problem().what;
  }
  clock_ = input_.definitions.clock;
  report_.complete = input_.definitions.complete;
  std::uint64_t logged = 0;
  for (const record::LostDefinition& d : input_.definitions.losses) {
    if (d.what == "records") logged = d.count;
    if (!is_about_records(d.what)) report_.losses.push_back(d);
  }
  if (const auto& bad = input_.definitions.bad_lines; !bad.empty()) {
    report_.losses.push_back({"definitions", bad.size()});
    report_.notes.push_back(log_path(records, rank) + ": line " +
                            std::to_string(bad.front().number) + " is not understood");
  }

  threads.push_back(0);
  for (const record::ThreadDefinition& d : input_.definitions.threads) threads.push_back(d.number);
  for (const auto& d : input_.definitions.locations) threads.push_back(d.number);
  std::sort(threads.begin(), threads.end());
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  UsageCollector usage;
  for (const std::uint32_t number : threads) {
    threads_.push_back({number, thread_path(records, rank, number),
                        thread_name(input_.definitions, number), false,
                        record::LocationKind::kThread, "", cores_of(input_.definitions, number)});
    look_through(threads_.back(), usage);
  }
  input_.usage = usage.usage();
  teams_ = usage.take_teams();
  report_.records_unstored = std::max(report_.records_unstored, logged);
  // The log of a complete process also counts losses of threads that could not make a file.
  report_.records_lost = std::max(report_.records_lost, logged);
}

void ProcessRecords::look_through(ThreadRecords& thread, UsageCollector& usage) {
  const Result<FileView> file = FileView::open(thread.path);
  if (!file) {
    ++report_.records_lost;
    report_.notes.push_back(file.problem().what);
    return;
  }
  const Result<record::RecordReader> reader = record::RecordReader::over(file->bytes());
  if (!reader) {
    if (!never_begun(file->bytes())) ++report_.records_lost;
    report_.notes.push_back(thread.path + ": " + reader.problem().what);
    return;
  }
  thread.usable = true;
  set_kind(thread, input_.definitions, reader->header().kind);
  report_.records_lost += reader->header().lost_records;
  report_.records_unstored += reader->header().lost_records;
  usage.add(*reader, thread.number);
}

namespace {

void write_offsets(otf2::ArchiveWriter& archive, std::uint64_t location,
                   const ClockOffsets& offsets) {
  archive.write_local_definitions(location, [&](OTF2_DefWriter* writer) {
    for (const ClockOffsets::Point& d : offsets.points()) {
      OTF2_DefWriter_WriteClockOffset(writer, static_cast<std::uint64_t>(d.local), d.offset,
                                      static_cast<double>(d.error));
    }
  });
}

}  // namespace

ProcessReport ProcessRecords::write(otf2::ArchiveWriter& archive, const ProcessMap& map,
                                    const ClockOffsets& offsets, bool scalasca25) {
  if (!has_clock()) {
    report_.notes.push_back(
        "rank " + std::to_string(rank_) +
        ": its log does not say how its clock ran, so its records have no time");
  }
  std::vector<std::uint64_t> locations;
  for (const ThreadRecords& thread : threads_) {
    if (thread.number != 0 && (!thread.usable || !has_clock())) continue;
    locations.push_back(location_id(rank_, thread.number));
    report_.locations.push_back(write_thread(archive, thread, map, offsets, scalasca25));
  }
  report_.present = threads_.front().usable && has_clock();
  for (const std::uint64_t location : locations) write_offsets(archive, location, offsets);
  return std::move(report_);
}

// Converts a thread. A main thread without records becomes a location without events, because ranks
// have no gaps.
LocationReport ProcessRecords::write_thread(otf2::ArchiveWriter& archive,
                                            const ThreadRecords& thread, const ProcessMap& map,
                                            const ClockOffsets& offsets, bool scalasca25) {
  LocationReport report{rank_,       thread.number, thread.name, {},
                        thread.kind, thread.device, thread.cores};
  archive.write_location(location_id(rank_, thread.number), [&](OTF2_EvtWriter* out) {
    if (!thread.usable || !has_clock()) return;
    const Result<FileView> file = FileView::open(thread.path);
    if (!file) {
      vanished_ = thread.path;
      ++report_.records_lost;
      report_.notes.push_back(file.problem().what);
      return;
    }
    Result<record::RecordReader> reader = record::RecordReader::over(file->bytes());
    if (!reader) return;
    LocationWriter writer(out, map, clock_, scalasca25, &teams_);
    for (record::Record r; reader->next(r);) {
      if (!writer.write(r)) return;
    }
    report.events = writer.finish(report_.complete);
    if (report.events.stepped_back != 0) {
      report_.notes.push_back("rank " + std::to_string(rank_) + ": its clock stepped back; " +
                              std::to_string(report.events.stepped_back) +
                              " events have the time of the one before");
    }
    if (const std::uint64_t unknown = report.events.mended.unknown_kinds; unknown != 0) {
      report_.notes.push_back(thread.path + ": " + std::to_string(unknown) +
                              (unknown == 1 ? " record is" : " records are") +
                              " of kinds that this release does not know");
    }
    if (report.events.in_teams && thread.number != 0 &&
        report.name == default_name(thread.number)) {
      report.name = "OMP thread " + std::to_string(thread.number);
    }
    if (report.events.threads > 1) {
      report.name += " (" + std::to_string(report.events.threads) + " one after another)";
    }
    report.events.first = offsets.corrected(report.events.first);
    report.events.last = offsets.corrected(report.events.last);
    if (const auto& damages = reader->damages(); !damages.empty()) {
      report_.records_lost += damages.size();
      report_.notes.push_back(thread.path + ": byte " + std::to_string(damages.front().offset) +
                              ": " + damages.front().what);
    }
  });
  return report;
}

void write_empty_process(otf2::ArchiveWriter& archive, std::uint32_t rank) {
  const std::uint64_t location = location_id(rank, 0);
  archive.write_location(location, [](OTF2_EvtWriter*) {});
  write_offsets(archive, location, ClockOffsets());
}

void ProcessReport::put(ByteWriter& out) const {
  out.put(rank);
  out.put(present);
  out.put(complete);
  out.put(records_lost);
  out.put(records_unstored);
  out.put(std::uint64_t{locations.size()});
  for (const LocationReport& d : locations) {
    out.put(d.thread);
    out.put_text(d.name);
    out.put(d.events);
    out.put(d.kind);
    out.put_text(d.device);
    out.put_text(d.cores);
  }
  out.put(std::uint64_t{losses.size()});
  for (const record::LostDefinition& d : losses) {
    out.put_text(d.what);
    out.put(d.count);
  }
  out.put(std::uint64_t{notes.size()});
  for (const std::string& note : notes) out.put_text(note);
}

ProcessReport ProcessReport::get(ByteReader& in) {
  ProcessReport report;
  report.rank = in.get<std::uint32_t>();
  report.present = in.get<bool>();
  report.complete = in.get<bool>();
  report.records_lost = in.get<std::uint64_t>();
  report.records_unstored = in.get<std::uint64_t>();
  for (auto count = in.get<std::uint64_t>(); count != 0 && in.ok(); --count) {
    LocationReport& d = report.locations.emplace_back();
    d.rank = report.rank;
    d.thread = in.get<std::uint32_t>();
    d.name = in.get_text();
    d.events = in.get<LocationEvents>();
    d.kind = in.get<record::LocationKind>();
    d.device = in.get_text();
    d.cores = in.get_text();
  }
  for (auto count = in.get<std::uint64_t>(); count != 0 && in.ok(); --count) {
    record::LostDefinition& d = report.losses.emplace_back();
    d.what = in.get_text();
    d.count = in.get<std::uint64_t>();
  }
  for (auto count = in.get<std::uint64_t>(); count != 0 && in.ok(); --count) {
    report.notes.emplace_back(in.get_text());
  }
  return report;
}

}  // namespace latecomer::convert
