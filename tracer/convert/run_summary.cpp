// SPDX-License-Identifier: BSD-3-Clause
// Sets properties honestly: complete means that nothing is known to be missing.
#include "tracer/convert/run_summary.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "archive/layout.hpp"
#include "archive/plain_file.hpp"
#include "archive/thread_layout.hpp"
#include "archive/version.hpp"

namespace latecomer::convert {
namespace {

// Makes a name that OTF2 allows for a property: "data types" -> "DATA_TYPES".
std::string property_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    word += std::isalnum(letter) != 0 ? static_cast<char>(std::toupper(letter)) : '_';
  }
  return word.empty() ? "UNNAMED" : word;
}

std::string joined(const std::set<std::string>& reasons) {
  std::string text;
  for (const auto& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

// Limit of notes. One per process and kind is enough to see what happened.
constexpr std::size_t kMaxNotes = 20;

}  // namespace

RunSummary::RunSummary(std::uint32_t size, std::vector<ProcessReport> reports,
                       std::uint64_t unknown_comms)
    : size_(size) {
  report_.processes = size;
  std::sort(reports.begin(), reports.end(),
            [](const ProcessReport& a, const ProcessReport& b) { return a.rank < b.rank; });
  auto next = reports.begin();
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    if (next != reports.end() && next->rank == rank) {
      add(*next++);
    } else {
      report_.missing.push_back(rank);
      locations_.push_back({.rank = rank, .name = "Master thread"});
    }
  }
  if (unknown_comms != 0) {
    losses_["communicators"] += unknown_comms;
    report_.notes.push_back(std::to_string(unknown_comms) +
                            " communicators are left out: who belonged to them is not known");
  }
  if (report_.notes.size() > kMaxNotes) {
    const std::size_t more = report_.notes.size() - kMaxNotes;
    report_.notes.resize(kMaxNotes);
    report_.notes.push_back("and " + std::to_string(more) + " more");
  }
}

void RunSummary::add(const ProcessReport& process) {
  if (!process.present) report_.missing.push_back(process.rank);
  if (!process.complete) report_.unfinished.push_back(process.rank);
  report_.records_lost += process.records_lost;
  for (const record::LostDefinition& d : process.losses) losses_[d.what] += d.count;
  report_.notes.insert(report_.notes.end(), process.notes.begin(), process.notes.end());

  for (const LocationReport& d : process.locations) {
    // Lost records are a property of the process, so only its first location has their number.
    locations_.push_back({d.rank, d.thread, d.events.count, d.name,
                          d.thread == 0 ? process.records_unstored : 0, d.kind, d.device, d.cores});
    const Mended& mended = d.events.mended;
    report_.records_mended += mended.total();
    report_.events += d.events.count;
    calls_in_rows_ += d.events.in_rows;
    threads_in_turn_ += d.events.threads - 1;
    samples_ += d.events.samples;
    file_operations_ += d.events.file_operations;
    flushes_ += d.events.flushes;
    flush_time_ += d.events.flush_time;
    messages_dropped_ = messages_dropped_ || mended.dropped != 0 || mended.unknown_comm != 0;
    was_off_ = was_off_ || d.events.was_off;
    if (d.events.count == 0) continue;
    ++report_.locations;
    begin_ = std::min(begin_, std::max<Nanoseconds>(d.events.first, 0));
    end_ = std::max(end_, d.events.last);
  }
}

