// SPDX-License-Identifier: BSD-3-Clause
// Ranks that run on other nodes in a changed run, and the links of their messages there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/predict/change.hpp"
#include "analyzer/predict/whole_replay.hpp"
#include "archive/result.hpp"
#include "sync/constraints.hpp"

namespace latecomer::predict {

// Places after ranks have moved, and what is known about the links that their messages then take.
struct MovedRanks {
  sync::Topology topology;
  std::vector<std::string> notes;  // a sentence per class of links
};

// Nothing if no rank moves. Messages of a moved rank take the times of the class of links that then
// connects it: inside a node, inside a metahost, or between metahosts. A Problem if a node does not
// exist, or if the run shows no time of such a link; it is the same on every process. Ranks must
// exist. Collective.
[[nodiscard]] Result<std::optional<MovedRanks>> move_ranks(const Run& run,
                                                           std::span<const Change> changes,
                                                           parallel::Processes& processes);

}  // namespace latecomer::predict
