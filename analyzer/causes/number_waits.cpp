// SPDX-License-Identifier: BSD-3-Clause
// Numbering of waits and points, one location after the other.
#include "analyzer/causes/number_waits.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "analyzer/memory/sort_by_key.hpp"

namespace latecomer::causes {

using Role = SyncPoint::Role;

// Handles one call after the other: sorts its points, numbers its waits, and puts these into order.
// Then its points count as passed for the steps of later waits.
void NumberWaits::walk(std::size_t location, std::span<SyncPoint> points,
                       std::vector<WaitOfCall> others) {
  const auto& calls = mine_[location].calls;
  std::ranges::stable_sort(others, {}, &WaitOfCall::call);
  auto other = others.begin();
  steps_.begin();
  for (std::size_t first = 0, last = 0;; first = last) {
    // The last round, after all points, handles waits of later calls.
    const std::uint32_t c = first < points.size() ? points[first].call : trace::kNone;
    Ticks leave = 0;
    if (first < points.size()) {
      const auto& call = calls[c];
      leave = call.leave;
      for (; last < points.size() && points[last].call == c; ++last) {
        SyncPoint& point = points[last];
        point.node = call.node;
        point.plain = point.over <= leave && point.kind != WaitKind::kIdleThread ? 1 : 0;
      }
    }
    const auto here = points.subspan(first, last - first);
    // The order of points of one call must not depend on the number of processes.
    if (here.size() > 1) {
      memory::sort_few(here, [](const SyncPoint& a, const SyncPoint& b) {
        return std::tie(a.kind, a.role, a.partner, a.key) <
               std::tie(b.kind, b.role, b.partner, b.key);
      });
    }
    for (SyncPoint& point : here) {
      const auto wait = std::exchange(point.place, 0);
      if (wait != trace::kNone) waits_here_.push_back(wait);
    }
    for (; other != others.end() && other->call <= c; ++other) waits_here_.push_back(other->wait);
    for (const auto wait : waits_here_) {
      number(wait, here, static_cast<std::uint32_t>(first));
    }
    waits_here_.clear();
    if (numbered_.size() == 1) {
      waits_.put_next(numbered_.front().wait, numbered_.front().when);
    } else if (!numbered_.empty()) {
      put_in_order(here, leave);
    }
    numbered_.clear();
    if (here.empty()) return;
    for (auto i = first; i < last; ++i) steps_.pass(static_cast<std::uint32_t>(i), points[i]);
  }
}

// `points`: those of the next call that has any, which may come after the call of the wait.
inline void NumberWaits::number(std::uint32_t number, std::span<const SyncPoint> points,
                                std::uint32_t first) {
  Numbered& numbered = numbered_.emplace_back();
  waits_.connect(number, [&, this](const Wait& wait) {
    const auto& calls = mine_[wait.location].calls;
    Connection to{.point = first, .leave = wait.leave};
    // Most waits say when their call ended. Regions and locks of threads, which contain other
    // calls, give another time, which may be 0.
    const bool told = patterns::is_of_threads(wait.kind) && wait.kind != WaitKind::kThreadBarrier;
    if (wait.leave == 0 && !told) to.leave = calls[wait.call].leave;
    if (!points.empty() && points.front().call == wait.call) {
      to.node = points.front().node;
      for (std::uint32_t i = 0; i < points.size(); ++i) {
        const SyncPoint& point = points[i];
        if (point.kind == wait.kind && point.role != Role::kCauser && point.wait > 0 &&
            (point.role == Role::kUnknown) != wait.known) {
          to.point = first + i;
          break;
        }
      }
    } else {
      to.node = calls[wait.call].node;
    }
    if (wait.costs && wait.cause_location != trace::kNone) {
      const auto [step, own_step] = steps_.find(wait.kind, wait.cause_location);
      to.step = step;
      to.own_step = own_step;
    }
    numbered.point = to.point;
    numbered.cause_location = wait.cause_location;
    numbered.call = wait.call;
    numbered.kind = wait.kind;
    numbered.cause_call = wait.cause_call;
    numbered.wait = number;
    numbered.when = wait.seen_late() ? to.leave : wait.event;
    numbered.end = wait.end();
    return to;
  });
}

// Puts the waits of one call into an order that is always the same. A call may wait for several
// locations one after the other; it is on its own again only after the last of these waits. The
// root of an N-to-1 operation is an exception, see goes_on_waiting().
void NumberWaits::put_in_order(std::span<SyncPoint> points, Ticks leave) {
  memory::sort_few(numbered_, std::less<>{});
  std::size_t waits = 0;
  Ticks end = INT64_MIN;
  for (const Numbered& one : numbered_) {
    waits_.put_next(one.wait, one.when);
    if (points.empty() || one.call != points.front().call) continue;
    ++waits;
    end = std::max(end, one.end);
  }
  if (compatible_ || waits < 2) return;
  for (SyncPoint& point : points) {
    const bool is_message =
        point.kind == WaitKind::kLateSender || point.kind == WaitKind::kLateReceiver;
    const bool goes_on = std::ranges::any_of(
        points, [&](const SyncPoint& other) { return goes_on_waiting(point, other); });
    if (point.role == Role::kWaiter && !is_message && !goes_on) {
      point.over = std::max(point.over, std::min(end, leave));
    }
  }
}

}  // namespace latecomer::causes
