// SPDX-License-Identifier: BSD-3-Clause
// Copies the definitions of a trace into the view's plain data.
#include "analyzer/inspect/read_archive_info.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

#include "analyzer/trace/archive_reader.hpp"
#include "archive/layout.hpp"
#include "archive/otf2/end_mark.hpp"
#include "archive/thread_layout.hpp"

namespace latecomer::cli {
namespace {

namespace fs = std::filesystem;
using view::ArchiveInfo;

void add_metahosts(const trace::Definitions& d, ArchiveInfo& info) {
  std::vector<std::set<std::uint32_t>> nodes(d.metahosts.size());
  for (const auto& metahost : d.metahosts) info.metahosts.push_back({metahost.name});
  for (const auto& process : d.processes) {
    ++info.metahosts[process.metahost].processes;
    if (nodes[process.metahost].insert(process.node).second) {
      ++info.metahosts[process.metahost].nodes;
    }
  }
}

void add_processes(trace::ArchiveReader& reader, ArchiveInfo& info) {
  const auto& d = reader.definitions();
  const auto seconds = [&](std::int64_t ticks) {
    return static_cast<double>(ticks) / static_cast<double>(d.ticks_per_second);
  };
  const fs::path folder = reader.anchor().stem();
  const std::vector<bool> files = reader.event_files();
  for (std::uint32_t rank = 0; rank < d.processes.size(); ++rank) {
    const auto& from = d.processes[rank];
    ArchiveInfo::Process process;
    process.rank = rank;
    process.name = from.name;
    process.node = from.node == trace::kNone ? "" : d.system[from.node].name;
    process.metahost = d.metahosts[from.metahost].name;
    // A part that was repaired alone has empty files for the processes of other parts.
    process.here = info.parts < 2 || std::ranges::any_of(from.locations, [&](std::uint32_t l) {
                     return files[l] && d.locations[l].events > 0;
                   });
    if (process.here) ++info.metahosts[from.metahost].here;
    for (const auto l : from.locations) {
      const auto& location = d.locations[l];
      ArchiveInfo::Location to{location.id, location.name, location.thread, location.events};
      to.events_there = location.events;
      const auto cores = from.properties.find(
          layout::property_of_location(location.id, layout::kPropertyThreadCores));
      if (cores != from.properties.end()) to.cores = cores->second;
      const auto& offsets = reader.clock_offsets(l);
      to.clock_offsets = offsets.size();
      if (!offsets.empty()) {
        to.first_offset = seconds(offsets.front().offset);
        to.last_offset = seconds(offsets.back().offset);
      }
      for (const char* kind : {".evt", ".def"}) {
        const auto file = folder / (std::to_string(location.id) + kind);
        std::error_code ignored;
        const fs::path path = reader.anchor().parent_path() / file;
        if (fs::exists(path, ignored)) {
          // A file without its end mark is incomplete, except the empty file of a location without
          // events.
          if (otf2::has_end_mark(path) || (location.events == 0 && fs::is_empty(path, ignored))) {
            continue;
          }
          info.cut_files.push_back(file.string());
          if (kind == std::string(".evt")) {
            to.is_cut = true;
            to.events_there = reader.count_events(l);
          }
          continue;
        }
        if (process.here) info.missing_files.push_back(file.string());
        if (kind == std::string(".evt")) {
          to.has_events = false;
          if (process.here) to.events_there = 0;
        }
      }
      process.locations.push_back(std::move(to));
    }
    info.processes.push_back(std::move(process));
  }
}

}  // namespace

Result<ArchiveInfo> read_archive_info(const fs::path& path) {
  auto reader = trace::ArchiveReader::open(path);
  if (!reader) return reader.problem();
  const auto& d = reader->definitions();
  std::vector<std::uint32_t> all(d.locations.size());
  std::iota(all.begin(), all.end(), 0U);
  reader->select(all);

  ArchiveInfo info;
  info.path = reader->anchor().string();
  info.creator = d.creator;
  info.program = d.program;
  info.ticks_per_second = d.ticks_per_second;
  info.duration = static_cast<double>(d.trace_length) / static_cast<double>(d.ticks_per_second);
  if (const auto parts = d.properties.find(layout::kPropertyParts); parts != d.properties.end()) {
    const std::string& text = parts->second;
    std::from_chars(text.data(), text.data() + text.size(), info.parts);
  }
  add_metahosts(d, info);
  add_processes(*reader, info);
  std::map<std::string, std::uint64_t> paradigms;
  for (const auto& region : d.regions) ++paradigms[region.paradigm];
  info.regions.assign(paradigms.begin(), paradigms.end());
  std::stable_sort(info.regions.begin(), info.regions.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  // Only communicators that the archive defines; the list in memory also has those of windows.
  for (std::uint32_t i = 0; i < d.comm_ids.size(); ++i) {
    info.communicators.push_back({d.comms[i].name, d.comms[i].size(), d.comms[i].inter});
  }
  info.properties.assign(d.properties.begin(), d.properties.end());
  return info;
}

}  // namespace latecomer::cli
