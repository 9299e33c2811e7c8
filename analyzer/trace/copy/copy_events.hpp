// SPDX-License-Identifier: BSD-3-Clause
// Copies all event records of a location with other times.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <functional>

#include "analyzer/trace/events/core/call_row.hpp"
#include "archive/otf2/archive_writer.hpp"

namespace latecomer::trace {

// Result of copying a location.
struct CopiedEvents {
  std::uint64_t copied = 0;
  std::uint64_t unknown = 0;  // records of types that this version of OTF2 does not know; left out
  std::uint64_t first = UINT64_MAX, last = 0;  // in new times
};

// Maps a time as the reader delivers it to the new one. It must never decrease.
using NewTime = std::function<std::uint64_t(std::uint64_t)>;

// Treatment of visits that stand for several calls: the ids of their attributes, and a function
// that computes the new time in these calls from the delivered visit.
struct NewRows {
  OTF2_AttributeRef calls = OTF2_UNDEFINED_ATTRIBUTE, call_time = OTF2_UNDEFINED_ATTRIBUTE;
  std::function<std::uint64_t(const CallRow&)> time;
};

// Copies the records of `events`, a reader of a selected location. The reader applies the mappings,
// so the copy has global ids. Stops after `limit` records, since the library repeats the records of
// a damaged file endlessly.
[[nodiscard]] CopiedEvents copy_events(OTF2_Reader* reader, OTF2_EvtReader* events,
                                       std::uint64_t limit, otf2::ArchiveWriter& archive,
                                       OTF2_EvtWriter* out, const NewTime& new_time,
                                       const NewRows& new_rows);

}  // namespace latecomer::trace
