// SPDX-License-Identifier: BSD-3-Clause
// The data kept of one location's events, of all families.
#pragma once

#include <cstdint>

#include "analyzer/trace/events/collectives/collective_events.hpp"
#include "analyzer/trace/events/core/region_events.hpp"
#include "analyzer/trace/events/counters/counter_events.hpp"
#include "analyzer/trace/events/files/file_operations.hpp"
#include "analyzer/trace/events/messages/message_events.hpp"
#include "analyzer/trace/events/samples/sample_events.hpp"
#include "analyzer/trace/events/threads/thread_events.hpp"
#include "analyzer/trace/events/windows/window_events.hpp"

namespace latecomer::trace {

// Each family adds its own data.
struct LocationEvents : RegionEvents,
                        MessageEvents,
                        CollectiveEvents,
                        WindowEvents,
                        FileOperations,
                        ThreadEvents,
                        SampleEvents,
                        CounterEvents {
  bool opened = false;   // the event file could be read
  int error = 0;         // errno, if the file exists but could not be read
  bool complete = true;  // all announced events were read, in order

  // Closes what is open: at the end of the run if the processes ended together, otherwise at the
  // last event.
  void close(Ticks end_of_run);
};

}  // namespace latecomer::trace
