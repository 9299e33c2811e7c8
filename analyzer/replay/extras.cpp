// SPDX-License-Identifier: BSD-3-Clause
// Collects the report's extra facts. Counts are summed over all processes and lists are sorted, so
// the result does not depend on which process hosts which location.
#include "analyzer/replay/extras.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "analyzer/replay/endings.hpp"
#include "analyzer/replay/run_notes.hpp"
#include "analyzer/report/extras/extras.hpp"
#include "analyzer/trace/definitions/known_node.hpp"
#include "archive/layout.hpp"
#include "archive/plain_file.hpp"
#include "archive/shell_words.hpp"

namespace latecomer::replay {
namespace {

using trace::Quality;

constexpr std::size_t kListed = 20;  // largest number of listed call paths or files

std::int64_t property(const trace::Definitions& definitions, const char* name) {
  const auto it = definitions.properties.find(name);
  std::int64_t value = 0;
  if (it != definitions.properties.end()) {
    std::from_chars(it->second.data(), it->second.data() + it->second.size(), value);
  }
  return value;
}

trace::QualityCounts total_quality(const ExtrasInput& in, parallel::Processes& processes) {
  trace::QualityCounts total;
  for (std::size_t l = 0; l < in.mine.size(); ++l) {
    const auto& events = in.mine[l];
    for (std::size_t q = 0; q < total.values().size(); ++q) {
      const auto quality = static_cast<Quality>(q);
      total.add(quality, events.quality[quality] + in.replay_quality[l][quality]);
    }
    const std::uint32_t rank = in.definitions.locations[events.location].process;
    // The end of a cut file says nothing about the process; such files have their own counter.
    if (events.complete && events.stop.unfinished() && !lost_records(in.definitions, rank)) {
      total.add(Quality::kUnfinishedProcesses);
    }
  }
  total.add(Quality::kUnmatchedSends, std::ssize(in.messages.sends));
  total.add(Quality::kUnmatchedReceives, std::ssize(in.messages.receives));
  total.add(Quality::kUnmatchedCollectives, std::ssize(in.collectives.calls));
  total.add(Quality::kEdgeMessages, in.messages.at_edges);
  total.add(Quality::kEdgeCollectives, std::ssize(in.collectives.at_edges));
  total.add(Quality::kUnevenGaps, in.messages.uneven_channels);
  for (const auto& other : in.others) {
    total.add(Quality::kOtherLocations, static_cast<std::int64_t>(other.unused));
  }
  processes.sum(total.values());
  total.add(Quality::kLostRecords, property(in.definitions, layout::kPropertyRecordsLost));
  // The archive may know of more unfinished processes than the events show.
  const auto known = property(in.definitions, layout::kPropertyUnfinished);
  total.add(Quality::kUnfinishedProcesses,
            std::max<std::int64_t>(0, known - total[Quality::kUnfinishedProcesses]));
  return total;
}

// A file that cannot be read, or not to its end.
struct LostFile {
  std::uint64_t id = 0;  // id of its location
  std::uint64_t events = 0, announced = 0;
  trace::Ticks last = 0;  // time of the last event read
  int error = 0;          // errno, if known
};

// The extent to which a file could be read: "2974 of 4956 events, up to 1.250 s" (since the begin).
std::string how_far(const LostFile& file, trace::Ticks begin, std::uint64_t ticks_per_second) {
  std::string text = std::to_string(file.events);
  if (file.announced >= file.events) text += " of " + std::to_string(file.announced);
  text += file.announced == 1 ? " event" : " events";
  if (file.announced < file.events) text += ", announced " + std::to_string(file.announced);
  if (file.events > 0) {
    const double seconds =
        static_cast<double>(file.last - begin) / static_cast<double>(ticks_per_second);
    const int digits = seconds < 1 ? 6 : 3;
    std::array<char, 64> number{};
    std::snprintf(number.data(), number.size(), "%.*f", digits, seconds);
    text += std::string(", up to ") + number.data() + " s";
  }
  return text;
}

// Adds the names of the files that a counter is about, in the order of locations. Also adds why
// they cannot be read, if known, and how far they were read. `begin`: begin of the run. Collective.
void add_files(report::QualityNote& note, Quality quality, const ExtrasInput& in,
               trace::Ticks begin, parallel::Processes& processes) {
  parallel::Packer pack;
  std::size_t own = 0;
  for (const auto& events : in.mine) {
    if (events.quality[quality] == 0 || own == kListed) continue;
    ++own;
    const auto& location = in.definitions.locations[events.location];
    pack.put(LostFile{location.id, events.events, location.events, events.last, events.error});
  }
  std::vector<LostFile> found;
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker part(bytes); !part.done();) found.push_back(part.get<LostFile>());
  }
  std::ranges::sort(found, {}, &LostFile::id);
  const bool is_definitions = quality == Quality::kUnreadOffsets;
  const bool is_read =
      quality == Quality::kTruncatedLocations || quality == Quality::kEventCountDiffers;
  bool has_notes = false;
  for (std::size_t i = 0; i < found.size() && i < kListed; ++i) {
    const LostFile& file = found[i];
    note.files.push_back(std::string(layout::kArchiveName) + '/' + std::to_string(file.id) +
                         (is_definitions ? ".def" : ".evt"));
    std::string text = is_read ? how_far(file, begin, in.definitions.ticks_per_second) : "";
    if (file.error != 0 && !is_definitions) {
      text += (text.empty() ? "" : ": ") + file_error(file.error);
    }
    has_notes = has_notes || !text.empty();
    note.file_notes.push_back(std::move(text));
  }
  if (!has_notes) note.file_notes.clear();
}

