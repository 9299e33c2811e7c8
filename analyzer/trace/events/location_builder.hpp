// SPDX-License-Identifier: BSD-3-Clause
// Turns the event stream of one location into LocationEvents, event by event: one builder per
// family of events.
#pragma once

#include <cstdint>

#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/definitions/teams.hpp"
#include "analyzer/trace/events/collectives/collective_builder.hpp"
#include "analyzer/trace/events/contexts/context_builder.hpp"
#include "analyzer/trace/events/core/region_builder.hpp"
#include "analyzer/trace/events/counters/counter_builder.hpp"
#include "analyzer/trace/events/files/file_builder.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "analyzer/trace/events/messages/message_builder.hpp"
#include "analyzer/trace/events/samples/sample_builder.hpp"
#include "analyzer/trace/events/threads/thread_builder.hpp"
#include "analyzer/trace/events/windows/window_builder.hpp"

namespace latecomer::trace {

// Each call of a builder's event is one event; times must not decrease.
class LocationBuilder final : private RegionWatcher {
 public:
  // `teams` is shared by all locations of a process. Without it threads stay at the root.
  LocationBuilder(const Definitions& definitions, CallTree& tree, std::uint32_t location,
                  Teams* teams = nullptr);

  // Hands an event to the builder of its family. False: a field is missing or impossible.
  bool take(Event& event);

  // Enter and leave a region, by its id in the archive.
  void enter(Ticks t, std::uint32_t region) {
    regions.enter(t, definitions().region_ids.find(region));
  }
  void leave(Ticks t, std::uint32_t region) {
    regions.leave(t, definitions().region_ids.find(region));
  }
  // Adds operations that were not recorded, because recording was off or a filter left out their
  // calls. `object` is a communicator, window, or file handle; `peer` is a rank in it.
  void unrecorded(Ticks t, Gap::Kind kind, std::uint32_t object, std::uint32_t peer,
                  std::uint32_t tag, std::uint64_t count);

  [[nodiscard]] const Definitions& definitions() const { return regions.definitions(); }
  // Returns the result. Open regions stay open until LocationEvents::close().
  [[nodiscard]] LocationEvents finish();

  RegionBuilder regions;  // the others rest on it
  MessageBuilder messages;
  CollectiveBuilder collectives;
  WindowBuilder windows;
  FileBuilder files;
  ThreadBuilder threads;
  ContextBuilder contexts;
  SampleBuilder samples;
  CounterBuilder counters;

 private:
  bool take_parameter(Event& event);
  void entered(patterns::ThreadConstruct construct, Ticks t) override;
  void left(const Frame& frame, Ticks t) override;
};

}  // namespace latecomer::trace
