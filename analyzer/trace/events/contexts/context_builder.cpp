// SPDX-License-Identifier: BSD-3-Clause
// Turns changes of the open context into enters and leaves of regions.
#include "analyzer/trace/events/contexts/context_builder.hpp"

namespace latecomer::trace {

bool ContextBuilder::take(Event& event) {
  std::uint32_t context = 0, distance = 0;
  if (!event.take(context)) return false;
  context = event.id(IdKind::kContext, context);
  if (event.record.type == kCallingContextLeave) {
    leave(event.time, context);
    return true;
  }
  if (!event.take(distance)) return false;
  enter(event.time, context, distance);
  return true;
}

// True if the context is on the path of the innermost open one.
bool ContextBuilder::is_open(std::uint32_t context) const {
  std::uint32_t open = open_;
  while (open != kNone && open != context) open = regions_.definitions().contexts[open].parent;
  return open == context;
}

// Leaves the open contexts up to `up_to`, or up to the program itself.
void ContextBuilder::close(Ticks t, std::uint32_t up_to) {
  while (open_ != up_to) {
    const auto& context = regions_.definitions().contexts[open_];
    if (!context.inside_mpi && context.region != kNone) regions_.close_region(t, context.region);
    open_ = context.parent;
  }
}

// Finds the innermost context that stays open, leaves all inside it, and enters the new ones.
void ContextBuilder::enter(Ticks t, std::uint32_t id, std::uint32_t distance) {
  regions_.advance(t);
  const std::uint32_t entered = regions_.definitions().context_ids.find(id);
  if (entered == kNone) {
    regions_.unknown_reference();
    return;
  }
  if (distance == 0) return;
  new_contexts_.clear();
  std::uint32_t common = entered;
  const auto is_new = [&] {
    new_contexts_.push_back(common);
    common = regions_.definitions().contexts[common].parent;
  };
  while (common != kNone && new_contexts_.size() + 1 < distance) is_new();
  // The archive guarantees that this context is open. If it is not, all of its path is new.
  if (!is_open(common)) {
    while (common != kNone) is_new();
  }
  close(t, common);
  for (auto i = new_contexts_.size(); i-- > 0;) {
    const auto& context = regions_.definitions().contexts[new_contexts_[i]];
    if (context.region == kNone) {
      regions_.unknown_reference();
    } else if (!context.inside_mpi) {
      regions_.push(t, context.region);
    }
  }
  open_ = entered;
}

void ContextBuilder::leave(Ticks t, std::uint32_t id) {
  regions_.advance(t);
  const std::uint32_t left = regions_.definitions().context_ids.find(id);
  if (left == kNone) return;  // its enter was already counted as unknown
  if (!is_open(left)) {
    regions_.out().quality.add(Quality::kUnbalancedLeaves);
    return;
  }
  close(t, regions_.definitions().contexts[left].parent);
}

}  // namespace latecomer::trace
