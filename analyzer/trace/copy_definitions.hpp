// SPDX-License-Identifier: BSD-3-Clause
// Copies the global definitions of an archive, all of them.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <vector>

namespace latecomer::trace {

// A location of any kind, also such as the analysis does not know.
struct AnyLocation {
  std::uint64_t id = 0, events = 0;
  std::uint32_t group = 0;  // its process, as the archive numbers it
  // The process that made its group, which is an accelerator, say; or none: OTF2's undefined one.
  std::uint32_t creator = OTF2_UNDEFINED_LOCATION_GROUP;
};

// In the order of the definitions. False: they cannot be read.
[[nodiscard]] bool read_locations(OTF2_Reader* reader, std::vector<AnyLocation>& locations);

// What is different in the copy.
struct DefinitionChanges {
  std::uint64_t first = 0, last = 0;            // the trace covers these times, too
  std::map<std::uint64_t, std::uint64_t> lost;  // records left out, by id of the location
};

// Null writers and unreadable definitions are left alone: the archive's status tells.
void copy_definitions(OTF2_Reader* reader, OTF2_GlobalDefWriter* out,
                      const DefinitionChanges& changes);

}  // namespace latecomer::trace
