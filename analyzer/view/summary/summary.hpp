// SPDX-License-Identifier: BSD-3-Clause
// Summarizes a report: what the program did, where it waited, what to know about the data.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/report/extras/extras.hpp"
#include "analyzer/view/text/spread.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// All values are in seconds, summed over locations.
struct Summary {
  std::string file;                    // file of the report
  std::string program;                 // empty: unknown
  std::vector<std::string> arguments;  // arguments of the program
  std::string root;     // region with which all call paths begin, if it stands for the program
  std::string command;  // program and arguments as a shell takes them; or "unknown program"
  std::uint64_t ranks = 0, locations = 0, nodes = 0;
  std::vector<std::string> metahosts;
  // Operation that made the report from others: diff, mean, merge, cut; else empty.
  std::string operation;
  std::vector<std::string> inputs;  // reports that it was made from
  // Values are one report minus another: they may be negative, and are sorted by absolute value.
  bool difference = false;
  // Ranks of the inputs, if these differ and were added up.
  std::vector<std::uint64_t> summed_ranks;
  double duration = 0;  // run time; if unknown, time of the longest location, or 0

  double time = 0, computation = 0, mpi = 0, waiting = 0;
  double init_finalize = 0;       // part of mpi
  double overhead = 0;            // overhead of the measurement
  double unrecorded = 0;          // while recording was switched off
  bool knows_time = true;         // false: the report has no metric "time"
  bool knows_computation = true;  // false: "computation" is everything outside MPI
  bool knows_waits = false;       // false: the report has no wait states
  bool only_watched = false;      // the run has no trace
  bool waits_at_least = false;    // later waits are not known

  // The part of a time that one thread of a rank has.
  struct ThreadShare {
    std::uint32_t rank = 0, thread = 0;
    double seconds = 0;
    std::string name{};  // that the program gave the thread
  };
  struct CallPathShare {
    std::vector<std::string> call_path;  // region names from the root
    double seconds = 0;
  };
  using RankShare = view::RankShare;
  struct WaitState {
    std::string metric, display;
    double seconds = 0;
    std::vector<CallPathShare> call_paths;  // largest first
    std::vector<RankShare> ranks;           // largest first, lowest rank first among equals
    std::string spread;                  // describes the distribution over many ranks; else empty
    std::vector<ThreadShare> threads{};  // of wait states of threads, in the same order
  };
  std::vector<WaitState> wait_states;  // largest first; only those that occurred

  // Waiting of threads for threads of their own process. It is not part of `waiting`.
  double thread_waiting = 0;
  std::vector<WaitState> thread_waits;  // as wait_states
  // A call path that made others wait. The depths of a function that calls itself are one cause,
  // and so are the calls on files under one caller.
  struct Cause {
    std::vector<std::string> call_path;    // what they have in common, if it is several
    double seconds = 0;                    // waiting that it caused
    std::vector<RankShare> ranks;          // largest first
    std::string how;                       // "by ...", if the cause is not just time of its own
    std::string spread;                    // describes the distribution over many ranks; else empty
    std::vector<std::uint32_t> members{};  // call paths of the report, the largest part first
    std::vector<CallPathShare> parts{};    // the 10 largest of them, if it is several
    // Inside constructs of threads: the thread of the first rank that has at least half of its
    // part.
    std::optional<ThreadShare> thread{};
    std::vector<ThreadShare> threads{};  // of what made threads wait: the largest first
  };
  std::vector<Cause> causes;         // of waiting of processes
  std::vector<Cause> thread_causes;  // of thread_waiting
  double unknown_thread_cause = 0;   // seconds of thread_waiting
  // Predictions: run times if a cause were in balance, or took a tenth less time everywhere.
  struct Gain {
    std::vector<std::string> call_path;  // region names from the root
    double balanced = 0, faster = 0;     // seconds
    std::vector<report::Gains::Point> curve;
  };
  std::vector<Gain> gains;                         // the largest first
  std::vector<report::Gains::Path> gain_paths;     // by gain; the run time if several are made
  double gain_error = 0;                           // seconds that these are too short at most
  double replayed = 0;                             // run time that they are compared with
  double unknown_cause = 0;                        // seconds of waiting
  std::vector<std::string> unknown_cause_reasons;  // reasons why the cause may be unknown
  bool knows_causes = false;                       // the report has delay costs
  // Reasons why ranks were late, in sampled runs: parts of the metric delay_reasons, the largest
  // first.
  struct DelayReason {
    std::string metric, name;  // unique and display name
    double seconds = 0;        // that others waited
    std::string place = {};    // as in place_of_reason()
  };
  std::vector<DelayReason> delay_reasons;
  // True if this is so much that the user should know.
  [[nodiscard]] bool lacks_causes() const { return unknown_cause > 0.05 * waiting; }

  // Waiting between metahosts: which one waits for which.
  struct MetahostPair {
    std::string metric;
    std::string pair;        // "waiting <- causing"
    std::string wait_state;  // display name
    double seconds = 0;
  };
  std::vector<MetahostPair> metahost_pairs;  // largest first

  std::optional<report::Clocks> clocks;
  std::optional<report::Efficiency> efficiency;
  std::optional<report::Computation> sampled;  // where computation went; nothing: no samples
  // The member latecomer.json of the report, from which show_json() passes on what has many keys;
  // null if it has none.
  std::shared_ptr<const nlohmann::json> document;
  std::vector<report::Ending> endings;
  std::vector<report::QualityNote> quality;
  // False: the report is of another tool, so the absence of notes means nothing.
  bool tells_quality = false;
  bool partial = false;
};

// The first reasons why the result is partial: "1 message without a recorded receive; and more".
// Empty if it is not partial.
[[nodiscard]] std::string why_partial(const Summary& summary);

// Reads the metrics that it needs. Works on reports of other tools, too, with what they have.
[[nodiscard]] Result<Summary> summarize(report::Report& report);

}  // namespace latecomer::view