// The MPI functions that the filter of the run left out, if any.
std::optional<report::QualityNote> functions_left_out(const trace::Definitions& definitions) {
  constexpr std::size_t kNamed = 5;
  const auto property = definitions.properties.find(layout::kPropertyFunctionsLeftOut);
  if (property == definitions.properties.end() || property->second.empty()) return {};
  const std::string& all = property->second;
  const auto count = std::ranges::count(all, ',') + 1;
  std::string names;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < kNamed && begin < all.size(); ++i) {
    const std::size_t end = std::min(all.find(',', begin), all.size());
    names += (i == 0 ? "" : ", ") + all.substr(begin, end - begin);
    begin = end + 1;
  }
  if (begin < all.size()) names += ", ...";
  return report::QualityNote{"functions_left_out",
                             count,
                             (count == 1 ? "MPI function that the filter left out: "
                                         : "MPI functions that the filter left out: ") +
                                 names +
                                 (count == 1 ? "; its time is that of its callers"
                                             : "; their time is that of their callers"),
                             false,
                             {}};
}

bool is_about_files(Quality quality) {
  return quality == Quality::kMissingLocations || quality == Quality::kTruncatedLocations ||
         quality == Quality::kUnreadOffsets || quality == Quality::kEventCountDiffers;
}

std::string path_of(const ExtrasInput& in, std::uint32_t node) {
  std::string path;
  for (; node != trace::kNone; node = in.tree.nodes[node].parent) {
    const auto& name = in.definitions.regions[in.tree.nodes[node].region].name;
    path = path.empty() ? name : name + "/" + path;
  }
  return path;
}

// Operations without partner by kind and call path, largest count first.
std::vector<report::Unmatched> unmatched_list(const ExtrasInput& in,
                                              parallel::Processes& processes) {
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // kind, call path
  std::map<Key, std::int64_t> counts;
  const auto count = [&](std::uint32_t kind, const std::vector<Unmatched>& list) {
    for (const auto& u : list) {
      ++counts[{kind, in.tree.from_local[in.mine[u.location].calls[u.call].node]}];
    }
  };
  count(0, in.messages.sends);
  count(1, in.messages.receives);
  count(2, in.collectives.calls);
  parallel::Packer pack;
  for (const auto& [key, n] : counts) {
    pack.put(key.first);
    pack.put(key.second);
    pack.put(n);
  }
  counts.clear();
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker part(bytes); !part.done();) {
      const auto kind = part.get<std::uint32_t>();
      const auto node = part.get<std::uint32_t>();
      counts[{kind, node}] += part.get<std::int64_t>();
    }
  }
  std::vector<std::pair<Key, std::int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& entry) { return entry.second; });
  static constexpr const char* kKinds[] = {"send", "receive", "collective"};
  std::vector<report::Unmatched> list;
  for (const auto& [key, n] : sorted) {
    if (list.size() == kListed) break;
    list.push_back({kKinds[key.first], path_of(in, key.second), n});
  }
  return list;
}

