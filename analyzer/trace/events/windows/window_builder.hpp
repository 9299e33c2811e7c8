// SPDX-License-Identifier: BSD-3-Clause
// Collects the one-sided communication of one location.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/flat_index.hpp"
#include "analyzer/trace/events/collectives/collective_builder.hpp"
#include "analyzer/trace/events/core/region_builder.hpp"
#include "analyzer/trace/events/windows/window_events.hpp"

namespace latecomer::trace {

// Windows and groups are ids of the archive. Collective calls on windows are collective operations.
class WindowBuilder {
 public:
  WindowBuilder(RegionBuilder& regions, CollectiveBuilder& collectives)
      : regions_(regions), collectives_(collectives) {}

  // Handles an event of this family. False: a field is missing.
  bool take(Event& event);

  void collective_begin(Ticks t) { collectives_.begin(t); }
  void collective_end(Ticks t, std::uint8_t operation, std::uint32_t level, std::uint32_t window);
  void transfer(Ticks t, WindowEvent::Kind kind, std::uint32_t window, std::uint32_t target,
                std::uint64_t sent, std::uint64_t received, std::uint64_t matching = 0);
  void transfer_complete(Ticks t, std::uint32_t window, std::uint64_t matching);  // at the target
  void group_sync(Ticks t, std::uint32_t window, std::uint32_t group);
  void lock(Ticks t, bool request, std::uint32_t window, std::uint32_t target, bool shared);
  // Adds collective calls, epochs, locks and transfers that were not recorded. `peer` is a rank or
  // a group, `series` only of collective calls.
  void unrecorded(Ticks t, Gap::Kind kind, std::uint32_t window, std::uint32_t peer,
                  std::uint32_t series, std::uint64_t count);

  [[nodiscard]] WindowEvents finish() { return std::move(out_); }

 private:
  bool take_collective_end(Event& event);
  bool take_transfer(Event& event);
  bool take_lock(Event& event);
  // Index of a window; kNone (and counted) if it is not defined.
  std::uint32_t index_of(std::uint32_t window);
  std::uint32_t& calls_on(std::uint32_t window);
  void add(Ticks t, WindowEvent::Kind kind, std::uint32_t window, std::uint32_t other, bool shared);

  RegionBuilder& regions_;
  CollectiveBuilder& collectives_;
  WindowEvents out_;
  std::vector<std::uint32_t> calls_;  // number of collective calls per window
  FlatIndex<IntKey> transfers_;       // targets of open transfers
};

}  // namespace latecomer::trace