void RunSummary::read_logs(std::span<const ProcessInput> processes) {
  for (const ProcessInput& process : processes) {
    const record::Definitions& d = process.definitions;
    has_stacks_ = has_stacks_ || (!d.frames.empty() && process.usage.call_paths);
    cores_.add(d);
    for (const record::Property& property : d.properties) {
      if (property.name == "communication_complete" && property.value == "false") {
        said_incomplete_ = true;
      }
      if (property.name == layout::kLogFunctionsLeftOut) {
        std::istringstream names(property.value);
        for (std::string name; std::getline(names, name, ',');) functions_left_out_.insert(name);
      }
      if (property.name == layout::kLogConstructsLeftOut)
        constructs_left_out_.insert(property.value);
      if (property.name == layout::kLogAbsent) absent_ = property.value;
      if (property.name == layout::kLogLaunch) launch_ = property.value;
      if (property.name == layout::kLogTimeLeftOut) time_left_out_ = true;
      if (property.name == layout::kLogFiltersRegions) filters_regions_ = true;
      if (property.name == layout::kLogFilteredRegion) filtered_region_ = true;
      costs_.add(property, d.clock);
      const auto number = [&] { return std::strtoull(property.value.c_str(), nullptr, 10); };
      // Logs may contain nonsense; then the time is 0.
      const auto nanoseconds = [&] {
        const double all = static_cast<double>(number()) * d.clock.nanoseconds_per_tick;
        return all > 0 && all < 1e18 ? static_cast<std::uint64_t>(all) : 0;
      };
      if (property.name == layout::kLogRegionEvents) region_events_ += number();
      if (property.name == layout::kLogRegionTicks) region_event_cost_ += nanoseconds();
      if (property.name == layout::kLogFilteredEvents) filtered_events_ += number();
      if (property.name == layout::kLogFilteredTicks) filtered_event_cost_ += nanoseconds();
      if (property.name == layout::kLogProcessorTime) {
        processor_time_ += number();
        ++processor_times_;
      }
      if (property.name == layout::kLogThreadCost) thread_cost_ += number();
      if (property.name == layout::kLogRecordsLostWhy) lost_why_.insert(property.value);
      if (property.name == layout::kLogSamplesLost) samples_lost_ += number();
      if (property.name == layout::kLogSamplesRefused) {
        ++samples_refused_;
        samples_refused_why_.insert(property.value);
      }
      if (property.name == layout::kLogSamplesBySignals) {
        ++samples_by_signals_;
        samples_by_signals_why_.insert(property.value);
      }
      if (property.name == layout::kLogCountersRefused) {
        ++counters_refused_;
        counters_refused_why_.insert(property.value);
      }
      if (property.name == layout::kLogCountersScaled) ++counters_scaled_;
      if (property.name == layout::kLogCountersLost) counters_lost_ += number();
      if (property.name == layout::kLogEarlyThreads) early_threads_ += number();
      if (property.name == layout::kLogOpenMpRuntimes) {
        ++several_runtimes_;
        runtimes_.insert(property.value);
      }
      if (property.name == layout::kLogSampleCost) sample_cost_ += number();
      if (property.name == layout::kLogSamplesUserOnly) ++samples_user_only_;
      if (property.name == layout::kLogSwitchesLost) switches_lost_ += number();
      if (property.name == layout::kLogUnknownPython) {
        ++unknown_pythons_;
        unknown_python_.insert(property.value);
      }
      if (property.name == layout::kLogBufferedCalls) buffered_calls_ += number();
      if (property.name == layout::kLogFileCallsLeftOut) file_calls_left_out_ += number();
      if (property.name == layout::kLogStacks) stacks_ += number();
      if (property.name == layout::kLogStackCost) stack_cost_ += number();
      if (property.name != "wall_minus_clock" || process.rank != 0) continue;
      std::int64_t distance = 0;
      const std::string& text = property.value;
      std::from_chars(text.data(), text.data() + text.size(), distance);
      wall_minus_trace_ = distance;
    }
  }
}

TimeLine RunSummary::time_line() const {
  TimeLine time;
  if (begin_ > end_) return time;
  // A killed process lived longer than its last event. An end more than a year later is nonsense.
  constexpr Nanoseconds kDays = 366LL * 24 * 3600 * 1'000'000'000;
  Nanoseconds end = end_;
  if (ended_ && wall_minus_trace_ && !report_.unfinished.empty()) {
    Nanoseconds ended = 0;
    const bool fits = !__builtin_sub_overflow(*ended_, *wall_minus_trace_, &ended);
    if (fits && ended > end_ && ended - end_ < kDays) end = ended;
  }
  time.begin = static_cast<std::uint64_t>(begin_);
  time.length = static_cast<std::uint64_t>(end - begin_);
  if (wall_minus_trace_) time.wall = static_cast<std::uint64_t>(begin_ + *wall_minus_trace_);
  return time;
}

// True if every message has its partner: all processes are whole, nothing was lost or dropped, and
// recording was never off.
bool RunSummary::communication_complete() const {
  return report_.missing.empty() && report_.unfinished.empty() && report_.records_lost == 0 &&
         !messages_dropped_ && losses_.empty() && !was_off_ && !said_incomplete_;
}

void RunSummary::write(otf2::ArchiveWriter& archive, GlobalDefinitions& global,
                       const Clocks& clocks, bool scalasca25) const {
  archive.write_definitions([&](OTF2_GlobalDefWriter* writer) {
    write_definitions(writer, global, locations_, clocks, time_line());
  });
  set_properties(archive.handle(), clocks, scalasca25);
}

