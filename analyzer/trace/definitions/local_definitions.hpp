// SPDX-License-Identifier: BSD-3-Clause
// The local definitions of one location: clock offsets and mapping tables.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/definitions/clock_correction.hpp"
#include "analyzer/trace/definitions/id_maps.hpp"

struct OTF2_Reader_struct;

namespace latecomer::trace {

// Local definitions of one location.
struct LocalDefinitions {
  std::vector<ClockOffset> offsets;
  IdMaps ids;
  bool unread = false;  // some could not be read: no file, or a damaged one
};

// Call it between OTF2_Reader_OpenDefFiles() and OTF2_Reader_CloseDefFiles(), for a selected
// location. False: some could not be read.
bool read_local_definitions(OTF2_Reader_struct* reader, std::uint64_t location,
                            LocalDefinitions& to);

}  // namespace latecomer::trace
