// SPDX-License-Identifier: BSD-3-Clause
// Copies the event records of a location, all of them, with other times.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <functional>

#include "analyzer/trace/call_row.hpp"
#include "archive/otf2/archive_writer.hpp"

namespace latecomer::trace {

// What became of the records of a location.
struct CopiedEvents {
  std::uint64_t copied = 0;
  std::uint64_t unknown = 0;  // of types that this version of OTF2 does not know: left out
  std::uint64_t first = UINT64_MAX, last = 0;  // new times
};

// A time as the reader delivers it -> the new one. It never decreases.
using NewTime = std::function<std::uint64_t(std::uint64_t)>;

// Visits that stand for several calls: their attributes, and the new time in them, of a visit as it
// is delivered.
struct NewRows {
  OTF2_AttributeRef calls = OTF2_UNDEFINED_ATTRIBUTE, call_time = OTF2_UNDEFINED_ATTRIBUTE;
  std::function<std::uint64_t(const CallRow&)> time;
};

// Writes what `events`, a reader of a selected location, can deliver; ids are global afterwards, as
// the reader applies the mappings. At most `limit` records: a damaged file repeats them for ever.
[[nodiscard]] CopiedEvents copy_events(OTF2_Reader* reader, OTF2_EvtReader* events,
                                       std::uint64_t limit, otf2::ArchiveWriter& archive,
                                       OTF2_EvtWriter* out, const NewTime& new_time,
                                       const NewRows& new_rows);

}  // namespace latecomer::trace
