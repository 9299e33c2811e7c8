// SPDX-License-Identifier: BSD-3-Clause
// The essence of a report: what the program did, where it waited, what to know about the data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/extras.hpp"
#include "analyzer/report/read_cube.hpp"
#include "analyzer/view/spread.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// All values are seconds, summed over locations.
struct Summary {
  std::string file;                    // of the report
  std::string program;                 // empty: unknown
  std::vector<std::string> arguments;  // of the program
  std::string root;  // the function that all call paths begin with, where it stands for the program
  std::string command;  // both, as a shell takes them; "unknown program"
  std::uint64_t ranks = 0, locations = 0, nodes = 0;
  std::vector<std::string> metahosts;
  std::string operation;  // that made the report of others: diff, mean, merge, cut; else empty
  std::vector<std::string> inputs;  // the reports that it was made of
  bool difference = false;  // values are one report less another: they may be negative, and are
                            // largest first without their signs
  std::vector<std::uint64_t> summed_ranks;  // of reports with different ranks, which were added up
  double duration = 0;  // of the run; of its longest location if the report does not say; else 0

  double time = 0, computation = 0, mpi = 0, waiting = 0;
  double init_finalize = 0;       // part of mpi
  double overhead = 0;            // of the measurement
  double unrecorded = 0;          // recording was switched off
  bool knows_time = true;         // false: the report has no metric "time"
  bool knows_computation = true;  // false: "computation" is everything outside MPI
  bool knows_waits = false;       // the report has wait states at all

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
    std::string spread;                     // over the ranks, where there are many; else empty
  };
  std::vector<WaitState> wait_states;  // largest first; those that occurred

  // What made others wait, largest first: a few.
  struct Cause {
    std::vector<std::string> call_path;
    double seconds = 0;            // of the waiting that it caused
    std::vector<RankShare> ranks;  // largest first
    std::string how;               // by what, as far as that is no time of its own: "by ..."
    std::string spread;            // over the ranks, where there are many; else empty
  };
  std::vector<Cause> causes;
  double unknown_cause = 0;                        // seconds of waiting
  std::vector<std::string> unknown_cause_reasons;  // why it may not be known
  bool knows_causes = false;                       // the report has delay costs
  // So much that it is to be told.
  [[nodiscard]] bool lacks_causes() const { return unknown_cause > 0.05 * waiting; }

  // Waiting that spans metahosts: who waits for whom.
  struct MetahostPair {
    std::string metric;
    std::string pair;        // "waiting <- causing"
    std::string wait_state;  // display name
    double seconds = 0;
  };
  std::vector<MetahostPair> metahost_pairs;  // largest first

  // As in the report; null: it does not say.
  nlohmann::json clocks, efficiency, measurement;
  std::vector<report::Ending> endings;
  std::vector<report::QualityNote> quality;
  bool tells_quality = false;  // else that there are no notes says nothing: made by another tool
  bool partial = false;
};

// What makes it partial, the first of it: "1 message without a recorded receive; and more".
// Empty: it is whole.
[[nodiscard]] std::string why_partial(const Summary& summary);

// Reads the metrics it needs. Works on reports of other tools too, with what they have.
[[nodiscard]] Result<Summary> summarize(report::Report& report);

}  // namespace latecomer::view