// The cost of recording the events; nothing if the archive does not say. scripts/scan_lib/cost.py
// computes the same sum.
std::optional<report::Measurement> measurement_of(const trace::Definitions& definitions,
                                                  const report::Extras& extras) {
  const auto found = definitions.properties.find(layout::kPropertyEventCost);
  if (found == definitions.properties.end()) return {};
  const auto number = [&definitions](const char* name) {
    const auto at = definitions.properties.find(name);
    return at == definitions.properties.end() ? 0 : std::strtod(at->second.c_str(), nullptr);
  };
  const double calibrated = 1e-9 * number(layout::kPropertyEventCost);
  // Properties are in nanoseconds. Processor time is a better base than wall-clock time if
  // processes share cores.
  const double processor = 1e-9 * number(layout::kPropertyProcessorTime);
  const double wall = extras.run.duration * static_cast<double>(extras.run.ranks);
  const double time = processor > 0 ? processor : wall;
  const auto events = static_cast<double>(extras.run.events);
  if (!(calibrated > 0) || !(time > 0) || events == 0) return {};
  // The cost of events of regions is measured where they happen, that of MPI events is calibrated.
  const double of_regions = number(layout::kPropertyRegionEvents);
  const double of_samples = number(layout::kPropertySamples);  // they have a cost of their own
  const double of_mpi = std::max(0.0, events - of_regions - of_samples);
  const double recording = 1e-9 * number(layout::kPropertyRegionEventCost) + of_mpi * calibrated;
  const double in_rows = number(layout::kPropertyCallsInRows);
  const double filtered = 1e-9 * number(layout::kPropertyFilteredEventCost);
  const double threads = 1e-9 * number(layout::kPropertyThreadCost);
  const double stacks = 1e-9 * number(layout::kPropertyStackCost);
  const double samples = 1e-9 * number(layout::kPropertySampleCost);
  const double flushes = 1e-9 * number(layout::kPropertyFlushCost);
  const double in_memory = number(layout::kPropertyBufferedCalls);
  // An unsuccessful test in a row costs an enter and a leave, a call that only touches the buffer
  // of a file half an event.
  const double all = recording + (2 * in_rows + in_memory / 2) * calibrated + filtered + threads +
                     stacks + samples + flushes;
  const auto whole = [&number](const char* name) {
    return static_cast<std::int64_t>(number(name));
  };
  report::Measurement out;
  out.events = extras.run.events;
  out.seconds_per_event = recording / std::max(1.0, of_regions + of_mpi);
  out.seconds = all;
  out.fraction = all / time;
  if (processor > 0) out.processor_seconds = processor;
  if (of_regions > 0) {
    out.region_events = {whole(layout::kPropertyRegionEvents),
                         1e-9 * number(layout::kPropertyRegionEventCost)};
  }
  if (number(layout::kPropertyFilteredEvents) > 0) {
    out.filtered_events = {whole(layout::kPropertyFilteredEvents), filtered};
  }
  if (threads > 0) out.seconds_for_threads = threads;
  if (stacks > 0) out.stacks = {whole(layout::kPropertyStacksUnwound), stacks};
  if (samples > 0) out.samples = {whole(layout::kPropertySamples), samples};
  if (flushes > 0) out.flushes = {whole(layout::kPropertyFlushes), flushes};
  if (in_rows > 0) out.unsuccessful_polls = whole(layout::kPropertyCallsInRows);
  return out;
}

// Number of ranks in a text of rank_list(): "ranks 0, 2-4" has 4. At least 1.
std::int64_t ranks_in(const std::string& list) {
  std::int64_t count = 0, first = 0;
  const char* const end = list.data() + list.size();
  for (const char* at = list.data(); at < end;) {
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0) {
      ++at;
      continue;
    }
    const bool is_last = at > list.data() && at[-1] == '-';
    count += is_last ? std::max<std::int64_t>(0, number - first) : 1;
    first = number;
    at = rest;
  }
  return std::max<std::int64_t>(1, count);
}

}  // namespace

