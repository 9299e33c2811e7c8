// SPDX-License-Identifier: BSD-3-Clause
// What all processes contributed, as definitions and properties of the archive.
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

#include "tracer/convert/clocks.hpp"
#include "tracer/convert/definition_writer.hpp"
#include "tracer/convert/process_records.hpp"
#include "tracer/convert/repair.hpp"
#include "tracer/convert/shared_cores.hpp"
#include "tracer/convert/unify.hpp"

namespace latecomer::convert {

class RunSummary {
 public:
  // `reports` of the processes of which there is something, in any order; `size` of the run.
  RunSummary(std::uint32_t size, std::vector<ProcessReport> reports, std::uint64_t unknown_comms);

  // Facts that are in the logs: begin of the program on the wall clock, MPI_Pcontrol.
  // When processes without MPI_Finalize were gone, on the wall clock.
  void ended(std::int64_t wall) { ended_ = wall; }
  void read_logs(std::span<const ProcessInput> processes);

  // The archive is spread over so many directories, of which each has its own processes' files.
  void is_in_parts(int parts) { report_.parts = parts; }

  // One sentence more for the report.
  void note(std::string text) { report_.notes.push_back(std::move(text)); }

  [[nodiscard]] const RepairReport& report() const { return report_; }

  // Global definitions, properties and MANIFEST.md: everything but events. Rank 0 only.
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
  std::map<std::string, std::uint64_t> losses_;  // of other things than records
  std::set<std::string> functions_left_out_;     // by a filter, of MPI
  std::set<std::string> lost_why_;               // records
  std::string absent_;                           // ranks that took no part
  std::string launch_;                           // how scan was called
  double event_cost_ = 0;                        // sum over the logs that tell it
  std::uint32_t event_costs_ = 0;
  std::uint64_t region_events_ = 0, region_event_cost_ = 0;      // number, ns
  std::uint64_t filtered_events_ = 0, filtered_event_cost_ = 0;  // number, ns
  std::uint64_t processor_time_ = 0;                             // ns
  std::uint32_t processor_times_ = 0;                            // processes that tell it
  std::uint64_t thread_cost_ = 0;                                // ns
  std::uint64_t threads_in_turn_ = 0;           // in the locations of others that had ended
  std::uint64_t stacks_ = 0, stack_cost_ = 0;   // number, ns
  std::uint64_t flushes_ = 0, flush_time_ = 0;  // number, ns
  std::uint64_t calls_in_rows_ = 0;
  SharedCores cores_;
  bool has_stacks_ = false;
  bool messages_dropped_ = false;
  bool was_off_ = false;
  bool time_left_out_ = false;
  bool filters_regions_ = false, filtered_region_ = false;  // of the program
  bool said_incomplete_ = false;
};

// Says what the files of the experiment directory are.
[[nodiscard]] Status write_manifest(const std::string& directory, const RepairReport& report,
                                    bool has_records);

}  // namespace latecomer::convert