void RunSummary::set_properties(OTF2_Archive* archive, const Clocks& clocks,
                                bool scalasca25) const {
  const auto flag = [archive](const char* name, bool value) {
    OTF2_Archive_SetBoolProperty(archive, name, value, true);
  };
  const auto text = [archive](const std::string& name, const std::string& value) {
    OTF2_Archive_SetProperty(archive, name.c_str(), value.c_str(), true);
  };
  // Forks, joins and locks are not recorded, so these are complete only if there cannot be any.
  const bool threads =
      std::ranges::count(locations_, record::LocationKind::kThread, &LocationDefinition::kind) >
      static_cast<std::ptrdiff_t>(size_);
  flag("OTF2::MPI_COMMUNICATION_COMPLETE", communication_complete());
  flag("OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE", !threads);
  flag("OTF2::THREAD_CREATE_WAIT_EVENT_COMPLETE", !threads);
  flag("OTF2::THREAD_LOCK_EVENT_COMPLETE", !threads);
  flag("OTF2::PTHREAD_LOCATION_REUSED", threads_in_turn_ != 0);
  text(layout::kPropertyVersion, LATECOMER_VERSION);
  flag(layout::kPropertyPartial, !report_.missing.empty() || report_.parts > 1);
  if (report_.parts > 1) text(layout::kPropertyParts, std::to_string(report_.parts));
  text(layout::kPropertyRecordsLost, std::to_string(report_.records_lost));
  if (!lost_why_.empty()) text(layout::kPropertyRecordsLostWhy, joined(lost_why_));
  text(layout::kPropertyRecordsMended, std::to_string(report_.records_mended));
  text(layout::kPropertyUnfinished, std::to_string(report_.unfinished.size()));
  for (const auto& [what, count] : losses_) {
    text(std::string(layout::kPropertyLost) + property_word(what), std::to_string(count));
  }
  if (has_stacks_) flag(layout::kPropertyStacks, true);
  costs_.properties(text);
  if (region_events_ != 0) {
    text(layout::kPropertyRegionEvents, std::to_string(region_events_));
    text(layout::kPropertyRegionEventCost, std::to_string(region_event_cost_));
  }
  if (filtered_events_ != 0) {
    text(layout::kPropertyFilteredEvents, std::to_string(filtered_events_));
    text(layout::kPropertyFilteredEventCost, std::to_string(filtered_event_cost_));
  }
  if (processor_times_ == size_) {
    text(layout::kPropertyProcessorTime, std::to_string(processor_time_));
  }
  if (threads_in_turn_ != 0) text(layout::kPropertyThreadsInTurn, std::to_string(threads_in_turn_));
  if (thread_cost_ != 0) text(layout::kPropertyThreadCost, std::to_string(thread_cost_));
  if (stacks_ != 0) {
    text(layout::kPropertyStacksUnwound, std::to_string(stacks_));
    text(layout::kPropertyStackCost, std::to_string(stack_cost_));
  }
  if (samples_ != 0) text(layout::kPropertySamples, std::to_string(samples_));
  if (samples_lost_ != 0) text(layout::kPropertySamplesLost, std::to_string(samples_lost_));
  if (sample_cost_ != 0) text(layout::kPropertySampleCost, std::to_string(sample_cost_));
  if (samples_user_only_ != 0) {
    text(layout::kPropertySamplesUserOnly, std::to_string(samples_user_only_));
  }
  if (switches_lost_ != 0) text(layout::kPropertySwitchesLost, std::to_string(switches_lost_));
  if (samples_refused_ != 0) {
    text(layout::kPropertySamplesRefused, std::to_string(samples_refused_));
    text(layout::kPropertySamplesRefusedWhy, joined(samples_refused_why_));
  }
  if (samples_by_signals_ != 0) {
    text(layout::kPropertySamplesBySignals, std::to_string(samples_by_signals_));
    text(layout::kPropertySamplesBySignalsWhy, joined(samples_by_signals_why_));
  }
  if (counters_refused_ != 0) {
    text(layout::kPropertyCountersRefused, std::to_string(counters_refused_));
    text(layout::kPropertyCountersRefusedWhy, joined(counters_refused_why_));
  }
  if (counters_scaled_ != 0)
    text(layout::kPropertyCountersScaled, std::to_string(counters_scaled_));
  if (counters_lost_ != 0) text(layout::kPropertyCountersLost, std::to_string(counters_lost_));
  if (early_threads_ != 0) text(layout::kPropertyEarlyThreads, std::to_string(early_threads_));
  if (several_runtimes_ != 0) {
    text(layout::kPropertySeveralRuntimes, std::to_string(several_runtimes_));
    text(layout::kPropertyOpenMpRuntimes, joined(runtimes_));
  }
  if (!lock_circles_.empty()) {
    std::string who;
    for (const std::string& circle : lock_circles_) who += (who.empty() ? "" : "; ") + circle;
    text(layout::kPropertyLockCircles, std::to_string(lock_circles_.size()));
    text(layout::kPropertyLockCirclesWho, who);
  }
  if (unknown_pythons_ != 0) {
    text(layout::kPropertyUnknownPythons, std::to_string(unknown_pythons_));
    text(layout::kPropertyUnknownPython, joined(unknown_python_));
  }
  if (file_operations_ != 0)
    text(layout::kPropertyFileOperations, std::to_string(file_operations_));
  if (buffered_calls_ != 0) text(layout::kPropertyBufferedCalls, std::to_string(buffered_calls_));
  if (file_calls_left_out_ != 0) {
    text(layout::kPropertyFileCallsLeftOut, std::to_string(file_calls_left_out_));
  }
  if (flushes_ != 0) {
    text(layout::kPropertyFlushes, std::to_string(flushes_));
    text(layout::kPropertyFlushCost, std::to_string(flush_time_));
  }
  if (calls_in_rows_ != 0) text(layout::kPropertyCallsInRows, std::to_string(calls_in_rows_));
  if (!functions_left_out_.empty()) {
    std::string names;
    for (const std::string& name : functions_left_out_) names += (names.empty() ? "" : ",") + name;
    text(layout::kPropertyFunctionsLeftOut, names);
    flag(layout::kPropertyTimeLeftOut, time_left_out_);
  }
  if (!constructs_left_out_.empty()) {
    std::string names;
    for (const std::string& name : constructs_left_out_) names += (names.empty() ? "" : ",") + name;
    text(layout::kPropertyConstructsLeftOut, names);
  }
  if (filters_regions_ && !filtered_region_) flag(layout::kPropertyFilterUnmatched, true);
  if (!absent_.empty()) text(layout::kPropertyAbsent, absent_);
  if (!launch_.empty()) text(layout::kPropertyLaunch, launch_);
  for (const auto& [name, value] : cores_.properties()) text(name, value);
  if (scalasca25) text(layout::kPropertyCompat, "scalasca25");
  text(layout::kPropertyClockScheme, sync::name(clocks.scheme()));
  if (!clocks.latencies().empty()) {
    text(layout::kPropertyLatencies, sync::to_text(clocks.latencies()));
  }
  if (!clocks.notes().empty()) {
    text(layout::kPropertyClocksLeftOut, std::to_string(clocks.notes().size()));
  }
}

