// SPDX-License-Identifier: BSD-3-Clause
// Writes the definitions of the run to traces.def, in the order of Score-P's archives.
#pragma once

#include <otf2/OTF2_GlobalDefWriter.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/convert/clocks/measured_clocks.hpp"
#include "tracer/convert/definitions/global_definitions.hpp"
#include "tracer/record/format.hpp"

namespace latecomer::convert {

struct LocationDefinition {
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;
  std::uint64_t events = 0;
  std::string name;
  std::uint64_t lost = 0;  // number of lost records of its process; 0 except on its first thread
  record::LocationKind kind = record::LocationKind::kThread;
  std::string device;  // name of the device that it belongs to; empty: the process
  std::string cores;   // that a thread could use: "0-3,8"; empty: not known
};

// Bounds of the run on the common time line.
struct TimeLine {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint64_t wall = OTF2_UNDEFINED_TIMESTAMP;  // nanoseconds since 1970 at `begin`
};

// `locations` are in the order of rank and thread, and each rank has a thread 0. OTF2's error
// callback sees errors.
void write_definitions(OTF2_GlobalDefWriter* writer, GlobalDefinitions& global,
                       const std::vector<LocationDefinition>& locations, const Clocks& clocks,
                       const TimeLine& time);

}  // namespace latecomer::convert
