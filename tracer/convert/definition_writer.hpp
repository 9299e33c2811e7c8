// SPDX-License-Identifier: BSD-3-Clause
// Definitions of the run -> traces.def, in the order of Score-P's archives.
#pragma once

#include <otf2/OTF2_GlobalDefWriter.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/convert/clocks.hpp"
#include "tracer/convert/global_definitions.hpp"

namespace latecomer::convert {

struct LocationDefinition {
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;
  std::uint64_t events = 0;
  std::string name;
  std::uint64_t lost = 0;  // records of its process, at its first thread
};

// Times on the common time line.
struct TimeLine {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint64_t wall = OTF2_UNDEFINED_TIMESTAMP;  // nanoseconds since 1970 at the begin
};

// `locations` by rank and thread, each rank with its thread 0. Errors are seen by OTF2's callback.
void write_definitions(OTF2_GlobalDefWriter* writer, GlobalDefinitions& global,
                       const std::vector<LocationDefinition>& locations, const Clocks& clocks,
                       const TimeLine& time);

}  // namespace latecomer::convert
