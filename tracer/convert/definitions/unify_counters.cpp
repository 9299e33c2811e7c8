// SPDX-License-Identifier: BSD-3-Clause
// Unifies the counters that the user chose. Processes with the same choice share a metric class.
#include <algorithm>
#include <string>
#include <vector>

#include "archive/layout.hpp"
#include "tracer/convert/definitions/unify_parts.hpp"

namespace latecomer::convert {
namespace {

// Empty if the log does not say it, or if it is damaged.
std::vector<ChosenCounter> chosen_in(const record::Definitions& definitions) {
  for (const record::Property& property : definitions.properties) {
    if (property.name != layout::kLogCounters) continue;
    if (auto counters = parse_counters(property.value)) return *std::move(counters);
  }
  return {};
}

}  // namespace

void unify_counters(const ProcessOrder& order, GlobalDefinitions& global) {
  std::vector<std::string> texts;
  for (const OrderedProcess& p : order) {
    if (!p.input->usage.counted) continue;
    std::vector<ChosenCounter> counters = chosen_in(p.input->definitions);
    if (counters.empty()) continue;
    const std::string text = counters_text(counters);
    const auto set = static_cast<std::size_t>(std::ranges::find(texts, text) - texts.begin());
    p.map->counter_class = global.first_counter_class() + static_cast<std::uint32_t>(set);
    p.map->counters = static_cast<std::uint32_t>(counters.size());
    if (set < texts.size()) continue;
    texts.push_back(text);
    global.counter_sets.push_back(std::move(counters));
  }
}

}  // namespace latecomer::convert
