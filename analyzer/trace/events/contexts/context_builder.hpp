// SPDX-License-Identifier: BSD-3-Clause
// Follows call paths that an archive gives as a whole: those of programs that were sampled or whose
// stacks were unwound. Source: CallingContext in OTF2's reference manual.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/events/core/region_builder.hpp"

namespace latecomer::trace {

// Contexts are ids of the archive.
class ContextBuilder {
 public:
  explicit ContextBuilder(RegionBuilder& regions) : regions_(regions) {}

  // Handles an event of this family. False: a field is missing.
  bool take(Event& event);

  // Enters or samples a calling context. The innermost `distance` - 1 regions of its path are new;
  // the next one was already open. Regions that were open inside that one are left. 0: no change.
  void enter(Ticks t, std::uint32_t context, std::uint32_t distance);
  void leave(Ticks t, std::uint32_t context);

 private:
  [[nodiscard]] bool is_open(std::uint32_t context) const;
  void close(Ticks t, std::uint32_t up_to);

  RegionBuilder& regions_;
  std::uint32_t open_ = kNone;  // the innermost open context
  std::vector<std::uint32_t> new_contexts_;
};

}  // namespace latecomer::trace
