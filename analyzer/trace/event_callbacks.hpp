// SPDX-License-Identifier: BSD-3-Clause
// OTF2's event callbacks, passed on to a LocationBuilder.
#pragma once

#include <otf2/otf2.h>

#include "analyzer/trace/location_builder.hpp"
#include "sync/piecewise_linear.hpp"

namespace latecomer::trace {

// What the callbacks get as user data. Stops the reader where time goes backwards, which no writer
// produces: the library is repeating an old buffer.
class EventSink {
 public:
  // `to_common` turns the times that the reader delivers into those of the common clock; null: they
  // are.
  EventSink(LocationBuilder& builder, std::uint64_t first_tick,
            const sync::PiecewiseLinear* to_common = nullptr)
      : builder_(builder), first_tick_(first_tick), to_common_(to_common) {}

  // False: time went backwards, stop reading.
  bool at(OTF2_TimeStamp time) {
    time_ = in_trace(time);
    if (time_ >= builder_.last() || first_) {
      first_ = false;
      return true;
    }
    stopped_ = true;
    return false;
  }
  [[nodiscard]] Ticks time() const { return time_; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  // A time stamp as time of the trace.
  [[nodiscard]] Ticks in_trace(OTF2_TimeStamp time) const {
    if (to_common_ != nullptr) {
      time = static_cast<OTF2_TimeStamp>((*to_common_)(static_cast<Ticks>(time)));
    }
    return static_cast<Ticks>(time - first_tick_);
  }
  LocationBuilder& builder() { return builder_; }

 private:
  LocationBuilder& builder_;
  std::uint64_t first_tick_;
  const sync::PiecewiseLinear* to_common_;
  Ticks time_ = 0;
  bool first_ = true;
  bool stopped_ = false;
};

void register_callbacks(OTF2_Reader* reader, OTF2_EvtReader* events, EventSink& sink);

}  // namespace latecomer::trace
