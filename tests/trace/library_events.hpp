// SPDX-License-Identifier: BSD-3-Clause
// The events of a location as the OTF2 library reads them, passed on to a LocationBuilder. The
// analyzer's own reading is compared with them.
#pragma once

#include <otf2/otf2.h>

#include "analyzer/trace/events/location_builder.hpp"

namespace latecomer::test {

// User data of the callbacks.
class EventSink {
 public:
  EventSink(trace::LocationBuilder& builder, std::uint64_t first_tick)
      : builder_(builder), first_tick_(first_tick) {}
  [[nodiscard]] trace::Ticks in_trace(OTF2_TimeStamp time) const {
    return static_cast<trace::Ticks>(time - first_tick_);
  }
  trace::LocationBuilder& builder() { return builder_; }

 private:
  trace::LocationBuilder& builder_;
  std::uint64_t first_tick_;
};

void register_callbacks(OTF2_Reader* reader, OTF2_EvtReader* events, EventSink& sink);

}  // namespace latecomer::test
