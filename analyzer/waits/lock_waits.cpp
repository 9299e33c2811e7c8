// SPDX-License-Identifier: BSD-3-Clause
// Finds contention for locks. All lock epochs of a window are sent to one process, which answers
// their hosts.
#include "analyzer/waits/lock_waits.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "patterns/waits/lock_contention.hpp"

namespace latecomer::replay {
namespace {

using trace::kNone;
using trace::Ticks;
using trace::WindowEvent;

struct Part {  // an epoch from a lock to its unlock
  std::uint32_t window = 0, process = 0, location = 0;
  std::uint32_t target = 0;            // kNone: all processes
  std::uint32_t lock = 0, unlock = 0;  // indices of window_events
  Ticks requested = 0;                 // enter of the lock
  Ticks locked = 0;                    // leave of the lock
  Ticks released = 0, end = 0;         // enter and leave of the unlock
  bool shared = false;
};
// The holder that a lock epoch waited for.
struct Answer {
  std::uint32_t location = 0, lock = 0, unlock = 0;
  Ticks released = 0;  // enter of the other process's unlock
  std::uint32_t rank = kNone;
  std::uint32_t cause_location = kNone, cause_event = 0;
};

std::vector<Part> collect(const trace::Definitions& definitions,
                          const trace::LocationEvents& events) {
  const std::uint32_t process = definitions.locations[events.location].process;
  std::vector<Part> parts;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Part> open;  // window, target
  std::uint32_t index = 0;
  auto gap = events.window_gaps.begin();
  for (const auto& step : events.window_events) {
    const std::uint32_t at = index++;
    // If the same lock was requested without being recorded, it was released in between.
    for (; gap != events.window_gaps.end() && gap->before <= at; ++gap) {
      if (gap->kind == trace::Gap::Kind::kLock) open.erase({gap->window, gap->other});
    }
    const auto& call = events.calls[step.call];
    if (step.kind == WindowEvent::Kind::kLock) {
      open[{step.window, step.other}] = {step.window, process, events.location, step.other,
                                         at,          0,       call.enter,      call.leave,
                                         0,           0,       step.shared};
    } else if (step.kind == WindowEvent::Kind::kUnlock) {
      const auto found = open.find({step.window, step.other});
      if (found == open.end()) continue;
      Part part = found->second;
      open.erase(found);
      part.unlock = at;
      part.released = call.enter;
      part.end = call.leave;
      parts.push_back(part);
    }
  }
  return parts;
}

// Epochs of one window that others may have to wait for, in the order of their release.
using Holders = std::vector<const Part*>;

// True if `holder` had its lock before `waiting`. Most MPI libraries return from the lock call only
// with the lock. Others request it later; then only the ends of both epochs show the order.
bool was_first(const Part& holder, const Part& waiting) {
  if (holder.process == waiting.process) return false;
  if (holder.released <= waiting.locked) return holder.locked < waiting.locked;
  return holder.locked <= waiting.released && holder.end < waiting.end;
}

// The last holder that made `waiting` wait until a time not after `until`; null: none.
const Part* last_before(const Holders& holders, const Part& waiting, Ticks until) {
  auto at = std::ranges::upper_bound(holders, until, {}, &Part::released);
  while (at != holders.begin()) {
    const Part* holder = *--at;
    if (holder->released <= waiting.requested) return nullptr;
    if (was_first(*holder, waiting)) return holder;
  }
  return nullptr;
}

// All lock epochs of one window.
class WindowLocks {
 public:
  void add(const Part& part) { parts_.push_back(part); }

