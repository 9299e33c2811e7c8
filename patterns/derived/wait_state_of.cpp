// SPDX-License-Identifier: BSD-3-Clause
// Maps metrics to wait states by name. The trees of metrics use several short names for one wait
// state.
#include "patterns/derived/wait_state_of.hpp"

#include <map>

#include "patterns/derived/drawings.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

// Short names and counts, each with the name of its wait state. Names that a record gives itself
// come before those that are derived from its causes.
struct Names {
  std::map<std::string_view, std::string_view> shorts, counts;
};

Names make_names() {
  Names names;
  for (const auto& record : wait_states()) {
    for (const auto name : record.short_names) names.shorts.emplace(name, record.metric.name);
    for (const auto name : record.counts) names.counts.emplace(name, record.metric.name);
  }
  for (const auto& record : wait_states()) {
    if (!record.causes) continue;
    const auto& causes = *record.causes;
    const auto delay = causes.delay.substr(std::string_view("delay_").size());
    for (const auto name : {delay, causes.split, causes.chain}) {
      if (!name.empty()) names.shorts.emplace(name, record.metric.name);
    }
  }
  return names;
}

const Names& names() {
  static const Names all = make_names();
  return all;
}

bool take_prefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

void take_suffix(std::string_view& name, std::string_view suffix) {
  if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
}

// Removes the ids of a pair of metahosts: "..._0_1".
void take_ids(std::string_view& name) {
  for (;;) {
    const auto at = name.find_last_not_of("0123456789");
    if (at == std::string_view::npos || at + 1 == name.size() || name[at] != '_') return;
    name = name.substr(0, at);
  }
}

std::string find(const std::map<std::string_view, std::string_view>& table, std::string_view name) {
  const auto found = table.find(name);
  return found == table.end() ? "" : std::string(found->second);
}

}  // namespace

std::string wait_state_of(std::string_view metric) {
  if (is_drawn_by_itself(metric)) return std::string(metric);
  if (auto of_count = find(names().counts, metric); !of_count.empty()) return of_count;
  std::string_view name = metric;
  const bool pair = take_prefix(name, "metahost_pairs_");
  if (pair) take_ids(name);
  if (pair || take_prefix(name, "grid_") || take_prefix(name, "polling_")) {
    // Such names are those of a metric without its "mpi_".
    const std::string with = "mpi_" + std::string(name);
    return is_drawn_by_itself(with) ? with : find(names().shorts, name);
  }
  if (take_prefix(name, "delay_")) {
    take_suffix(name, "_aggregate");
    take_suffix(name, "_longterm");
    return find(names().shorts, name);
  }
  for (const char* kind : {"mpi_wait_propagating_", "mpi_wait_terminal_", "mpi_wait_direct_",
                           "mpi_wait_indirect_", "mpi_"}) {
    if (take_prefix(name, kind)) return find(names().shorts, name);
  }
  return "";
}

}  // namespace latecomer::patterns
