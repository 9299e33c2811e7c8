// SPDX-License-Identifier: BSD-3-Clause
// The data kept of a location that is no thread: a device, or measured values.
#pragma once

#include <cstdint>

#include "analyzer/trace/events/core/event.hpp"

namespace latecomer::trace {

// Such a location has no MPI calls, no waits and no column in the report. Families that the
// analysis uses there add their data.
struct OtherEvents {
  std::uint32_t location = 0;  // index in Definitions::other_locations
  std::uint64_t events = 0;
  std::uint64_t unused = 0;  // events that no family uses
};

// Hands the events of such a location to their families. There is none yet.
class OtherBuilder {
 public:
  explicit OtherBuilder(std::uint32_t location) { out_.location = location; }

  // False: a field is missing or impossible.
  bool take(Event&) {
    ++out_.events;
    ++out_.unused;
    return true;
  }
  [[nodiscard]] OtherEvents finish() const { return out_; }

 private:
  OtherEvents out_;
};

}  // namespace latecomer::trace
