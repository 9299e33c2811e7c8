// SPDX-License-Identifier: BSD-3-Clause
// Facts that a report has besides its severities: run, data quality, operations without partner.
#pragma once

#include <string>
#include <vector>

#include "analyzer/match/collectives.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/extras.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "analyzer/trace/events/other_events.hpp"

namespace latecomer::replay {

// Input of collect_extras(); the references must live during the call.
struct ExtrasInput {
  const trace::Definitions& definitions;
  const trace::GlobalCallTree& tree;
  const std::vector<trace::LocationEvents>& mine;
  const std::vector<trace::QualityCounts>& replay_quality;  // per hosted location
  const UnmatchedMessages& messages;
  const UnmatchedCollectives& collectives;
  bool scalasca_compatible = false;
  std::vector<report::QualityNote> clock_notes;  // placed before the other notes
  std::vector<std::string> unseen;  // sentences about where missing events were written
  const std::vector<trace::OtherEvents>& others;  // of the hosted locations that are no threads
};

// Collects the facts of all processes; of the results of the analysis, these are the cost of the
// measurement and the operations without partner. The same on every process. Collective.
[[nodiscard]] report::Extras collect_extras(const ExtrasInput& input,
                                            parallel::Processes& processes);

}  // namespace latecomer::replay
