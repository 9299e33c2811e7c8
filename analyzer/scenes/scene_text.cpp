// SPDX-License-Identifier: BSD-3-Clause
// Writes a scene as JSON text.
#include "analyzer/scenes/scene_text.hpp"

#include <span>

#include "analyzer/report/extras/json_text.hpp"
#include "analyzer/report/model/model.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::replay {
namespace {

using report::JsonText;
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
    out_.open('{');
    out_.key("from");
    out_.number(static_cast<double>(scene_.from) / second_);
    out_.key("lanes");
    out_.open('[');
    for (std::uint32_t lane = 0; lane < scene_.lanes.size(); ++lane) add_lane(lane);
    out_.close(']');
    out_.key("messages");
    out_.open('[');
    for (const auto& a : arrows_.first(std::min(arrows_.size(), kSceneMessages))) {
      row(a.from, since(a.sent), a.to, since(a.received), a.bytes, a.tag);
    }
    out_.close(']');
    out_.key("to");
    out_.number(static_cast<double>(scene_.to) / second_);
    out_.close('}');
    return out_.take();
  }

 private:
  void add_lane(std::uint32_t lane) {
    const auto& location = d_.locations[scene_.lanes[lane]];
    out_.open('{');
    out_.key("calls");
    out_.open('[');
    for (; !slices_.empty() && slices_.front().lane == lane; slices_ = slices_.subspan(1)) {
      const Slice& s = slices_.front();
      row(since(s.begin), nanoseconds(s.length), s.call_path, s.changes);
    }
    out_.close(']');
    out_.key("rank");
    out_.number(location.process);
    out_.key("thread");
    out_.number(location.thread);
    out_.key("waits");
    out_.open('[');
    for (; !waits_.empty() && waits_.front().lane == lane; waits_ = waits_.subspan(1)) {
      add(waits_.front());
    }
    out_.close(']');
    out_.close('}');
  }

  void row(auto... numbers) {
    out_.open('[');
    (out_.number(numbers), ...);
    out_.close(']');
  }

  void add(const Waiting& w) {
    out_.open('[');
    out_.number(since(w.begin));
    out_.number(nanoseconds(w.length));
    out_.word(patterns::wait_kinds()[w.kind].wait);
    if (w.cause == trace::kNone) {
      out_.number(-1);
    } else {
      out_.number(d_.locations[w.cause].process);
      if (patterns::is_of_threads(static_cast<patterns::WaitKind>(w.kind))) {
        out_.number(d_.locations[w.cause].thread);
      }
    }
    out_.close(']');
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
  JsonText out_{report::Definitions::kTimelineDepth};
};

}  // namespace

std::string scene_text(const trace::Definitions& definitions, const Scene& scene,
                       std::uint32_t number, const Told& told) {
  return Writer(definitions, scene, number, told).write();
}

}  // namespace latecomer::replay
