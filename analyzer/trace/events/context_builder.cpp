// SPDX-License-Identifier: BSD-3-Clause
// Whole call paths: LocationBuilder's part for programs that were sampled or whose stacks were
// unwound. Source: CallingContext in OTF2's reference manual.
#include "analyzer/trace/events/location_builder.hpp"

namespace latecomer::trace {

// True if the context is on the path of the innermost open one.
bool LocationBuilder::is_open(std::uint32_t context) const {
  std::uint32_t open = context_;
  while (open != kNone && open != context) open = definitions_.contexts[open].parent;
  return open == context;
}

// Leaves the open contexts up to `up_to`, or up to the program itself.
void LocationBuilder::close_contexts(Ticks t, std::uint32_t up_to) {
  while (context_ != up_to) {
    const auto& context = definitions_.contexts[context_];
    if (!context.inside_mpi && context.region != kNone) close_region(t, context.region);
    context_ = context.parent;
  }
}

// Finds the innermost context that stays open, leaves all inside it, and enters the new ones.
void LocationBuilder::enter_context(Ticks t, std::uint32_t id, std::uint32_t distance) {
  advance(t);
  const std::uint32_t entered = definitions_.context_ids.find(id);
  if (entered == kNone) {
    out_.quality.add(Quality::kUnknownReferences);
    return;
  }
  if (distance == 0) return;
  new_contexts_.clear();
  std::uint32_t common = entered;
  const auto is_new = [&] {
    new_contexts_.push_back(common);
    common = definitions_.contexts[common].parent;
  };
  while (common != kNone && new_contexts_.size() + 1 < distance) is_new();
  // The archive guarantees that this context is open. If it is not, all of its path is new.
  if (!is_open(common)) {
    while (common != kNone) is_new();
  }
  close_contexts(t, common);
  for (auto i = new_contexts_.size(); i-- > 0;) {
    const auto& context = definitions_.contexts[new_contexts_[i]];
    if (context.region == kNone) {
      out_.quality.add(Quality::kUnknownReferences);
    } else if (!context.inside_mpi) {
      push(t, context.region);
    }
  }
  context_ = entered;
}

void LocationBuilder::leave_context(Ticks t, std::uint32_t id) {
  advance(t);
  const std::uint32_t left = definitions_.context_ids.find(id);
  if (left == kNone) return;  // its enter was already counted as unknown
  if (!is_open(left)) {
    out_.quality.add(Quality::kUnbalancedLeaves);
    return;
  }
  close_contexts(t, definitions_.contexts[left].parent);
}

}  // namespace latecomer::trace
