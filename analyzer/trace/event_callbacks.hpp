// SPDX-License-Identifier: BSD-3-Clause
// OTF2's event callbacks, passed on to a LocationBuilder.
#pragma once

#include <otf2/otf2.h>

#include "analyzer/trace/location_builder.hpp"

namespace latecomer::trace {

// What the callbacks get as user data. Stops the reader where time goes backwards, which no writer
// produces: the library is repeating an old buffer.
class EventSink {
 public:
  EventSink(LocationBuilder& builder, std::uint64_t first_tick)
      : builder_(builder), first_tick_(first_tick) {}

  // False: time went backwards, stop reading.
  bool at(OTF2_TimeStamp time) {
    time_ = static_cast<Ticks>(time - first_tick_);
    if (time_ >= builder_.last() || first_) {
      first_ = false;
      return true;
    }
    stopped_ = true;
    return false;
  }
  [[nodiscard]] Ticks time() const { return time_; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] std::uint64_t first_tick() const { return first_tick_; }
  LocationBuilder& builder() { return builder_; }

 private:
  LocationBuilder& builder_;
  std::uint64_t first_tick_;
  Ticks time_ = 0;
  bool first_ = true;
  bool stopped_ = false;
};

void register_callbacks(OTF2_Reader* reader, OTF2_EvtReader* events, EventSink& sink);

}  // namespace latecomer::trace
