// SPDX-License-Identifier: BSD-3-Clause
// Matches epochs. All epochs on a window are sent to one process, which answers the hosts of both
// sides.
#include "analyzer/match/epochs.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace latecomer::replay {
namespace {

using trace::kNone;
using trace::Ticks;
using trace::WindowEvent;

// An epoch with its first and second call; kNone as second: it never ended. If `missed` is not 0,
// that many epochs that were not recorded.
struct Part {
  std::uint32_t window = 0, process = 0, location = 0, group = 0;
  std::uint32_t first = kNone, second = kNone;  // indices of window_events
  Ticks first_enter = 0, second_enter = 0, end = 0;
  bool access = false;
  std::uint64_t missed = 0;
};

// Epochs of a pair of processes, by their number. A gap in the recording takes one element.
class Numbered {
 public:
  void add(const Part& part) {
    end_ += part.missed == 0 ? 1 : part.missed;
    runs_.push_back({end_, &part});
  }
  [[nodiscard]] const Part* find(std::uint64_t number) const {
    const auto run = std::ranges::upper_bound(runs_, number, {}, &Run::end);
    return run == runs_.end() ? nullptr : run->part;
  }

 private:
  struct Run {
    std::uint64_t end;  // number after the last epoch of this element
    const Part* part;
  };
  std::vector<Run> runs_;
  std::uint64_t end_ = 0;
};
// The last transfer of an access epoch to a target.
struct Transfer {
  std::uint32_t window = 0, process = 0, epoch = 0, target = 0;
  Ticks last = 0;
};
using Pair = std::pair<std::uint32_t, std::uint32_t>;  // origin, target

// Collects the epochs of a location in the order of beginning, and per access epoch the last
// transfer to each target.
void collect(const trace::Definitions& definitions, const trace::LocationEvents& events,
             std::vector<Part>& parts,
             std::map<std::pair<std::size_t, std::uint32_t>, Ticks>& last) {
  const std::uint32_t process = definitions.locations[events.location].process;
  std::map<std::pair<std::uint32_t, bool>, std::size_t> open;  // window, access: index of parts
  std::uint32_t index = 0;
  auto gap = events.window_gaps.begin();
  // Adds epochs that began in a gap. Epochs that were open before the gap have ended in it.
  const auto take_gaps = [&](std::uint32_t before) {
    for (; gap != events.window_gaps.end() && gap->before <= before; ++gap) {
      const bool access = gap->kind == trace::Gap::Kind::kAccessEpoch;
      if (!access && gap->kind != trace::Gap::Kind::kExposureEpoch) continue;
      open.erase({gap->window, access});
      if (gap->count == 0) continue;
      parts.push_back({gap->window, process, events.location, gap->other, kNone, kNone, gap->time,
                       0, 0, access, gap->count});
    }
  };
  for (const auto& step : events.window_events) {
    const std::uint32_t at = index++;
    take_gaps(at);
    const auto& call = events.calls[step.call];
    using enum WindowEvent::Kind;
    if (step.is_transfer()) {
      const auto found = open.find({step.window, true});
      if (found == open.end()) continue;
      auto& latest = last.try_emplace({found->second, step.other}, INT64_MIN).first->second;
      latest = std::max(latest, call.leave);
    } else if (step.kind == kPost || step.kind == kStart) {
      open[{step.window, step.kind == kStart}] = parts.size();
      parts.push_back({step.window, process, events.location, step.other, at, kNone, call.enter, 0,
                       0, step.kind == kStart, 0});
    } else if (step.is_epoch()) {
      const auto found = open.find({step.window, step.kind == kComplete});
      if (found == open.end()) continue;
      auto& part = parts[found->second];
      part.second = at;
      part.second_enter = call.enter;
      part.end = step.time;
      open.erase(found);
    }
  }
  take_gaps(kNone);
}

// All epochs of one window.
class WindowEpochs {
 public:
  explicit WindowEpochs(const trace::Definitions& definitions) : definitions_(definitions) {}

  void add(const Part& part) { parts_.push_back(part); }
  void add(const Transfer& transfer) { transfers_.push_back(transfer); }