report::Extras collect_extras(const ExtrasInput& in, parallel::Processes& processes) {
  report::Extras extras;
  extras.program.name = in.definitions.program;
  const auto& program = in.definitions.regions[in.definitions.program_region];
  // The canonical name is the path of the program followed by its arguments.
  extras.program.arguments = shell_words(program.canonical);
  if (!extras.program.arguments.empty()) {
    extras.program.arguments.erase(extras.program.arguments.begin());
  }
  extras.call_paths_from_stacks = in.definitions.call_paths_from_stacks();
  if (const auto launch = in.definitions.properties.find(layout::kPropertyLaunch);
      launch != in.definitions.properties.end()) {
    extras.run.launch = launch->second;
  }
  extras.run.ranks = in.definitions.processes.size();
  extras.run.locations = in.definitions.locations.size();
  std::set<std::uint32_t> nodes;
  for (const auto& process : in.definitions.processes) {
    if (trace::has_known_node(in.definitions, process)) nodes.insert(process.node);
  }
  extras.run.nodes = std::max<std::size_t>(1, nodes.size());
  for (const auto& metahost : in.definitions.metahosts) {
    extras.run.metahosts.push_back(metahost.name);
  }
  std::int64_t first = INT64_MAX, last = INT64_MIN, events = 0;
  for (const auto& own : in.mine) {
    if (own.events == 0) continue;
    first = std::min(first, own.first);
    last = std::max(last, own.last);
    events += static_cast<std::int64_t>(own.events);
  }
  first = processes.min(first);
  last = processes.max(last);
  if (first <= last) {
    extras.endings = endings(in.definitions, in.tree, in.mine, first, processes);
    extras.run.duration =
        static_cast<double>(last - first) / static_cast<double>(in.definitions.ticks_per_second);
  }
  extras.run.events = static_cast<std::uint64_t>(processes.sum(events));

  extras.quality = in.clock_notes;
  std::ranges::move(run_notes(in.definitions, in.tree), std::back_inserter(extras.quality));
  if (auto note = functions_left_out(in.definitions)) extras.quality.push_back(*std::move(note));
  if (const auto absent = in.definitions.properties.find(layout::kPropertyAbsent);
      absent != in.definitions.properties.end()) {
    const std::int64_t count = ranks_in(absent->second);
    extras.quality.push_back({"took_no_part",
                              count,
                              std::string(count == 1 ? "rank" : "ranks") +
                                  " took no part in the measurement: " + absent->second +
                                  " (run without the measurement library); what the others waited "
                                  "for them is not known, and clocks were not compared",
                              true,
                              {}});
  }
  if (in.definitions.properties.contains(layout::kPropertyFilterUnmatched) ||
      in.definitions.properties.contains(layout::kPropertyFilterUnmatchedOld)) {
    extras.quality.push_back(
        {"filter_unmatched",
         1,
         "filter for functions of the program that met none: filters are about instrumented "
         "functions and named regions",
         false,
         {}});
  }
  const auto quality = total_quality(in, processes);
  for (std::size_t q = 0; q < static_cast<std::size_t>(Quality::kCount); ++q) {
    const auto which = static_cast<Quality>(q);
    if (quality[which] == 0) continue;
    const auto& info = trace::quality_info(which);
    const auto why = in.definitions.properties.find(layout::kPropertyRecordsLostWhy);
    const bool is_told = which == Quality::kLostRecords && why != in.definitions.properties.end();
    std::string text = is_told ? info.text(quality[which], why->second) : info.text(quality[which]);
    if (which == Quality::kMissingLocations) {
      for (const auto& sentence : in.unseen) text += "; " + sentence;
    }
    extras.quality.push_back({info.name, quality[which], text, info.partial, {}});
    if (is_about_files(which)) add_files(extras.quality.back(), which, in, first, processes);
    if (info.partial) extras.partial = true;
  }
  extras.settings.scalasca_compatible = in.scalasca_compatible;
  extras.results.emplace();
  extras.results->measurement = measurement_of(in.definitions, extras);
  extras.results->unmatched = unmatched_list(in, processes);
  return extras;
}

}  // namespace latecomer::replay
