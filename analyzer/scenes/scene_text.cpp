// SPDX-License-Identifier: BSD-3-Clause
// Writes a scene as JSON text.
#include "analyzer/scenes/scene_text.hpp"

#include <span>

#include "analyzer/report/extras/json_writer.hpp"
#include "analyzer/report/model/model.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::replay {
namespace {

using report::JsonWriter;
using trace::Ticks;

// The elements of one scene in a list sorted by scenes.
template <typename T>
std::span<const T> of_scene(const std::vector<T>& list, std::uint32_t number) {
  const auto part = std::ranges::equal_range(list, number, {}, &T::scene);
  return {part.begin(), part.end()};
}

// Writes one scene. Lists hold the parts of this scene only, in the order of lanes.
class Writer {
 public:
  Writer(const trace::Definitions& definitions, const Scene& scene, std::uint32_t number,
         const Told& told)
      : d_(definitions),
        scene_(scene),
        second_(static_cast<double>(definitions.ticks_per_second)),
        slices_(of_scene(told.slices, number)),
        waits_(of_scene(told.waits, number)),
        arrows_(of_scene(told.arrows, number)) {}

  std::string write() {
    {
      const auto whole = out_.object();
      out_.member("from", static_cast<double>(scene_.from) / second_);
      add_lanes();
      add_messages();
      out_.member("to", static_cast<double>(scene_.to) / second_);
    }
    return out_.take();
  }

 private:
  void add_lanes() {
    const auto lanes = out_.array("lanes");
    for (std::uint32_t lane = 0; lane < scene_.lanes.size(); ++lane) add_lane(lane);
  }

  void add_messages() {
    const auto messages = out_.array("messages");
    for (const auto& a : arrows_.first(std::min(arrows_.size(), kSceneMessages))) {
      out_.row(a.from, since(a.sent), a.to, since(a.received), a.bytes, a.tag);
    }
  }

  void add_lane(std::uint32_t lane) {
    const auto& location = d_.locations[scene_.lanes[lane]];
    const auto whole = out_.object();
    {
      const auto calls = out_.array("calls");
      for (; !slices_.empty() && slices_.front().lane == lane; slices_ = slices_.subspan(1)) {
        const Slice& s = slices_.front();
        out_.row(since(s.begin), nanoseconds(s.length), s.call_path, s.changes);
      }
    }
    out_.member("rank", location.process);
    out_.member("thread", location.thread);
    const auto waits = out_.array("waits");
    for (; !waits_.empty() && waits_.front().lane == lane; waits_ = waits_.subspan(1)) {
      add(waits_.front());
    }
  }

  void add(const Waiting& w) {
    const auto wait = out_.array();
    out_.value(since(w.begin));
    out_.value(nanoseconds(w.length));
    out_.value(patterns::wait_kinds()[w.kind].wait);
    if (w.cause == trace::kNone) {
      out_.value(-1);
      return;
    }
    out_.value(d_.locations[w.cause].process);
    if (patterns::is_of_threads(static_cast<patterns::WaitKind>(w.kind))) {
      out_.value(d_.locations[w.cause].thread);
    }
  }

  [[nodiscard]] std::int64_t nanoseconds(Ticks time) const {
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): negative times may be a nanosecond off
    return static_cast<std::int64_t>(static_cast<double>(time) / second_ * 1e9 + 0.5);
  }
  [[nodiscard]] std::int64_t since(Ticks time) const { return nanoseconds(time - scene_.from); }

  const trace::Definitions& d_;
  const Scene& scene_;
  double second_;
  std::span<const Slice> slices_;
  std::span<const Waiting> waits_;
  std::span<const Arrow> arrows_;
  JsonWriter out_{report::Definitions::kTimelineDepth};
};

}  // namespace

std::string scene_text(const trace::Definitions& definitions, const Scene& scene,
                       std::uint32_t number, const Told& told) {
  return Writer(definitions, scene, number, told).write();
}

}  // namespace latecomer::replay
