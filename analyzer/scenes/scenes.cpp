// SPDX-License-Identifier: BSD-3-Clause
// Makes scenes. Every process knows all scenes and describes what its hosted locations did in them.
#include "analyzer/scenes/scenes.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyzer/scenes/sampled_slices.hpp"
#include "analyzer/scenes/scene_parts.hpp"
#include "patterns/waits/wait_state_list.hpp"

namespace latecomer::replay {
namespace {

using trace::kNone;
using trace::Ticks;

constexpr Ticks kMargin = 4;     // one fourth of a scene's length is shown on either side
constexpr Ticks kShortest = 80;  // calls shorter than one 80th of a scene are merged

std::uint32_t first_location(const trace::Definitions& d, std::uint32_t rank) {
  if (rank >= d.processes.size() || d.processes[rank].locations.empty()) return kNone;
  return d.processes[rank].locations.front();
}

// Adds the first locations of the members of a communicator: all, or as many as fit, evenly spread.
void add_members(const trace::Definitions& d, const trace::Comm& comm, Scene& scene) {
  auto members = comm.members.ranks();
  members.insert(members.end(), comm.remote.begin(), comm.remote.end());
  const std::size_t wanted = members.size() <= kLanes ? members.size() : kLanes - 2;
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto rank = members[wanted < 2 ? 0 : i * (members.size() - 1) / (wanted - 1)];
    const auto one = first_location(d, rank);
    if (one != kNone && std::ranges::find(scene.lanes, one) == scene.lanes.end()) {
      scene.lanes.push_back(one);
    }
  }
}

// `thread`: the thread of the same process that was waited for, or kNone.
Scene scene_of(const trace::Definitions& d, const Instance& one, std::uint32_t thread) {
  Scene scene;
  const Ticks margin = std::max<Ticks>(1, (one.exit - one.enter) / kMargin);
  // There is nothing before the beginning of the trace.
  scene.from = std::max(std::min<Ticks>(0, one.enter), one.enter - margin);
  scene.to = one.exit + margin;
  scene.location = one.location;
  scene.cause_from = one.begin;
  scene.cause_to = one.begin + one.longest;
  scene.lanes.push_back(one.location);
  if (thread != kNone) {
    scene.cause = thread;
    scene.of_threads = true;
    scene.lanes.push_back(thread);
  } else if (d.locations[one.location].process != one.cause) {
    scene.cause = first_location(d, one.cause);
    if (scene.cause != kNone) scene.lanes.push_back(scene.cause);
  }
  if (one.comm != kNone) add_members(d, d.comms[one.comm], scene);
  std::ranges::sort(scene.lanes);
  return scene;
}

// Collects the parts of scenes from the hosted locations.
class SceneMaker {
 public:
  SceneMaker(const TimelineParts& parts, const std::vector<Scene>& scenes)
      : parts_(parts),
        scenes_(scenes),
        of_location_(parts.mine.size()),
        covered_(parts.mine.size()),
        arrows_of_(scenes.size()),
        last_part_(parts.mine.size()) {
    std::map<std::uint32_t, std::size_t> hosted;
    for (std::size_t l = 0; l < parts.mine.size(); ++l) hosted[parts.mine[l].location] = l;
    for (std::uint32_t s = 0; s < scenes.size(); ++s) {
      for (const auto location : scenes[s].lanes) {
        if (const auto it = hosted.find(location); it != hosted.end()) {
          of_location_[it->second].push_back(s);
        }
      }
    }
    for (std::size_t l = 0; l < of_location_.size(); ++l) {
      auto& list = of_location_[l];
      std::ranges::stable_sort(list, {}, [&](std::uint32_t s) { return scenes[s].from; });
      for (const auto s : list) {
        if (covered_[l].empty() || covered_[l].back().to < scenes[s].from) {
          covered_[l].push_back({scenes[s].from, scenes[s].to});
        } else {
          covered_[l].back().to = std::max(covered_[l].back().to, scenes[s].to);
        }
      }
    }
  }

  parallel::Bytes run() {
    for (std::size_t l = 0; l < parts_.mine.size(); ++l) {
      if (!of_location_[l].empty()) calls(l);
    }
    waits();
    messages();
    parallel::Packer pack;
    pack.put_all(std::span<const Slice>(slices_));
    pack.put_all(std::span<const Waiting>(waits_));
    pack.put_all(std::span<const Arrow>(arrows_));
    pack.put_all(std::span<const Busy>(busy_));
    return pack.take();
  }

 private:
  // State of a scene while the timeline of a location passes through it.
  struct Open {
    std::uint32_t scene = 0, lane = 0;
    Slice last;                             // slice that is being assembled; length 0: none
    std::map<std::uint32_t, Ticks> causes;  // times by call path while the location was waited for
  };

