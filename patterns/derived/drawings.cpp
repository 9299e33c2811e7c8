// SPDX-License-Identifier: BSD-3-Clause
// Drawings of metrics: of wait states by their records, of metrics about them by derivation.
#include "patterns/derived/drawings.hpp"

#include <algorithm>

#include "patterns/derived/cause_drawings.hpp"
#include "patterns/derived/wait_state_of.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

std::optional<Drawing> own_drawing_of(std::string_view metric) {
  const auto& states = wait_states();
  const auto found = std::ranges::find(states, metric, [](const auto& s) { return s.metric.name; });
  return found == states.end() ? std::nullopt : found->drawing;
}

}  // namespace

bool is_drawn_by_itself(std::string_view metric) { return own_drawing_of(metric).has_value(); }

std::optional<Drawing> drawing_of(std::string_view metric) {
  if (auto own = own_drawing_of(metric)) return own;
  if (auto cause = cause_drawing_of(metric)) return cause;
  if (metric.ends_with("_count")) return {};
  const auto base = wait_state_of(metric);
  return base.empty() ? std::nullopt : own_drawing_of(base);
}

}  // namespace latecomer::patterns
