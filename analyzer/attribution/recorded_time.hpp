// SPDX-License-Identifier: BSD-3-Clause
// The recorded time of a location between two moments, as steps of a whole run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "analyzer/engine/step.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "analyzer/overhead/overhead_walk.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// Follows the timeline, since parts of a stretch may have different rates:
//
//   0 program   4 work   7 program       from 2 to 9, work has rate 5: 2, rate 5: 3, 2
class RecordedTime {
 public:
  using Ticks = trace::Ticks;

  // `rate_of_node`: by node of the call tree; kNone: as recorded. Empty: no node has a rate.
  // `overhead`: then overhead has rate 0, which is also that of steps before any kRate.
  RecordedTime(const trace::LocationEvents& events, std::span<const std::uint32_t> rate_of_node,
               const PathCosts* overhead = nullptr)
      : rate_of_node_(rate_of_node),
        cursor_(events.timeline),
        change_(cursor_.done() ? kNoChange : cursor_.next()),
        at_(events.first) {
    if (overhead != nullptr) overhead_.emplace(events, *overhead);
  }

  [[nodiscard]] Ticks at() const { return at_; }
  // Passes over time that other steps contain.
  void skip_to(Ticks time) {
    at_ = std::max(at_, time);
    if (overhead_) overhead_->go_on_to(at_, [](Ticks, Ticks, OverheadKind) {});
  }
  // Appends the overhead that begins right here, if any.
  void pass_overhead(memory::Vector<engine::Step>& out) {
    if (overhead_ && overhead_->piece().begin == at_) go_on_to(overhead_->piece().end, out);
  }
  // Appends the time up to this moment.
  void go_on_to(Ticks time, memory::Vector<engine::Step>& out) {
    if (overhead_) return go_on_with_overhead(time, out);
    if (rate_of_node_.empty()) {
      add(trace::kNone, trace::difference(time, at_), out);
      return skip_to(time);
    }
    std::uint32_t rate = trace::kNone;
    for (Ticks begin = at_; at_ < time;) {
      while (change_.time <= at_ && change_.node != kNoNode) {
        node_ = change_.node;
        change_ = cursor_.done() ? kNoChange : cursor_.next();
      }
      const std::uint32_t here = node_ == kNoNode ? trace::kNone : rate_of_node_[node_];
      if (here != rate) {
        add(rate, trace::difference(at_, begin), out);
        begin = at_;
        rate = here;
      }
      at_ = std::min(time, change_.time);
      if (at_ == time) add(rate, trace::difference(at_, begin), out);
    }
  }

 private:
  static constexpr std::uint32_t kNoNode = UINT32_MAX;
  static constexpr trace::Timeline::Change kNoChange{INT64_MAX, kNoNode};

  // All work up to `time`, then all overhead.
  void go_on_with_overhead(Ticks time, memory::Vector<engine::Step>& out) {
    if (time <= at_) return;
    Ticks overhead = 0;
    overhead_->go_on_to(time, [&](Ticks begin, Ticks end, OverheadKind) {
      overhead += end - std::max(begin, at_);
    });
    using engine::Step;
    add(trace::kNone, trace::difference(time, at_) - overhead, out);
    if (overhead > 0) {
      out.push_back(
          Step::duration(Step::Kind::kWork, Step::kRated, std::min(overhead, Step::kMostTicks)));
    }
    at_ = time;
  }

  static void add(std::uint32_t rate, Ticks ticks, memory::Vector<engine::Step>& out) {
    using engine::Step;
    if (ticks <= 0) return;
    const auto how = rate == trace::kNone ? Step::kAsRecorded : Step::kRated;
    if (rate != trace::kNone) out.push_back(Step(Step::Kind::kRate, 0, 0, rate));
    for (; ticks > Step::kMostTicks; ticks -= Step::kMostTicks) {
      out.push_back(Step::duration(Step::Kind::kWork, how, Step::kMostTicks));
    }
    out.push_back(Step::duration(Step::Kind::kWork, how, ticks));
  }

  std::span<const std::uint32_t> rate_of_node_;
  trace::Timeline::Cursor cursor_;
  trace::Timeline::Change change_;  // the next change
  std::uint32_t node_ = kNoNode;
  Ticks at_;
  std::optional<OverheadWalk> overhead_;
};

}  // namespace latecomer::replay
