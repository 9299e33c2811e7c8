// SPDX-License-Identifier: BSD-3-Clause
// Copies all global definitions of an archive.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <vector>

namespace latecomer::trace {

// A location of any kind, including kinds that the analysis does not know.
struct AnyLocation {
  std::uint64_t id = 0, events = 0;
  std::uint32_t group = 0;  // its process, by the archive's number
  // The process that created its group, for example an accelerator; none: OTF2's undefined group.
  std::uint32_t creator = OTF2_UNDEFINED_LOCATION_GROUP;
};

// Reads the locations in the order of their definitions. False: they cannot be read.
[[nodiscard]] bool read_locations(OTF2_Reader* reader, std::vector<AnyLocation>& locations);

// Differences between the copy and the original.
struct DefinitionChanges {
  std::uint64_t first = 0, last = 0;            // the trace also covers these times
  std::map<std::uint64_t, std::uint64_t> lost;  // number of records left out, by id of the location
};

// Null writers and unreadable definitions are ignored; the status of the new archive reports them.
void copy_definitions(OTF2_Reader* reader, OTF2_GlobalDefWriter* out,
                      const DefinitionChanges& changes);

}  // namespace latecomer::trace
