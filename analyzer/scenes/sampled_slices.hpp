// SPDX-License-Identifier: BSD-3-Clause
// The parts of a location's time that its samples describe.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// Successive samples at one call path, without a change of the open region in between.
struct SampledSlice {
  trace::Ticks begin = 0, end = 0;
  std::uint32_t node = 0;  // the open region, in the process's call tree
  std::uint32_t at = 0;    // call path of the samples
  std::uint32_t samples = 0;
  std::uint32_t source = trace::kNone;  // line of the first sample
};

// A sample comes at the end of a period of processor time. So it describes the period before it,
// back to the sample before and to the last change of the open region:
//
//   regions    | MPI_Recv |            main             | MPI_Send |
//   samples                    f     f     g     f
//   slices                |    f     |  g  |  f  |
//
// What comes after the last sample is described by none. Slices are in the order of time and do not
// overlap. Samples with an unknown period describe nothing.
[[nodiscard]] std::vector<SampledSlice> sampled_slices(const trace::Definitions& definitions,
                                                       const trace::LocationEvents& events);

}  // namespace latecomer::replay