Status write_manifest(const std::string& directory, const RepairReport& report, bool has_records) {
  const std::string path = directory + '/' + layout::kManifest;
  std::ostringstream out;
  const auto processes = [](std::uint64_t n) {
    return std::to_string(n) + (n == 1 ? " process" : " processes");
  };
  out << "# Latecomer experiment\n\n"
         "A trace of "
      << processes(report.processes) << " with " << report.events
      << (report.events == 1 ? " event" : " events")
      << ", written by Latecomer " LATECOMER_VERSION
         ".\n\n"
         "| file | what |\n|---|---|\n"
         "| `traces.otf2` | anchor of the OTF2 archive: open this one |\n"
         "| `traces.def` | definitions: regions, communicators, processes, nodes |\n"
         "| `traces/` | events and clock offsets of each location |\n"
         "| `analysis.cubex` | the report (CUBE), once the analysis is done |\n"
         "| `analysis.stat` | statistics of its wait states, for the viewer of CUBE reports |\n";
  std::error_code ignored;
  if (std::filesystem::exists(directory + '/' + layout::kSettings, ignored)) {
    out << "| `latecomer.cfg` | settings of the run, as shell commands |\n"
           "| `scan.log` | what `scan` ran and said |\n";
  }
  if (std::filesystem::exists(directory + '/' + layout::kSuggestedFilter, ignored)) {
    out << "| `suggested.filter` | functions that cost much to record in an earlier run, for `scan "
           "-f` |\n";
  }
  if (has_records) out << "| `records/` | raw records that the archive was made of |\n";
  const auto list = [&](const char* what, const std::vector<std::uint32_t>& ranks) {
    if (!ranks.empty()) out << "\n" << what << processes(ranks.size()) << ".\n";
  };
  list("There are no records of ", report.missing);
  list("MPI_Finalize was not reached by ", report.unfinished);
  if (report.records_lost != 0)
    out << "\nAt least " << report.records_lost << " records are lost.\n";
  for (const std::string& note : report.notes) out << "\nNote: " << note << ".\n";
  if (report.parts > 1) {
    out << "\n"
        << layout::kManifestOfParts
        << "\n\nThe processes had no common file system: " << report.parts
        << " directories of this name hold the definitions of all\n"
           "processes and the events of their own. `latecomer info` tells which these are, and\n"
           "`latecomer collect` makes one archive of all.\n";
  }
  const int error = write_plain(path, out.str());
  if (error == 0) return success();
  return Problem{"cannot write " + path + ": " + file_error(error), ""};
}

}  // namespace latecomer::convert
