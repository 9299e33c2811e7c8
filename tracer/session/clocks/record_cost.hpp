// SPDX-License-Identifier: BSD-3-Clause
// Cost of recording on this machine, measured when a run begins and when it ends.
#pragma once

#include <span>

#include "tracer/record/arguments.hpp"
#include "tracer/record/definition_lines.hpp"

namespace latecomer::session {

// Nanoseconds per event: half of the enter and leave of a call, each with its clock reading. Median
// of several rounds, and half the distance of their quartiles. Rounds in which the process had no
// core are therefore no matter.
struct RecordCost {
  double nanoseconds = 0, spread = 0;
};

// Takes about a tenth of a millisecond on an idle core.
[[nodiscard]] RecordCost cost_of_events(const record::ClockDefinition& clock);

// Median and spread of rounds, each of which took so many ticks for so many events. Sorts them.
[[nodiscard]] RecordCost cost_of_rounds(std::span<record::Ticks> rounds, int events,
                                        const record::ClockDefinition& clock);

}  // namespace latecomer::session
