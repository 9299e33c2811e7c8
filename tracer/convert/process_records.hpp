// SPDX-License-Identifier: BSD-3-Clause
// Records that one process left in the directory, and their conversion to locations.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "archive/otf2/archive_writer.hpp"
#include "tracer/convert/clocks/clock_offsets.hpp"
#include "tracer/convert/definitions/unify.hpp"
#include "tracer/convert/events/location_writer.hpp"

namespace latecomer::convert {

// One location of the archive. Times are on the common time line.
struct LocationReport {
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;  // or number of a location of another kind
  std::string name;
  LocationEvents events;
  record::LocationKind kind = record::LocationKind::kThread;
  std::string device;  // that it belongs to; empty: the process
  std::string cores;   // that a thread could use; empty: not known
};

// Contribution of a process, and what is wrong with it.
struct ProcessReport {
  std::uint32_t rank = 0;
  bool present = false;   // there are records of its main thread
  bool complete = false;  // it reached MPI_Finalize
  std::uint64_t records_lost = 0;
  std::uint64_t records_unstored = 0;  // those for which there was no room or no working disk
  std::vector<LocationReport> locations;
  std::vector<record::LostDefinition> losses;  // except records
  std::vector<std::string> notes;

  void put(ByteWriter& out) const;
  static ProcessReport get(ByteReader& in);
};

// Names of the files of a process in the directory of records.
[[nodiscard]] std::string log_path(const std::string& records, std::uint32_t rank);
[[nodiscard]] std::string thread_path(const std::string& records, std::uint32_t rank,
                                      std::uint32_t thread);

// File of one thread, or of a location of another kind.
struct ThreadRecords {
  std::uint32_t number = 0;
  std::string path;
  std::string name;
  bool usable = false;
  record::LocationKind kind = record::LocationKind::kThread;
  std::string device;
  std::string cores;  // that it could use; empty: not known
};

class ProcessRecords {
 public:
  // Reads the log and scans the records. `threads` are those with a file; threads in the log and
  // the main thread are added. Nothing fails: what cannot be read is in the report.
  ProcessRecords(const std::string& records, std::uint32_t rank,
                 std::vector<std::uint32_t> threads);

  [[nodiscard]] const ProcessInput& input() const { return input_; }
  [[nodiscard]] bool has_log() const { return has_log_; }

  // Moves out what unify() needs, since there may be thousands of processes.
  [[nodiscard]] ProcessInput take_input() { return std::move(input_); }
  [[nodiscard]] std::string take_log() { return std::move(log_text_); }

  // Records have no times without a clock.
  [[nodiscard]] bool has_clock() const { return !clock_.timer.empty(); }
  [[nodiscard]] const record::ClockDefinition& clock() const { return clock_; }
  void set_clock(const record::ClockDefinition& clock) {
    clock_ = clock;
    input_.definitions.clock = clock;
  }

  // Writes events and local definitions. Call it once.
  ProcessReport write(otf2::ArchiveWriter& archive, const ProcessMap& map,
                      const ClockOffsets& offsets, bool scalasca25);

  // After write(): a file that was there at first and is gone now, or "".
  [[nodiscard]] const std::string& vanished() const { return vanished_; }
  // Why the log could not be read although it exists; empty if it was read, or is gone.
  [[nodiscard]] const std::string& unreadable() const { return unreadable_; }

 private:
  void look_through(ThreadRecords& thread, UsageCollector& usage);
  LocationReport write_thread(otf2::ArchiveWriter& archive, const ThreadRecords& thread,
                              const ProcessMap& map, const ClockOffsets& offsets, bool scalasca25);

  std::uint32_t rank_;
  ProcessInput input_;
  record::ClockDefinition clock_;
  std::string log_text_;
  bool has_log_ = false;
  std::vector<ThreadRecords> threads_;  // by number
  Teams teams_;
  ProcessReport report_;
  std::string vanished_, unreadable_;
};

// Writes a location without events for a process that left nothing, so that readers find its files.
void write_empty_process(otf2::ArchiveWriter& archive, std::uint32_t rank);

}  // namespace latecomer::convert
