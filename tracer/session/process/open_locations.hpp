// SPDX-License-Identifier: BSD-3-Clause
// Locations that are no threads: a source of events opens one, and records there from any thread.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "tracer/session/process/session.hpp"

namespace latecomer::session {

using Location = detail::ThreadInfo;

// Opens a location, with its name and that of the device that it belongs to, which may be empty.
// The result is the same for the same arguments, and lasts until the process ends. Null if this
// process does not record. MT: any thread.
Location* open_location(record::LocationKind kind, std::string name, std::string device);

// True if records of locations count now.
[[nodiscard]] bool records_locations();

// Calls record(writer), unless recording is off or over. Times must not decrease. MT: any thread. A
// signal handler that comes in between must not record at the same location.
template <typename Record>
void record_at(Location& location, Record&& record) {
  const std::lock_guard lock(location.other->in_use);
  if (records_locations()) record(location.writer);
}

}  // namespace latecomer::session
