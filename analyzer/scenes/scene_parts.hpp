// SPDX-License-Identifier: BSD-3-Clause
// The parts of scenes that processes exchange, and the scene in the report that they make.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "analyzer/report/extras/wait_statistics.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// Time span and locations of a scene, known to every process.
struct Scene {
  trace::Ticks from = 0, to = 0;
  trace::Ticks cause_from = 0, cause_to = 0;  // when the cause was waited for
  std::uint32_t location = 0;                 // the location that waited
  std::uint32_t cause = trace::kNone;         // location that was waited for
  bool of_threads = false;                    // both are threads of one process
  std::vector<std::uint32_t> lanes;           // locations, ascending
  [[nodiscard]] std::size_t lane_of(std::uint32_t one) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(lanes, one) - lanes.begin());
  }
};

// The following parts are sent to all processes. A slice is a call path in which a location was.
struct Slice {
  std::uint32_t scene = 0, lane = 0;
  trace::Ticks begin = 0, length = 0;
  std::uint32_t call_path = 0, changes = 0;
};
// A wait of a location.
struct Waiting {
  std::uint32_t scene = 0, lane = 0;
  trace::Ticks begin = 0, length = 0;
  std::uint32_t kind = 0, cause = trace::kNone;  // WaitKind, location
  bool operator<(const Waiting& other) const {
    return std::tie(scene, lane, begin, length, kind, cause) <
           std::tie(other.scene, other.lane, other.begin, other.length, other.kind, other.cause);
  }
};
// A message between two lanes.
struct Arrow {
  std::uint32_t scene = 0, far = 0;  // 0: between the location that waited and its cause
  trace::Ticks sent = 0, received = 0;
  std::uint32_t from = 0, to = 0, tag = 0;  // lanes
  std::int64_t bytes = 0;
  bool operator<(const Arrow& other) const {
    return std::tie(scene, far, sent, received, from, to, tag, bytes) <
           std::tie(other.scene, other.far, other.sent, other.received, other.from, other.to,
                    other.tag, other.bytes);
  }
};
// Call path in which the cause was for most of the time.
struct Busy {
  std::uint32_t scene = 0, call_path = 0;
};

// The parts from all processes, in an order that does not depend on the number of processes. Slices
// and waits are sorted by scene and lane, arrows by scene.
struct Told {
  std::vector<Slice> slices;
  std::vector<Waiting> waits;
  std::vector<Arrow> arrows;
  std::vector<Busy> busy;
};

inline constexpr std::size_t kSceneMessages = 100;  // largest number of messages in a scene

// The scene with that number, made of its parts.
[[nodiscard]] report::Timeline timeline_of(const trace::Definitions& definitions,
                                           const Scene& scene, std::uint32_t number,
                                           const Told& told);

}  // namespace latecomer::replay
