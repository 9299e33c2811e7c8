// SPDX-License-Identifier: BSD-3-Clause
// What an archive says of the events of one location: clock offsets and mapping tables.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/clock_correction.hpp"
#include "analyzer/trace/id_maps.hpp"

struct OTF2_Reader_struct;

namespace latecomer::trace {

struct LocalDefinitions {
  std::vector<ClockOffset> offsets;
  IdMaps ids;
  bool unread = false;  // not all of them: no file, or a damaged one
};

// Between OTF2_Reader_OpenDefFiles() and OTF2_Reader_CloseDefFiles(), after the location was
// selected. False: they could not be read, or not all of them.
bool read_local_definitions(OTF2_Reader_struct* reader, std::uint64_t location,
                            LocalDefinitions& to);

}  // namespace latecomer::trace