  template <typename OnWait>
  void match(OnWait&& on_wait) {
    std::ranges::sort(parts_, {}, [](const Part& p) { return std::pair(p.released, p.process); });
    Holders exclusive, everywhere;  // exclusive locks of any target; shared locks of all targets
    std::map<std::uint32_t, Holders> at, shared;  // exclusive and shared locks of one target
    for (const Part& part : parts_) {
      if (!part.shared) {
        exclusive.push_back(&part);
        at[part.target].push_back(&part);
      } else if (part.target == kNone) {
        everywhere.push_back(&part);
      } else {
        shared[part.target].push_back(&part);
      }
    }
    for (const Part& part : parts_) {
      // An exclusive lock excludes all others of the same target. A shared one excludes exclusive
      // ones. A lock of all targets (MPI_Win_lock_all) is shared.
      std::vector<const Holders*> others;
      if (part.target == kNone) {
        others = {&exclusive};
      } else if (part.shared) {
        others = {&at[part.target]};
      } else {
        others = {&at[part.target], &shared[part.target], &everywhere};
      }
      // The first candidate is the holder whose release let the lock call return, then the one
      // whose release let the whole epoch go on.
      for (const Ticks until : {part.locked, part.end}) {
        const Part* last = nullptr;
        for (const auto* holders : others) {
          const Part* one = last_before(*holders, part, until);
          if (one != nullptr && (last == nullptr || one->released > last->released ||
                                 (one->released == last->released && one->process < last->process)))
            last = one;
        }
        if (last == nullptr) continue;
        on_wait(part, *last);
        break;
      }
    }
  }

 private:
  std::vector<Part> parts_;
};

void book(Booking& booking, causes::SyncPoints& points, std::size_t l, const Answer& answer,
          std::vector<LockWait>& waits) {
  const auto& events = booking.mine[l];
  const std::uint32_t window = events.window_events[answer.lock].window;
  const bool grid = booking.metahost_of(answer.rank) != booking.metahost_of(booking.rank_of(l));
  for (std::uint32_t i = answer.lock; i <= answer.unlock; ++i) {
    const auto& step = events.window_events[i];
    if (step.window != window) continue;
    const auto& call = events.calls[step.call];
    const auto wait = patterns::lock_contention(call.enter, call.leave, answer.released);
    if (wait == 0) continue;
    const auto& metrics = step.is_transfer() ? booking.map[patterns::WaitState::kLockOfTransfer]
                                             : booking.map[patterns::WaitState::kLock];
    booking.part(metrics, {l, call, wait, grid, answer.rank});
    waits.push_back({events.location, step.call, wait});
    points.add_wait_for(*metrics.kind, static_cast<std::uint32_t>(l), step.call, wait,
                        {answer.cause_location, answer.cause_event, answer.released});
    return;
  }
}

}  // namespace

std::vector<LockWait> book_lock_waits(Booking& booking, causes::SyncPoints& points,
                                      const Partition& partition, parallel::Processes& processes) {
  std::vector<LockWait> waits;
  if (booking.definitions.windows.empty()) return waits;
  const auto n = static_cast<std::size_t>(processes.size());
  std::vector<parallel::Packer> packs(n), answers(n);
  for (const auto& events : booking.mine) {
    for (const auto& part : collect(booking.definitions, events)) packs[part.window % n].put(part);
  }
  std::map<std::uint32_t, WindowLocks> windows;
  for (const auto& bytes : processes.exchange(take_all(packs))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto part = in.get<Part>();
      windows[part.window].add(part);
    }
  }
  for (auto& [window, locks] : windows) {
    locks.match([&](const Part& part, const Part& holder) {
      answers[static_cast<std::size_t>(partition.host_of(part.process))].put(
          Answer{part.location, part.lock, part.unlock, holder.released, holder.process,
                 holder.location, holder.unlock});
    });
  }
  std::map<std::uint32_t, std::size_t> column;
  for (std::size_t l = 0; l < booking.mine.size(); ++l) column[booking.mine[l].location] = l;
  std::vector<Answer> found;
  for (const auto& bytes : processes.exchange(take_all(answers))) {
    for (parallel::Unpacker in(bytes); !in.done();) found.push_back(in.get<Answer>());
  }
  std::ranges::sort(found, {}, [](const Answer& a) { return std::pair(a.location, a.lock); });
  for (const auto& answer : found) {
    book(booking, points, column.at(answer.location), answer, waits);
  }
  return waits;
}

}  // namespace latecomer::replay
