// SPDX-License-Identifier: BSD-3-Clause
// The events of a location, one after the other, passed on to a LocationBuilder.
#pragma once

#include <cstdint>
#include <functional>

#include "analyzer/trace/clock_correction.hpp"
#include "analyzer/trace/event_file.hpp"
#include "analyzer/trace/id_maps.hpp"
#include "analyzer/trace/location_builder.hpp"

namespace latecomer::trace {

struct EventsRead {
  std::uint64_t count = 0;
  bool complete = false;  // up to the mark at the end, no time before the last one
};

// `progress` is called now and then with the number of further events.
EventsRead read_events(EventFile& file, const IdMaps& ids, ClockCorrection& clock,
                       LocationBuilder& builder,
                       const std::function<void(std::uint64_t)>& progress);

}  // namespace latecomer::trace
