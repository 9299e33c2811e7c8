// SPDX-License-Identifier: BSD-3-Clause
// Reads the events of a location and passes them to a LocationBuilder.
#pragma once

#include <cstdint>
#include <functional>

#include "analyzer/trace/definitions/clock_correction.hpp"
#include "analyzer/trace/definitions/id_maps.hpp"
#include "analyzer/trace/events/core/event_file.hpp"
#include "analyzer/trace/events/location_builder.hpp"
#include "analyzer/trace/events/other_events.hpp"

namespace latecomer::trace {

// The extent to which a file could be read.
struct EventsRead {
  std::uint64_t count = 0;
  bool complete = false;  // the mark at the end was reached, and times never decreased
};

// `progress` is called from time to time with the number of further events.
EventsRead read_events(EventFile& file, const IdMaps& ids, ClockCorrection& clock,
                       LocationBuilder& builder,
                       const std::function<void(std::uint64_t)>& progress);

// Does the same for a location that is no thread.
EventsRead read_other_events(EventFile& file, const IdMaps& ids, ClockCorrection& clock,
                             const Definitions& definitions, OtherBuilder& builder);

}  // namespace latecomer::trace
