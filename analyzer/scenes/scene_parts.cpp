// SPDX-License-Identifier: BSD-3-Clause
// Makes a scene of its parts.
#include "analyzer/scenes/scene_parts.hpp"

#include <span>

#include "patterns/waits/wait_state.hpp"

namespace latecomer::replay {
namespace {

using trace::Ticks;

// The elements of one scene in a list sorted by scenes.
template <typename T>
std::span<const T> of_scene(const std::vector<T>& list, std::uint32_t number) {
  const auto part = std::ranges::equal_range(list, number, {}, &T::scene);
  return {part.begin(), part.end()};
}

// The elements of one lane, in a list of one scene.
template <typename T>
std::span<const T> of_lane(std::span<const T> list, std::uint32_t number) {
  const auto part = std::ranges::equal_range(list, number, {}, &T::lane);
  return {part.begin(), part.end()};
}

// Converts times in a scene.
class SceneClock {
 public:
  SceneClock(Ticks from, double second) : from_(from), second_(second) {}
  [[nodiscard]] double seconds(Ticks time) const { return static_cast<double>(time) / second_; }
  [[nodiscard]] std::int64_t nanoseconds(Ticks time) const {
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): negative times may be a nanosecond off
    return static_cast<std::int64_t>(seconds(time) * 1e9 + 0.5);
  }
  [[nodiscard]] std::int64_t since(Ticks time) const { return nanoseconds(time - from_); }

 private:
  Ticks from_;
  double second_;
};

report::Timeline::Wait wait_of(const trace::Definitions& d, const SceneClock& clock,
                               const Waiting& waiting) {
  report::Timeline::Wait wait;
  wait.begin = clock.since(waiting.begin);
  wait.length = clock.nanoseconds(waiting.length);
  wait.metric = patterns::wait_kinds()[waiting.kind].wait;
  if (waiting.cause != trace::kNone) {
    const auto& cause = d.locations[waiting.cause];
    wait.cause_rank = cause.process;
    if (patterns::is_of_threads(static_cast<patterns::WaitKind>(waiting.kind))) {
      wait.cause_thread = cause.thread;
    }
  }
  return wait;
}

}  // namespace

report::Timeline timeline_of(const trace::Definitions& definitions, const Scene& scene,
                             std::uint32_t number, const Told& told) {
  const SceneClock clock(scene.from, static_cast<double>(definitions.ticks_per_second));
  const auto slices = of_scene(told.slices, number);
  const auto waits = of_scene(told.waits, number);
  const auto arrows = of_scene(told.arrows, number);
  report::Timeline out;
  out.from = clock.seconds(scene.from);
  out.to = clock.seconds(scene.to);
  for (std::uint32_t l = 0; l < scene.lanes.size(); ++l) {
    const auto& location = definitions.locations[scene.lanes[l]];
    auto& lane = out.lanes.emplace_back();
    lane.rank = location.process;
    lane.thread = location.thread;
    for (const Slice& s : of_lane(slices, l)) {
      lane.calls.push_back(
          {clock.since(s.begin), clock.nanoseconds(s.length), s.call_path, s.changes});
    }
    for (const Waiting& w : of_lane(waits, l)) {
      lane.waits.push_back(wait_of(definitions, clock, w));
    }
  }
  for (const Arrow& a : arrows.first(std::min(arrows.size(), kSceneMessages))) {
    out.messages.push_back({.from = a.from,
                            .to = a.to,
                            .sent = clock.since(a.sent),
                            .received = clock.since(a.received),
                            .bytes = a.bytes,
                            .tag = a.tag});
  }
  return out;
}

}  // namespace latecomer::replay
