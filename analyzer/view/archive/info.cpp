// SPDX-License-Identifier: BSD-3-Clause
// Prints an archive, one block per question: what it is, which processes took part, what is
// defined, what is missing.
#include "analyzer/view/archive/info.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analyzer/view/text/text.hpp"
#include "archive/layout.hpp"
#include "archive/printable.hpp"
#include "archive/rank_list.hpp"

namespace latecomer::view {
namespace {

constexpr std::size_t kMostRows = 32;  // rows that a table has at most

std::string more(std::size_t all, std::size_t shown) {
  if (all <= shown) return "";
  return "  ... and " + with_commas(all - shown) + " more, see --json\n";
}

// "metahost bonn: rank 0; metahost paris: ranks 2, 3"
std::string ranks_by_metahost(const ArchiveInfo& info, bool here) {
  std::vector<std::pair<std::string, std::vector<int>>> found;
  for (const auto& process : info.processes) {
    if (process.here != here) continue;
    // A part that was repaired alone does not know the others.
    const bool known = here || process.node != layout::kUnknownHost;
    const std::string place = known ? "metahost " + process.metahost : "another metahost";
    auto entry = std::ranges::find(found, place, &decltype(found)::value_type::first);
    if (entry == found.end()) entry = found.insert(found.end(), {place, {}});
    entry->second.push_back(static_cast<int>(process.rank));
  }
  std::string text;
  for (const auto& [place, ranks] : found) {
    text += (text.empty() ? "" : "; ") + place + ": " + rank_list(ranks);
  }
  return text.empty() ? "nothing" : text;
}

struct Size {
  std::uint64_t locations = 0, events = 0, events_there = 0, nodes = 0, unsynchronized = 0;
};

Size size_of(const ArchiveInfo& info) {
  Size size;
  std::set<std::pair<std::string, std::string>> nodes;
  for (const auto& process : info.processes) {
    if (process.node != layout::kUnknownHost) nodes.emplace(process.metahost, process.node);
    for (const auto& location : process.locations) {
      ++size.locations;
      size.events += location.events;
      size.events_there += location.events_there;
      size.unsynchronized += process.here && location.clock_offsets < 2 ? 1 : 0;
    }
  }
  size.nodes = std::max<std::size_t>(1, nodes.size());
  return size;
}

// "2,974 of 4,956": the number in the file, and the one that the archive announces.
std::string there_of(std::uint64_t there, std::uint64_t announced) {
  if (there > announced) return with_commas(there) + " (announced " + with_commas(announced) + ")";
  return (there == announced ? "" : with_commas(there) + " of ") + with_commas(announced);
}

bool is_set(const ArchiveInfo& info, const char* name) {
  return std::ranges::find(info.properties, std::pair<std::string, std::string>{name, "true"}) !=
         info.properties.end();
}

std::uint64_t property(const ArchiveInfo& info, const char* name) {
  for (const auto& [known, value] : info.properties) {
    std::uint64_t number = 0;
    if (known == name) std::from_chars(value.data(), value.data() + value.size(), number);
    if (known == name) return number;
  }
  return 0;
}

// Reasons why an analysis of this archive will be partial, as far as they are visible without
// reading events.
std::vector<std::string> info_lacks(const ArchiveInfo& info) {
  std::vector<std::string> lacks;
  if (info.parts > 1) lacks.emplace_back("a part of an archive");
  if (const auto n = property(info, layout::kPropertyUnfinished); n > 0) {
    lacks.push_back(with_commas(n) + (n == 1 ? " process" : " processes") +
                    " without MPI_Finalize");
  }
  for (const auto& [name, ranks] : info.properties) {
    if (name == layout::kPropertyAbsent) lacks.push_back(ranks + " took no part");
  }
  if (const auto n = property(info, layout::kPropertyRecordsLost); n > 0) {
    lacks.push_back(counted(n, "record") + " lost");
  }
  if (const auto n = info.missing_files.size(); n > 0) {
    lacks.push_back(counted(n, "file") + " missing");
  }
  if (const auto n = info.cut_files.size(); n > 0) {
    lacks.push_back(counted(n, "file") + " cut or damaged");
  }
  if (lacks.empty() && is_set(info, layout::kPropertyPartial)) {
    lacks.emplace_back("records of processes missing");
  }
  return lacks;
}

std::string head(const ArchiveInfo& info, const Size& size) {
  Table table("ll");
  table.add({"archive", printable(info.path)});
  table.add({"written by", info.creator.empty() ? "unknown" : info.creator});
  table.add({"program", info.program.empty() ? "unknown" : info.program});
  table.add({"size", counted(info.processes.size(), "rank") + ", " +
                         counted(size.locations, "location") + ", " + counted(size.nodes, "node") +
                         ", " +
                         (size.events_there == size.events
                              ? counted(size.events, "event")
                              : there_of(size.events_there, size.events) + " events")});
  table.add({"time", (info.duration > 0 ? duration_text(info.duration) + ", " : "") +
                         with_commas(info.ticks_per_second) + " ticks per second"});
  const auto lacks = info_lacks(info);
  std::string state = lacks.empty() ? "complete" : "partial: ";
  for (std::size_t n = 0; n < lacks.size(); ++n) state += (n == 0 ? "" : "; ") + lacks[n];
  table.add({"state", state});
  if (info.parts > 1) {
    table.add(
        {"part", "one of " + with_commas(info.parts) + "; events of other ranks are elsewhere"});
    table.add({"  here", ranks_by_metahost(info, true)});
    table.add({"  elsewhere", ranks_by_metahost(info, false)});
  }
  return table.text();
}

std::string metahosts(const ArchiveInfo& info) {
  if (info.metahosts.size() < 2) return "";
  Table table("lrr");
  table.add({"metahost", "nodes", "processes"});
  for (const auto& metahost : info.metahosts) {
    table.add({metahost.name, with_commas(metahost.nodes), with_commas(metahost.processes)});
  }
  return std::string("\n") + table.text();
}

std::string processes(const ArchiveInfo& info) {
  const bool several = info.metahosts.size() > 1;
  const bool knows_cores = std::ranges::any_of(info.processes, [](const auto& process) {
    return std::ranges::any_of(process.locations, [](const auto& l) { return !l.cores.empty(); });
  });
  std::string columns = several ? "rlllrll" : "rllrll";
  std::vector<std::string> title = {"rank", "node", "location", "events", "clock offset", ""};
  if (knows_cores) {
    columns.insert(columns.end() - 1, 'l');
    title.insert(title.end() - 1, "cores");
  }
  Table table(columns);
  if (several) title.insert(title.begin() + 1, "metahost");
  table.add(title);
  std::size_t rows = 0;
  for (const auto& process : info.processes) {
    for (const auto& location : process.locations) {
      // Rows beyond the limit are only counted.
      if (++rows > kMostRows) continue;
      std::string offset = process.here ? "none" : "";
      if (location.clock_offsets >= 2) {
        offset = duration_text(location.first_offset);
        if (location.last_offset != location.first_offset) {
          offset += " to " + duration_text(location.last_offset);
        }
      }
      std::vector<std::string> row = {std::to_string(process.rank),
                                      process.node,
                                      location.name,
                                      there_of(location.events_there, location.events),
                                      offset,
                                      !process.here         ? "elsewhere"
                                      : location.is_cut     ? "event file cut"
                                      : location.has_events ? ""
                                                            : "event file missing"};
      if (knows_cores) row.insert(row.end() - 1, location.cores);
      if (several) row.insert(row.begin() + 1, process.metahost);
      table.add(row);
    }
  }
  return std::string("\n") + table.text() + more(rows, kMostRows);
}

// Programs and libraries that make many communicators make similar ones, which share a row.
std::string communicators(const ArchiveInfo& info) {
  if (info.communicators.empty()) return "\nno communicators\n";
  std::vector<std::pair<std::vector<std::string>, std::size_t>> rows;
  std::map<std::vector<std::string>, std::size_t> row_of;
  for (const auto& comm : info.communicators) {
    std::vector<std::string> row = {comm.name.empty() ? "(unnamed)" : cut(comm.name, 60),
                                    with_commas(comm.size), comm.inter ? "intercommunicator" : ""};
    const auto [at, fresh] = row_of.try_emplace(row, rows.size());
    if (fresh) rows.emplace_back(std::move(row), 0);
    ++rows[at->second].second;
  }
  const bool alike = rows.size() < info.communicators.size();
  Table table(alike ? "lrrl" : "lrl");
  table.add(alike ? std::vector<std::string>{"communicator", "size", "number", ""}
                  : std::vector<std::string>{"communicator", "size", ""});
  for (std::size_t i = 0; i < rows.size() && i < kMostRows; ++i) {
    auto& [row, number] = rows[i];
    if (alike) row.insert(row.begin() + 2, with_commas(number));
    table.add(row);
  }
  return std::string("\n") + table.text() + more(rows.size(), kMostRows);
}

std::string properties(const ArchiveInfo& info) {
  if (info.properties.empty()) return "";
  Table table("ll");
  table.add({"property", "value"});
  for (const auto& [name, value] : info.properties) {
    // It states only that files are missing; the line "state" has everything that is missing.
    if (name != layout::kPropertyPartial) table.add({name, value});
  }
  return std::string("\n") + table.text();
}

std::string regions(const ArchiveInfo& info) {
  std::uint64_t all = 0;
  std::string kinds;
  for (const auto& [paradigm, count] : info.regions) {
    all += count;
    kinds += (kinds.empty() ? "" : ", ") + with_commas(count) + " " + paradigm;
  }
  return std::string("\n") + counted(all, "region") + (kinds.empty() ? "" : ": " + kinds) + "\n";
}

// Samples of the computation, which are events, too.
std::string samples(const ArchiveInfo& info) {
  std::uint64_t count = 0, lost = 0;
  for (const auto& [name, value] : info.properties) {
    const auto number = [&value](std::uint64_t& to) {
      std::from_chars(value.data(), value.data() + value.size(), to);
    };
    if (name == layout::kPropertySamples) number(count);
    if (name == layout::kPropertySamplesLost) number(lost);
  }
  if (count == 0) return "";
  return "\n" + counted(count, "sample") + " of the computation" +
         (lost > 0 ? ", " + with_commas(lost) + " more lost" : "") + "\n";
}

std::string listed(const char* title, const std::vector<std::string>& files) {
  if (files.empty()) return "";
  std::string text = std::string("\n") + title + "\n";
  for (std::size_t i = 0; i < files.size() && i < kMostRows; ++i) text += "  " + files[i] + "\n";
  return text + more(files.size(), kMostRows);
}

std::string missing(const ArchiveInfo& info) {
  if (info.missing_files.empty() && info.cut_files.empty())
    return "\nno files are missing or cut\n";
  return listed("missing files", info.missing_files) +
         listed("files that end early or are damaged", info.cut_files);
}

}  // namespace

std::string info_text(const ArchiveInfo& info) {
  const Size size = size_of(info);
  std::string text = head(info, size) + metahosts(info) + processes(info) + communicators(info) +
                     regions(info) + samples(info) + properties(info) + missing(info);
  if (size.nodes > 1 && size.unsynchronized > 0) {
    text += "\nnote: " + counted(size.unsynchronized, "location") +
            " without clock offsets: times of different nodes may not fit together\n";
  }
  return text;
}

nlohmann::ordered_json info_json(const ArchiveInfo& info) {
  using Json = nlohmann::ordered_json;
  Json metahosts = Json::array(), processes = Json::array(), communicators = Json::array();
  for (const auto& metahost : info.metahosts) {
    metahosts.push_back({{"name", metahost.name},
                         {"nodes", metahost.nodes},
                         {"processes", metahost.processes},
                         {"here", metahost.here}});
  }
  for (const auto& process : info.processes) {
    Json locations = Json::array();
    for (const auto& location : process.locations) {
      locations.push_back({{"id", location.id},
                           {"name", location.name},
                           {"thread", location.thread},
                           {"cores", location.cores},
                           {"events", location.events},
                           {"events_there", location.events_there},
                           {"event_file", location.has_events},
                           {"event_file_cut", location.is_cut},
                           {"clock_offsets", location.clock_offsets},
                           {"first_offset", location.first_offset},
                           {"last_offset", location.last_offset}});
    }
    processes.push_back({{"rank", process.rank},
                         {"name", process.name},
                         {"node", process.node},
                         {"metahost", process.metahost},
                         {"here", process.here},
                         {"locations", locations}});
  }
  for (const auto& comm : info.communicators) {
    communicators.push_back({{"name", comm.name}, {"size", comm.size}, {"inter", comm.inter}});
  }
  Json regions = Json::object(), properties = Json::object();
  for (const auto& [paradigm, count] : info.regions) regions[paradigm] = count;
  for (const auto& [name, value] : info.properties) properties[name] = value;
  return {{"schema_version", 1},
          {"archive", info.path},
          {"creator", info.creator},
          {"program", info.program},
          {"ticks_per_second", info.ticks_per_second},
          {"duration", info.duration},
          {"parts", info.parts},
          {"metahosts", metahosts},
          {"processes", processes},
          {"regions", regions},
          {"communicators", communicators},
          {"properties", properties},
          {"lacks", info_lacks(info)},
          {"missing_files", info.missing_files},
          {"cut_files", info.cut_files}};
}

}  // namespace latecomer::view