  // Walks along the timeline of a location, only where scenes cover it. `open` has the scenes at
  // the current time.
  void calls(std::size_t l) {
    const auto& events = parts_.mine[l];
    const auto& list = of_location_[l];
    std::vector<Open> open;
    std::size_t next = 0;
    Ticks begin = events.first;
    std::uint32_t node = 0;
    const auto sampled = sampled_slices(parts_.definitions, events);
    auto sample = sampled.begin();
    // Adds the interval [begin, end) at a node to all open scenes, and closes those that end.
    const auto add_at = [&](std::uint32_t at, Ticks end) {
      if (end > begin) {
        for (; next < list.size() && scenes_[list[next]].from < end; ++next) {
          const auto lane = scenes_[list[next]].lane_of(events.location);
          open.push_back({list[next], static_cast<std::uint32_t>(lane), {}, {}});
        }
        const auto path = parts_.tree.from_local[at];
        std::erase_if(open, [&](Open& one) {
          const auto& scene = scenes_[one.scene];
          add(one, std::max(begin, scene.from), std::min(end, scene.to), path);
          if (scene.cause == events.location) {
            const Ticks busy = std::min(end, scene.cause_to) - std::max(begin, scene.cause_from);
            if (busy > 0) one.causes[path] += busy;
          }
          if (end < scene.to) return false;
          close(one);
          return true;
        });
      }
      begin = std::max(begin, end);
    };
    // Does the same with `node`, or what was sampled there.
    const auto until = [&](Ticks end) {
      while (sample != sampled.end() && sample->end <= begin) ++sample;
      for (; sample != sampled.end() && sample->begin < end; ++sample) {
        add_at(node, std::min(sample->begin, end));
        add_at(sample->at, std::min(sample->end, end));
        if (sample->end > end) break;
      }
      add_at(node, end);
    };
    for (const auto& part : covered_[l]) {
      auto [cursor, last] = events.timeline.start_before(part.from);
      begin = std::max(begin, last.time);
      node = last.node;
      while (!cursor.done() && begin < part.to) {
        auto change = cursor.next();
        if (open.empty() && change.time <= part.from) {
          // Changes before this part are skipped.
          auto before = change;
          for (; change.time <= part.from && !cursor.done(); change = cursor.next()) {
            before = change;
          }
          begin = std::max(begin, before.time);
          node = before.node;
        }
        if (!open.empty() || part.from < change.time) until(change.time);
        begin = std::max(begin, change.time);
        node = change.node;
      }
      if (cursor.done()) until(events.last);
    }
    for (auto& one : open) close(one);
  }

