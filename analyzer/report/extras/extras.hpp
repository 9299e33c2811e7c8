// SPDX-License-Identifier: BSD-3-Clause
// Statements of a report about its run that CUBE has no place for: program, size, data quality.
// They are stored in the member latecomer.json.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/extras/arrival_order.hpp"
#include "analyzer/report/extras/clock_results.hpp"
#include "analyzer/report/extras/computation.hpp"
#include "analyzer/report/extras/file_use.hpp"
#include "analyzer/report/extras/json_writer.hpp"
#include "analyzer/report/extras/message_sizes.hpp"
#include "analyzer/report/extras/pop_efficiency.hpp"
#include "analyzer/report/extras/predicted_run.hpp"
#include "analyzer/report/extras/recording_cost.hpp"
#include "analyzer/report/extras/wait_statistics.hpp"
#include "analyzer/report/extras/waits_over_time.hpp"

namespace latecomer::report {

// A fact about the data that the reader of the report should know.
struct QualityNote {
  std::string name;        // key, e.g. unmatched_sends; never changes
  std::int64_t count = 0;  // > 0
  std::string text;        // follows the count in the output: what was counted, and what it means
  bool partial = false;    // true: the result is partial
  std::vector<std::string> files;  // missing or damaged files; at most 20 are named
  // One detail per file (may be empty); the vector is empty if no file has any.
  std::vector<std::string> file_notes;
  friend bool operator==(const QualityNote&, const QualityNote&) = default;
};
// Name and detail of file i, e.g. "traces/2.evt: Permission denied".
[[nodiscard]] std::string file_text(const QualityNote& note, std::size_t i);

// State of processes whose records do not reach MPI_Finalize.
struct Ending {
  enum class State : std::uint8_t {
    kAborted,    // called MPI_Abort
    kExited,     // exit(), or the end of main()
    kInCall,     // in an MPI call that never ended
    kOutside,    // outside MPI
    kUnknown,    // nothing was recorded
    kNotStored,  // the process went on, but its records could no longer be stored
  };
  State state = State::kUnknown;
  std::vector<int> ranks;              // ascending
  std::vector<std::string> call_path;  // path to the MPI call, from the root; empty: none
  double since = 0;  // seconds from the start of the run; the earliest of the ranks
  friend bool operator==(const Ending&, const Ending&) = default;
};
[[nodiscard]] const char* name(Ending::State state);  // word in JSON, e.g. "in_call"

// Operations that have no partner in the trace, by call path.
struct Unmatched {
  std::string operation;  // send, receive, collective
  std::string call_path;  // names from the root, separated by /
  std::int64_t count = 0;
};

// Results of an analysis that are no metrics. A key whose value is nothing is null, except that
// "computation" is absent.
struct Results {
  std::optional<Clocks> clocks;
  std::vector<Arrivals> collectives;
  std::optional<Computation> computation;             // nothing: the archive has no samples
  std::vector<FileUse> file_uses;                     // outside MPI; absent if there are none
  OtherFileUses other_file_uses;                      // absent if there are none
  std::optional<Gains> gains;                         // absent if nothing was predicted
  std::vector<LongerComputation> longer_computation;  // absent if nothing tells of computation
  std::optional<Efficiency> efficiency;               // nothing: parts of the run were not recorded
  std::optional<Compensation> compensation;           // nothing: times are as recorded
  std::optional<Measurement> measurement;             // nothing: the archive does not tell the cost
  Messages messages;
  AllWaitStatistics statistics;
  std::optional<TimeSlices> time_slices;  // nothing: the run has no length
  std::vector<Unmatched> unmatched;
};

// How a report was made from other reports.
struct Origin {
  std::string name;                  // diff, mean, merge, cut; empty: it was not
  std::vector<std::string> inputs;   // files
  std::vector<std::uint64_t> ranks;  // of each input, if they differ and were added up; else empty
};

// Statements about the run. They do not depend on the number of analysis processes: they contain no
// date and no path of the analysis.
//
//   {"schema_version": 1,
//    "program": {"name": "heat", "arguments": ["200", "200"]},
//    "run": {"ranks": 4, "locations": 4, "nodes": 2, "metahosts": ["bonn", "juelich"],
//            "duration": 12.5, "events": 120034},
//    "quality": [{"name": "unmatched_sends", "count": 3, "text": "messages without ..."}],
//    "endings": [{"state": "in_call", "ranks": [1, 3], "since": 1.25,
//                 "call_path": ["heat", "main", "MPI_Recv"]}],
//    "partial": false,
//    "call_paths_from_stacks": true,  // absent if false
//    "tells": ["time", "mpi"],        // absent if it is empty
//    "waits_at_least": true,          // absent if false
//    "settings": {"scalasca_compatible": false}}
struct Extras {
  static constexpr int kSchemaVersion = 1;

  int schema_version = kSchemaVersion;
  struct Program {
    std::string name;
    std::vector<std::string> arguments;
  } program;
  struct Run {
    std::uint64_t ranks = 0, locations = 0, nodes = 0;
    std::vector<std::string> metahosts;  // names, in the order of their ids
    double duration = 0;                 // seconds from the first to the last event
    std::uint64_t events = 0;
    std::string launch;  // command line of scan; empty if scan was not used
  } run;
  std::vector<QualityNote> quality;
  std::vector<Ending> endings;
  bool partial = false;                 // something is missing: exit status 4
  bool call_paths_from_stacks = false;  // functions are known at MPI calls only
  struct Settings {
    bool scalasca_compatible = false;
  } settings;
  Origin origin;                   // key "operation"
  std::optional<Results> results;  // nothing: the report was made from reports
  // Names of the metrics that have values in the file. The writer of the file knows them.
  std::vector<std::string> stored_metrics;
  // Names of the metrics that the report tells; of those without values it is known that they are
  // zero. Empty: the analysis of a trace, which tells all. Not empty: a run that was only watched.
  std::vector<std::string> tells;
  bool waits_at_least = false;  // records were lost: waits after that are not known

  [[nodiscard]] bool only_watched() const { return !tells.empty(); }
  [[nodiscard]] bool told(const std::string& metric) const {
    return tells.empty() || std::ranges::find(tells, metric) != tells.end();
  }
};

// The text of the member, with the names of the metrics that have values in the file.
[[nodiscard]] std::string text_of(const Extras& extras,
                                  const std::vector<std::string>& stored_metrics);

// Never fails: members that are missing or of another type keep their defaults, unknown keys are
// ignored. Lists of results that no view interprets stay empty: unmatched operations, messages,
// arrivals, statistics.
[[nodiscard]] Extras extras_from_json(const nlohmann::json& json);

}  // namespace latecomer::report
