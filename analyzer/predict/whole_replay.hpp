// SPDX-License-Identifier: BSD-3-Clause
// The recorded run on one process, ready to be replayed with other durations.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/attribution/ideal_network.hpp"
#include "analyzer/match/partition.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/parallel/work_progress.hpp"
#include "analyzer/report/extras/message_sizes.hpp"
#include "sync/constraints.hpp"

namespace latecomer::predict {

// The recorded run, with the transfer times of its messages.
struct Run {
  const replay::Recorded& recorded;
  const sync::Topology& topology;
  const report::Messages& messages;
  const replay::Progress& progress;
};

// Ends and waits of all locations; the same on every process.
struct Replayed {
  std::vector<trace::Ticks> ends;   // since the begin of the run
  std::vector<trace::Ticks> waits;  // location x wait group
  std::int64_t dropped = 0;         // needs that were given up
};

// Brings the steps of all locations to one process and fits them there to the recorded run.
class WholeReplay {
 public:
  // Collective.
  WholeReplay(const Run& run, const replay::WholeRun& whole, parallel::Processes& processes);

  [[nodiscard]] const Replayed& recorded() const { return recorded_; }
  // Replays the run with these durations. Collective.
  [[nodiscard]] Replayed with(const engine::Durations& durations);
  // Replays the run with these durations. Returns for each hosted location the times of its
  // needing_calls(), since the begin of the run. Only with WholeRun::keeps_calls. Collective.
  [[nodiscard]] std::vector<std::vector<engine::CallTimes>> calls(
      const engine::Durations& durations, const replay::Partition& partition);
  [[nodiscard]] const std::vector<std::vector<replay::NeedingCall>>& needing_calls() const {
    return needing_calls_;
  }
  // The last end, and on which rates it depends. Collective.
  [[nodiscard]] engine::Graded graded_end(const engine::Durations& durations);
  // The time of the last end. Threads that call no MPI end when they ended, whatever changes, so
  // only their process tells.
  [[nodiscard]] trace::Ticks end(const Replayed& run) const;

 private:
  [[nodiscard]] Replayed replay(engine::StepReplay::Mode mode, const engine::Durations& durations);

  const replay::Booking& booking_;
  parallel::Processes& processes_;
  int host_ = 0;
  engine::StepReplay::Steps steps_;  // on the host
  std::vector<bool> counts_;         // by location: its end is one of the run
  std::vector<std::vector<replay::NeedingCall>> needing_calls_;  // by hosted location
  Replayed recorded_;
};

// The times of messages as those of the run show them: the least ones, or the mean. `overhead`:
// ticks of each that are none of the transfer.
enum class Model : std::uint8_t { kLeast, kMean };
[[nodiscard]] replay::TransferTimes transfer_times(const report::Messages& messages, double second,
                                                   Model model, trace::Ticks overhead = 0);

// By communicator: the slowest class of links between its members.
[[nodiscard]] std::vector<sync::LinkClass> slowest_links(const trace::Definitions& definitions,
                                                         const sync::Topology& topology);

}  // namespace latecomer::predict