  // Adds an interval to a scene, or extends its last slice.
  void add(Open& one, Ticks begin, Ticks end, std::uint32_t path) {
    if (end <= begin) return;
    const auto& scene = scenes_[one.scene];
    const Ticks shortest = (scene.to - scene.from) / kShortest;
    Slice& last = one.last;
    const bool follows = last.length > 0 && last.begin + last.length == begin;
    // Short slices are merged until they are long enough to be visible.
    if (follows && ((last.call_path == path && last.changes == 1) ||
                    (last.length < shortest && end - begin < shortest))) {
      if (last.call_path != path) ++last.changes;
      last.call_path = common(last.call_path, path);
      last.length = end - last.begin;
      return;
    }
    if (last.length > 0) slices_.push_back(last);
    last = {one.scene, one.lane, begin, end - begin, path, 1};
  }
  void close(Open& one) {
    if (one.last.length > 0) slices_.push_back(one.last);
    if (one.causes.empty()) return;
    const auto longest = std::ranges::max_element(
        one.causes, {}, [](const auto& entry) { return entry.second; });  // ties: the first path
    busy_.push_back({one.scene, longest->first});
  }
  // The innermost call path above both. Parents have smaller numbers than their children.
  [[nodiscard]] std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      auto& later = a > b ? a : b;
      later = parts_.tree.nodes[later].parent;
    }
    return a;
  }

  // A closed interval of time.
  struct Span {
    Ticks from = 0, to = 0;
  };
  // The interval around a moment in which a hosted location is in no scene; empty if it is in one.
  [[nodiscard]] Span without_scene(std::size_t l, Ticks time) const {
    const auto& parts = covered_[l];
    const auto next = std::ranges::lower_bound(parts, time, {}, &Span::to);
    if (next != parts.end() && next->from <= time) return {1, 0};
    return {next == parts.begin() ? INT64_MIN : next[-1].to + 1,
            next == parts.end() ? INT64_MAX : next->from - 1};
  }

  // Calls f(scene) for the scenes of a hosted location that overlap [begin, end].
  template <typename F>
  void each_scene(std::size_t l, Ticks begin, Ticks end, F&& f) {
    // Most of the run is in no scene, and queries come nearly in the order of time.
    const auto& parts = covered_[l];
    auto& part = last_part_[l];
    while (part < parts.size() && parts[part].to < begin) ++part;
    while (part > 0 && parts[part - 1].to >= begin) --part;
    if (part == parts.size() || parts[part].from > end) return;
    for (const auto s : of_location_[l]) {
      if (scenes_[s].from > end) return;
      if (scenes_[s].to >= begin) f(s);
    }
  }

  void waits() {
    parts_.points.waits().for_each([&](const causes::Wait& wait) {
      if (!wait.costs || !wait.known || wait.end() <= wait.begin ||
          of_location_[wait.location].empty()) {
        return;
      }
      const auto location = parts_.mine[wait.location].location;
      const auto cause = wait.cause_location;
      each_scene(wait.location, wait.begin, wait.end(), [&](std::uint32_t s) {
        const Ticks begin = std::max(wait.begin, scenes_[s].from),
                    end = std::min(wait.end(), scenes_[s].to);
        if (end <= begin) return;
        waits_.push_back({s, static_cast<std::uint32_t>(scenes_[s].lane_of(location)), begin,
                          end - begin, static_cast<std::uint32_t>(wait.kind), cause});
      });
    });
  }

  void messages() {
    for (std::size_t l = 0; l < parts_.mine.size(); ++l) {
      if (of_location_[l].empty()) continue;
      // Most messages are in no scene. Successive ones are often between the same two scenes.
      Span quiet{1, 0};
      std::size_t i = 0;
      for (const trace::Message& receive : parts_.mine[l].receives) {
        if (receive.time < quiet.from || receive.time > quiet.to) {
          quiet = without_scene(l, receive.time);
          if (quiet.from > quiet.to && parts_.messages.has_send(l, i)) {
            each_scene(l, receive.time, receive.time,
                       [&](std::uint32_t s) { message(l, i, receive, s); });
          }
        }
        ++i;
      }
    }
    for (auto& of_scene : arrows_of_) {
      keep_first(of_scene);
      std::ranges::sort(of_scene, comes_first);
      arrows_.insert(arrows_.end(), of_scene.begin(), of_scene.end());
    }
  }
  static bool comes_first(const Arrow& a, const Arrow& b) { return a < b; }
  // The shown messages are chosen from those of all processes. This process therefore need not
  // keep more of a scene than may be shown.
  static void keep_first(std::vector<Arrow>& of_scene) {
    if (of_scene.size() <= kSceneMessages) return;
    const auto last = of_scene.begin() + static_cast<std::ptrdiff_t>(kSceneMessages);
    std::ranges::nth_element(of_scene, last, comes_first);
    of_scene.resize(kSceneMessages);
  }

  // Adds the i-th receive of a hosted location to a scene of the location.
  void message(std::size_t l, std::size_t i, const trace::Message& receive, std::uint32_t s) {
    const auto& scene = scenes_[s];
    const auto to = parts_.mine[l].location;
    const auto send = parts_.messages.send_of(parts_.definitions.locations[to].process, l, i);
    const auto from = scene.lane_of(send.location);
    if (from == scene.lanes.size() || scene.lanes[from] != send.location) return;
    if (send.time < scene.from || send.time > scene.to) return;
    const auto ours = [&](std::uint32_t one) {
      return one == scene.location || one == scene.cause;
    };
    auto& of_scene = arrows_of_[s];
    if (of_scene.size() >= 2 * kSceneMessages) keep_first(of_scene);
    of_scene.push_back({s, ours(to) && ours(send.location) ? 0U : 1U, send.time, receive.time,
                        static_cast<std::uint32_t>(from),
                        static_cast<std::uint32_t>(scene.lane_of(to)), receive.tag,
                        static_cast<std::int64_t>(parts_.mine[l].bytes(receive))});
  }

  const TimelineParts& parts_;
  const std::vector<Scene>& scenes_;
  std::vector<std::vector<std::uint32_t>> of_location_;  // scenes, sorted by begin
  std::vector<std::vector<Span>> covered_;     // intervals covered by scenes, overlaps merged
  std::vector<std::vector<Arrow>> arrows_of_;  // by scene; at most twice what may be shown
  std::vector<std::size_t> last_part_;         // index into covered_ of the last query
  std::vector<Slice> slices_;
  std::vector<Waiting> waits_;
  std::vector<Arrow> arrows_;
  std::vector<Busy> busy_;
};

