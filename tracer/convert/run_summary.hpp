// SPDX-License-Identifier: BSD-3-Clause
// Summarizes the contributions of all processes as definitions and properties of the archive.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tracer/convert/calibrated_costs.hpp"
#include "tracer/convert/clocks/measured_clocks.hpp"
#include "tracer/convert/definition_writer.hpp"
#include "tracer/convert/definitions/unify.hpp"
#include "tracer/convert/process_records.hpp"
#include "tracer/convert/repair.hpp"
#include "tracer/convert/shared_cores.hpp"

namespace latecomer::convert {

class RunSummary {
 public:
  // `reports` are those of processes that left something, in any order; `size` is that of the run.
  RunSummary(std::uint32_t size, std::vector<ProcessReport> reports, std::uint64_t unknown_comms);

  // Time on the wall clock at which the processes without MPI_Finalize were gone.
  void ended(std::int64_t wall) { ended_ = wall; }
  // Reads facts from the logs: begin of the program on the wall clock, use of MPI_Pcontrol, costs,
  // ...
  void read_logs(std::span<const ProcessInput> processes);

  // The archive is spread over `parts` directories, each with the files of its own processes.
  void is_in_parts(int parts) { report_.parts = parts; }

  // Sentences about threads that waited for locks of each other when the run ended.
  void lock_circles(std::vector<std::string> texts) { lock_circles_ = std::move(texts); }

  // Adds a sentence to the report.
  void note(std::string text) { report_.notes.push_back(std::move(text)); }

  [[nodiscard]] const RepairReport& report() const { return report_; }

  // Writes global definitions and properties: everything except events. Rank 0 only.
  void write(otf2::ArchiveWriter& archive, GlobalDefinitions& global, const Clocks& clocks,
             bool scalasca25) const;

 private:
  void add(const ProcessReport& process);
  void set_properties(OTF2_Archive* archive, const Clocks& clocks, bool scalasca25) const;
  [[nodiscard]] TimeLine time_line() const;
  [[nodiscard]] bool communication_complete() const;

  std::uint32_t size_;
  std::vector<LocationDefinition> locations_;
  RepairReport report_;
  Nanoseconds begin_ = std::numeric_limits<Nanoseconds>::max();
  Nanoseconds end_ = 0;
  std::optional<std::int64_t> wall_minus_trace_, ended_;
  std::map<std::string, std::uint64_t> losses_;  // except records
  std::set<std::string> functions_left_out_;     // MPI functions that a filter leaves out
  std::set<std::string> constructs_left_out_;    // constructs of OpenMP
  std::set<std::string> lost_why_;               // reasons why records were lost
  std::string absent_;                           // ranks that took no part
  std::string launch_;                           // command line of scan
  CalibratedCosts costs_;                        // of an event
  std::uint64_t region_events_ = 0, region_event_cost_ = 0;      // number, ns
  std::uint64_t filtered_events_ = 0, filtered_event_cost_ = 0;  // number, ns
  std::uint64_t processor_time_ = 0;                             // ns
  std::uint32_t processor_times_ = 0;           // number of processes that state it
  std::uint64_t thread_cost_ = 0;               // ns
  std::uint64_t threads_in_turn_ = 0;           // threads that used the location of an ended one
  std::uint64_t stacks_ = 0, stack_cost_ = 0;   // number, ns
  std::uint64_t flushes_ = 0, flush_time_ = 0;  // number, ns
  std::uint64_t file_operations_ = 0, buffered_calls_ = 0, file_calls_left_out_ = 0;
  std::uint64_t samples_ = 0, samples_lost_ = 0, sample_cost_ = 0;  // number, number, ns
  std::uint64_t samples_refused_ = 0;  // number of processes that were not sampled
  std::uint64_t samples_user_only_ = 0, switches_lost_ = 0;  // processes; stretches or threads
  std::uint64_t samples_by_signals_ = 0;                     // number of processes
  // Processes, processes, threads.
  std::uint64_t counters_refused_ = 0, counters_scaled_ = 0, counters_lost_ = 0;
  std::uint64_t early_threads_ = 0;
  std::uint64_t several_runtimes_ = 0;
  std::set<std::string> runtimes_;
  std::vector<std::string> lock_circles_;
  std::set<std::string> samples_refused_why_, samples_by_signals_why_, counters_refused_why_;
  std::uint64_t unknown_pythons_ = 0;  // number of processes
  std::set<std::string> unknown_python_;
  std::uint64_t calls_in_rows_ = 0;
  SharedCores cores_;
  bool has_stacks_ = false;
  bool messages_dropped_ = false;
  bool was_off_ = false;
  bool time_left_out_ = false;
  // there is a filter for regions; it left one out
  bool filters_regions_ = false, filtered_region_ = false;
  bool said_incomplete_ = false;
};

// Writes MANIFEST.md, which describes the files of the experiment directory.
[[nodiscard]] Status write_manifest(const std::string& directory, const RepairReport& report,
                                    bool has_records);

}  // namespace latecomer::convert
