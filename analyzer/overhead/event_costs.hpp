// SPDX-License-Identifier: BSD-3-Clause
// The time that measuring took per event of each kind.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "archive/result.hpp"

namespace latecomer::replay {

// Kinds of overhead.
enum class OverheadKind : std::uint8_t {
  kMpi,     // an enter or leave of MPI, of a thread construct or of a call on a file
  kRegion,  // an enter or leave of a region of the program
  kStack,   // the first visit of a call path, whose stack was unwound
  kSample,  // a sample that was stored
  kFlush,   // a full buffer that was stored, as recorded
  kCount
};
inline constexpr std::size_t kOverheadKinds = static_cast<std::size_t>(OverheadKind::kCount);

// Costs in fractions of a tick, since an event often takes a few nanoseconds.
struct EventCosts {
  static constexpr int kFractionBits = 10;
  using Cost = std::int64_t;  // 2^-10 ticks

  Cost mpi = 0, region = 0, stack = 0, sample = 0;
  std::optional<double> spread;  // of the calibration, relative; none: not known

  [[nodiscard]] static Cost of_ticks(double ticks);
};

// Costs as the archive has them, or `nanoseconds` for each enter and leave if given. The archive
// has sums over all stacks and samples; each of them gets the mean. A Problem, the same on every
// process, if the archive does not say what an event costs. Collective.
[[nodiscard]] Result<EventCosts> event_costs(const trace::Definitions& definitions,
                                             const trace::GlobalCallTree& tree,
                                             const std::vector<trace::LocationEvents>& mine,
                                             std::optional<double> nanoseconds,
                                             parallel::Processes& processes);

// What the events of each call path cost.
struct PathCosts {
  // By node of the process's call tree.
  struct Node {
    std::uint32_t parent = trace::kNone;
    EventCosts::Cost cost = 0;  // of its enter, and of its leave
    OverheadKind kind = OverheadKind::kRegion;
    bool stack = false;  // its first visit unwinds a stack
    bool flush = false;  // all its time is overhead
  };
  std::vector<Node> nodes;
  EventCosts::Cost stack = 0, sample = 0;

  PathCosts(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
            const EventCosts& costs);
};

}  // namespace latecomer::replay