// Combines the parts of all processes.
Told gather(const parallel::Bytes& own, parallel::Processes& processes) {
  Told all;
  const auto append = [](auto& to, const auto& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  for (const auto& bytes : processes.all_gather(own)) {
    parallel::Unpacker in(bytes);
    append(all.slices, in.get_all<Slice>());
    append(all.waits, in.get_all<Waiting>());
    append(all.arrows, in.get_all<Arrow>());
    append(all.busy, in.get_all<Busy>());
  }
  std::ranges::sort(all.slices, {},
                    [](const Slice& s) { return std::tuple(s.scene, s.lane, s.begin); });
  std::ranges::sort(all.waits, [](const auto& a, const auto& b) { return a < b; });
  std::ranges::sort(all.arrows, [](const auto& a, const auto& b) { return a < b; });
  return all;
}

// The thread that was waited for in each instance; kNone: no thread. Only the waits themselves
// have this information. Collective.
std::vector<std::uint32_t> threads_waited_for(const TimelineParts& parts,
                                              std::span<const MetricStatistics> statistics,
                                              parallel::Processes& processes) {
  std::map<std::pair<std::uint32_t, Ticks>, std::uint32_t> causes;  // by location and begin
  for (const auto& one : statistics) {
    for (const auto& instance : one.worst) causes[{instance.location, instance.begin}] = kNone;
  }
  const bool threads = std::ranges::any_of(parts.definitions.processes, [](const auto& process) {
    return process.locations.size() > 1;
  });
  const auto& waits = parts.points.waits();
  for (std::size_t w = 0; threads && w < waits.size(); ++w) {
    const causes::Wait wait = waits[w];
    if (!patterns::is_of_threads(wait.kind) || !wait.costs) continue;
    const auto wanted = causes.find({parts.mine[wait.location].location, wait.begin});
    if (wanted != causes.end()) wanted->second = wait.cause_location;
  }
  std::vector<std::int64_t> found;  // location + 1; 0: none
  for (const auto& one : statistics) {
    for (const auto& instance : one.worst) {
      const bool of_process = instance.cause != kNone || instance.comm != kNone;
      const auto cause = causes.find({instance.location, instance.begin});
      found.push_back(of_process || cause == causes.end() || cause->second == kNone
                          ? 0
                          : std::int64_t{cause->second} + 1);
    }
  }
  processes.sum(found);
  std::vector<std::uint32_t> out;
  for (const auto one : found)
    out.push_back(one == 0 ? kNone : static_cast<std::uint32_t>(one - 1));
  return out;
}

}  // namespace

Scenes find_scenes(const TimelineParts& parts, std::span<const MetricStatistics> statistics,
                   parallel::Processes& processes) {
  const auto& d = parts.definitions;
  const auto threads = threads_waited_for(parts, statistics, processes);
  std::vector<Scene> scenes;
  for (const auto& one : statistics) {
    for (const auto& instance : one.worst) {
      scenes.push_back(scene_of(d, instance, threads[scenes.size()]));
    }
  }
  const auto told = gather(SceneMaker(parts, scenes).run(), processes);

  std::map<std::uint32_t, std::uint32_t> busy;  // call path of the cause, by scene
  for (const auto& b : told.busy) busy[b.scene] = b.call_path;

  Scenes out(statistics.size());
  std::uint32_t s = 0;
  for (std::size_t m = 0; m < statistics.size(); ++m) {
    for (std::size_t i = 0; i < statistics[m].worst.size(); ++i, ++s) {
      ShownScene shown;
      if (const auto path = busy.find(s); path != busy.end()) shown.cause_call_path = path->second;
      if (const auto& scene = scenes[s]; scene.of_threads) {
        shown.thread = d.locations[scene.location].thread;
        shown.cause_rank = d.locations[scene.cause].process;
        shown.cause_thread = d.locations[scene.cause].thread;
      }
      shown.timeline = timeline_of(d, scenes[s], s, told);
      out[m].push_back(std::move(shown));
    }
  }
  return out;
}

void add_scenes(Scenes scenes, std::span<const MetricStatistics> statistics,
                const patterns::MetricTree& metrics, report::AllWaitStatistics& to) {
  for (std::size_t m = 0; m < statistics.size(); ++m) {
    auto& worst = to[metrics[statistics[m].metric].name].worst;
    for (std::size_t i = 0; i < scenes[m].size(); ++i) {
      ShownScene& scene = scenes[m][i];
      worst[i].cause_call_path = scene.cause_call_path;
      if (scene.cause_rank) worst[i].cause_rank = scene.cause_rank;
      worst[i].thread = scene.thread;
      worst[i].cause_thread = scene.cause_thread;
      worst[i].timeline = std::move(scene.timeline);
    }
  }
}

}  // namespace latecomer::replay
