// SPDX-License-Identifier: BSD-3-Clause
// What a report says about its run beside CUBE: program, size, data quality. Member latecomer.json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace latecomer::report {

// Something about the data that the reader of the report should know.
struct QualityNote {
  std::string name;                // key, e.g. unmatched_sends; never changes
  std::int64_t count = 0;          // > 0
  std::string text;                // what was counted: what it means. Reads well behind the number.
  bool partial = false;            // it makes the result partial
  std::vector<std::string> files;  // that are missing or damaged; at most 20 are named
  // Of each of them what else is known, or ""; empty if there is nothing of any.
  std::vector<std::string> file_notes;
  friend bool operator==(const QualityNote&, const QualityNote&) = default;
};
// "traces/2.evt: Permission denied"
[[nodiscard]] std::string file_text(const QualityNote& note, std::size_t i);

// Where processes were whose records do not get to MPI_Finalize.
struct Ending {
  enum class State : std::uint8_t {
    kAborted,    // called MPI_Abort
    kExited,     // exit(), or the end of main()
    kInCall,     // in an MPI call that never ended
    kOutside,    // outside MPI
    kUnknown,    // nothing was recorded
    kNotStored,  // the process went on, its records could not be stored any longer
  };
  State state = State::kUnknown;
  std::vector<int> ranks;              // ascending
  std::vector<std::string> call_path;  // of the MPI call, from the root; empty: none
  double since = 0;                    // seconds since the begin of the run, of the first of them
  friend bool operator==(const Ending&, const Ending&) = default;
};
[[nodiscard]] const char* name(Ending::State state);  // "in_call"

// The same for every number of analysis processes: no date, no path of the analysis.
//
//   {"schema_version": 1,
//    "program": {"name": "heat", "arguments": ["200", "200"]},
//    "run": {"ranks": 4, "locations": 4, "nodes": 2, "metahosts": ["bonn", "juelich"],
//            "duration": 12.5, "events": 120034},
//    "quality": [{"name": "unmatched_sends", "count": 3, "text": "messages without ..."}],
//    "endings": [{"state": "in_call", "ranks": [1, 3], "since": 1.25,
//                 "call_path": ["heat", "main", "MPI_Recv"]}],
//    "partial": false,
//    "call_paths_from_stacks": true,  // not there if false
//    "settings": {"scalasca_compatible": false}}
struct Extras {
  static constexpr int kSchemaVersion = 1;

  int schema_version = kSchemaVersion;
  struct Program {
    std::string name;
    std::vector<std::string> arguments;
    friend bool operator==(const Program&, const Program&) = default;
  } program;
  struct Run {
    std::uint64_t ranks = 0, locations = 0, nodes = 0;
    std::vector<std::string> metahosts;  // their names, in the order of their ids
    double duration = 0;                 // seconds from the first to the last event
    std::uint64_t events = 0;
    std::string launch;  // how scan was called; empty if it was not
    friend bool operator==(const Run&, const Run&) = default;
  } run;
  std::vector<QualityNote> quality;
  std::vector<Ending> endings;
  bool partial = false;                 // something is missing: exit status 4
  bool call_paths_from_stacks = false;  // functions are known at MPI calls only
  struct Settings {
    bool scalasca_compatible = false;
    friend bool operator==(const Settings&, const Settings&) = default;
  } settings;
  friend bool operator==(const Extras&, const Extras&) = default;
};

[[nodiscard]] nlohmann::json to_json(const Extras& extras);

// Never fails: what is missing or of another type keeps its default, unknown keys are ignored.
[[nodiscard]] Extras extras_from_json(const nlohmann::json& json);

}  // namespace latecomer::report