  template <typename OnAccess, typename OnExposure, typename OnEdge>
  void match(OnAccess&& on_access, OnExposure&& on_exposure, OnEdge&& on_edge,
             std::vector<sync::Channel>& pairs) {
    std::ranges::stable_sort(parts_, [](const Part& a, const Part& b) {
      return std::pair(a.process, a.first_enter) < std::pair(b.process, b.first_enter);
    });
    // Numbers the epochs of each pair in the order of beginning. An epoch counts for all members of
    // its group.
    std::map<Pair, Numbered> accesses, exposures;
    for (const auto& part : parts_) {
      for (const auto other : definitions_.groups[part.group]) {
        (part.access ? accesses[{part.process, other}] : exposures[{other, part.process}])
            .add(part);
      }
    }
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Ticks> last;
    for (const auto& t : transfers_) last[{t.process, t.epoch, t.target}] = t.last;
    std::map<Pair, std::uint64_t> next;  // visited epochs of each pair
    // Visits the epochs again in the same order, so that `next` has the number of the partner's
    // epoch.
    for (const bool access : {true, false}) {
      next.clear();
      for (const auto& part : parts_) {
        if (part.access != access) continue;
        Latest latest;
        bool all = true, edge = false;
        for (const auto other : definitions_.groups[part.group]) {
          const Pair pair = access ? Pair{part.process, other} : Pair{other, part.process};
          auto& number = next[pair];
          if (part.missed != 0) {
            number += part.missed;
            continue;
          }
          const Part* const partner = (access ? exposures : accesses)[pair].find(number++);
          if (partner == nullptr || partner->missed != 0 || (!access && partner->second == kNone)) {
            all = false;
            edge = edge || (partner != nullptr && partner->missed != 0);
            continue;
          }
          latest.add(*partner, access ? partner->first : partner->second,
                     access ? partner->first_enter : partner->second_enter);
          if (access || part.second == kNone) continue;
          const auto found = last.find({other, ordinal(*partner), part.process});
          if (found != last.end()) {
            latest.transfer = std::max(latest.transfer, found->second);
            ++latest.origins;
          }
          if (other != part.process) {
            pairs.push_back({other, part.process, {{partner->second_enter, part.end}}});
          }
        }
        if (edge) on_edge(part);
        // An epoch with an empty group waits for no process.
        if (!all || latest.rank == kNone || part.second == kNone) continue;
        if (access) {
          on_access(part, latest);
        } else {
          on_exposure(part, latest);
        }
      }
    }
  }

 private:
  // The latest call of the partners, its location and event, and the last transfer of any.
  struct Latest {
    Ticks time = INT64_MIN, transfer = INT64_MIN;
    std::uint32_t rank = kNone;
    std::uint32_t location = kNone, event = 0, origins = 0;
    void add(const Part& partner, std::uint32_t its_event, Ticks its_time) {
      if (its_time > time || (its_time == time && partner.process < rank)) {
        time = its_time;
        rank = partner.process;
        location = partner.location;
        event = its_event;
      }
    }
  };
  // Number of an access epoch, unique in its process: the index of its first event.
  static std::uint32_t ordinal(const Part& part) { return part.first; }

  const trace::Definitions& definitions_;
  std::vector<Part> parts_;
  std::vector<Transfer> transfers_;
};

}  // namespace

// Parts and transfers go to the process of their window. It matches them and sends each result to
// the host of its process.
Epochs match_epochs(const trace::Definitions& definitions, const Partition& partition,
                    const std::vector<trace::LocationEvents>& mine,
                    parallel::Processes& processes) {
  Epochs out;
  if (definitions.windows.empty()) return out;
  const auto n = static_cast<std::size_t>(processes.size());
  std::vector<parallel::Packer> epochs(n), transfers(n);
  for (const auto& events : mine) {
    std::vector<Part> parts;
    std::map<std::pair<std::size_t, std::uint32_t>, Ticks> last;
    collect(definitions, events, parts, last);
    for (const auto& part : parts) epochs[part.window % n].put(part);
    for (const auto& [key, time] : last) {
      const auto& part = parts[key.first];
      transfers[part.window % n].put(
          Transfer{part.window, part.process, part.first, key.second, time});
    }
  }
  std::map<std::uint32_t, WindowEpochs> windows;
  const auto of = [&](std::uint32_t window) -> WindowEpochs& {
    return windows.try_emplace(window, definitions).first->second;
  };
  for (const auto& bytes : processes.exchange(take_all(epochs))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto part = in.get<Part>();
      of(part.window).add(part);
    }
  }
  for (const auto& bytes : processes.exchange(take_all(transfers))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto transfer = in.get<Transfer>();
      of(transfer.window).add(transfer);
    }
  }
  std::vector<parallel::Packer> accesses(n), exposures(n), edges(n);
  const auto host = [&](std::uint32_t process) {
    return static_cast<std::size_t>(partition.host_of(process));
  };
  for (auto& [window, all] : windows) {
    all.match(
        [&](const Part& part, const auto& last) {
          accesses[host(part.process)].put(Epochs::Access{part.location, part.first, part.second,
                                                          last.time, last.rank, last.location,
                                                          last.event});
        },
        [&](const Part& part, const auto& last) {
          exposures[host(part.process)].put(
              Epochs::Exposure{part.location, part.first, part.second, last.time, last.rank,
                               last.location, last.event, last.transfer, last.origins});
        },
        [&](const Part& part) { edges[host(part.process)].put(Epochs::Edge{part.location}); },
        out.pairs);
  }
  for (const auto& bytes : processes.exchange(take_all(accesses))) {
    for (parallel::Unpacker in(bytes); !in.done();)
      out.accesses.push_back(in.get<Epochs::Access>());
  }
  for (const auto& bytes : processes.exchange(take_all(exposures))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      out.exposures.push_back(in.get<Epochs::Exposure>());
    }
  }
  for (const auto& bytes : processes.exchange(take_all(edges))) {
    for (parallel::Unpacker in(bytes); !in.done();) out.edges.push_back(in.get<Epochs::Edge>());
  }
  // The order must not depend on the number of processes.
  std::ranges::sort(out.accesses, {}, [](const auto& a) { return std::pair(a.location, a.start); });
  std::ranges::sort(out.exposures, {}, [](const auto& e) { return std::pair(e.location, e.wait); });
  return out;
}

}  // namespace latecomer::replay
