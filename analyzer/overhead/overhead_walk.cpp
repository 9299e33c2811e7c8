// SPDX-License-Identifier: BSD-3-Clause
// Finds the overhead between successive changes of the call path.
#include "analyzer/overhead/overhead_walk.hpp"

namespace latecomer::replay {

OverheadWalk::OverheadWalk(const trace::LocationEvents& events, const PathCosts& costs)
    : events_(events), costs_(costs), cursor_(events.timeline), visited_(costs.nodes.size()) {
  now_ = {events.first, kRoot};
  over_ = cursor_.done();
  if (!over_) next_ = cursor_.next();
  step();
}

void OverheadWalk::step() {
  while (taken_ == count_) {
    count_ = taken_ = 0;
    if (over_) {
      piece_ = {kNoMore, kNoMore, OverheadKind::kMpi};
      return;
    }
    next_gap();
  }
  piece_ = found_[taken_++];
}

// Number of call paths of MPI that are first visited at this time, which is that of next_. The
// functions that call MPI are often entered at the time of the call.
int OverheadWalk::new_stacks_at(Ticks time) {
  int number = 0;
  auto cursor = cursor_;
  std::uint32_t before = now_.node;
  for (auto change = next_; change.time == time; change = cursor.next()) {
    const auto& node = costs_.nodes[change.node];
    if (node.stack && node.parent == before && !visited_[change.node]) {
      visited_[change.node] = true;
      ++number;
    }
    before = change.node;
    if (cursor.done()) break;
  }
  return number;
}

// Finds the overhead from now_ to next_, then moves on.
void OverheadWalk::next_gap() {
  const auto& nodes = costs_.nodes;
  const Ticks begin = now_.time, end = next_.time, room = std::max<Ticks>(0, end - begin);
  if (nodes[now_.node].flush) {
    add(begin, end, OverheadKind::kFlush);
  } else if (room > 0) {
    // Events at `begin`.
    const Ticks whole = in_ticks(after_);
    const Ticks after = std::min(room, whole);
    missing_ += (whole - after) << EventCosts::kFractionBits;
    add(begin, begin + after, after_kind_);
    after_ = 0;
    // Samples in the gap, and the stack of the call that ends it.
    Ticks samples = 0, stack = 0;
    for (; sample_ < events_.sample_times.size() && events_.sample_times[sample_].time < end;
         ++sample_) {
      samples += in_ticks(costs_.sample);
    }
    for (auto stacks = costs_.stack > 0 ? new_stacks_at(end) : 0; stacks > 0; --stacks) {
      stack += in_ticks(costs_.stack);
    }
    const Ticks of_stack = std::min(stack, room - after);
    const Ticks of_samples = std::min(samples, room - after - of_stack);
    missing_ += (stack - of_stack + samples - of_samples) << EventCosts::kFractionBits;
    add(end - of_stack - of_samples, end - of_stack, OverheadKind::kSample);
    add(end - of_stack, end, OverheadKind::kStack);
  }
  // The event at next_; a new stretch of the same call path is none.
  if (next_.node != now_.node) {
    const auto& of = nodes[nodes[next_.node].parent == now_.node ? next_.node : now_.node];
    after_ += of.cost;
    if (of.cost > 0) after_kind_ = of.kind;
  }
  now_ = next_;
  if (!cursor_.done()) {
    next_ = cursor_.next();
  } else if (now_.time < events_.last) {
    next_ = {events_.last, now_.node};
  } else {
    over_ = true;
  }
}

}  // namespace latecomer::replay
