// SPDX-License-Identifier: BSD-3-Clause
// The data kept of the samples of one location's computation.
#pragma once

#include <cstdint>
#include <vector>

namespace latecomer::trace {

// Samples of one place in the code, while one call path was open. Nodes are those of the process's
// CallTree.
struct SampledPlace {
  std::uint32_t node = 0;  // innermost open region, which has the time
  // Call path of the samples: `node`, or one below it, or below one of its callers.
  std::uint32_t at = 0;
  std::uint32_t region = 0xffffffff;  // their innermost function; 0xffffffff: unknown
  std::uint32_t source = 0xffffffff;  // line in it: index in Definitions::source_lines, or unknown
  std::uint64_t count = 0;
  // Processor time that they stand for, in nanoseconds: 1 for a sample whose period is unknown.
  std::uint64_t weight = 0;
  // Sum of the squared weights, in square nanoseconds. It gives the error where rates differ.
  double squares = 0;
  std::uint64_t in_kernel = 0;  // part of the weight
};

// A call in which the thread was blocked, from one place in the code, while one call path was open.
struct BlockedPlace {
  std::uint32_t node = 0, at = 0;                          // as in SampledPlace
  std::uint32_t region = 0xffffffff, source = 0xffffffff;  // the function that made the call
  std::uint32_t function = 0xffffffff;                     // that was called; 0xffffffff: unknown
  std::uint64_t nanoseconds = 0;
};

// When a sample was taken.
struct SampleTime {
  std::int64_t time = 0;             // in ticks
  std::uint32_t place = 0;           // index in SampleEvents::sampled
  std::uint32_t clock = 0xffffffff;  // index in Definitions::sample_clocks, or unknown
};

// When a thread was blocked.
struct BlockedTime {
  std::int64_t time = 0;          // in ticks
  std::uint32_t place = 0;        // index in SampleEvents::blocked
  std::uint64_t nanoseconds = 0;  // before that time
};

// All of one location.
struct SampleEvents {
  std::vector<SampledPlace> sampled;       // in the order of their first samples
  std::vector<SampleTime> sample_times;    // ascending
  std::vector<BlockedPlace> blocked;       // in the order of their first samples
  std::vector<BlockedTime> blocked_times;  // ascending
  std::uint64_t samples_elsewhere = 0;     // in MPI calls, thread constructs, or with recording off
};

}  // namespace latecomer::trace
