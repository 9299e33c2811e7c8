// SPDX-License-Identifier: BSD-3-Clause
// Why a cause of waiting was longer in a call path than the waiter.
#pragma once

#include <cstdint>

#include "analyzer/causes/time_parts.hpp"

namespace latecomer::causes {

// What samples and counters told of one side. `ticks` are those in which its instructions may have
// been executed: all but those without a core, if instructions were counted.
struct Computed {
  std::int64_t user = 0, kernel = 0;  // nanoseconds of processor time, by samples
  std::int64_t instructions = 0, ticks = 0;
  std::int64_t page_faults = 0;
};

// Parts of an excess, or sums over many of them, each times what it cost.
struct ExcessParts {
  // Ticks without a core that the cause had longer. Of what is charged for an excess they get these
  // parts of `longer`, the ticks of all that it had longer; 0: none. Sums have what they got.
  std::int64_t preempted = 0, blocked = 0, longer = 0;
  Computed cause, waiter;
  // Square of the standard error of the difference of the processor times by samples, in square
  // microseconds. n samples that stand for w have the variance w * w / n.
  std::int64_t variance = 0;
};

// The excess is divided in proportion to the parts that are longer on the cause.
//
//            time   preempted   blocked   on a core
//   cause      10           1         7           2
//   waiter      4           0         2           2
//   longer      6           1         5           0     of the excess 6: 1, 5, 0
//
//   cause      10           8         0           2
//   waiter      4           0         0           4
//   longer      6           8         0          -2     of the excess 6: 6, 0, 0
//
// `excess` is positive. `waited` is the waiter's time at the call path.
[[nodiscard]] ExcessParts parts_of_excess(trace::Ticks excess, trace::Ticks waited,
                                          const TimePart& cause, const TimePart& waiter);

// Adds the parts of an excess in a delay of length `sum` that costs `cost`. `charged` is the part
// of the cost that is charged for this excess; its shares never exceed it.
void add_charged(ExcessParts& sums, const ExcessParts& parts, trace::Ticks charged,
                 trace::Ticks cost, trace::Ticks sum);
void add(ExcessParts& sums, const ExcessParts& more);
// Adds a place in the same way.
void add_charged(ComparedPlace& sums, const ComparedPlace& place, trace::Ticks cost,
                 trace::Ticks sum);
void add(ComparedPlace& sums, const ComparedPlace& more);

}  // namespace latecomer::causes
