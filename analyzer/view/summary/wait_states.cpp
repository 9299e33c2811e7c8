// SPDX-License-Identifier: BSD-3-Clause
// Recognizes wait states by name, because reports do not mark them.
#include "analyzer/view/summary/wait_states.hpp"

#include <set>
#include <string>

#include "patterns/metrics.hpp"

namespace latecomer::view {
namespace {

std::vector<std::uint32_t> metrics_named(const report::Definitions& definitions,
                                         const std::vector<std::string>& known) {
  const std::set<std::string> names(known.begin(), known.end());
  std::vector<std::uint32_t> found;
  std::set<std::string> covered;  // wait states and everything below them
  for (std::uint32_t m = 0; m < definitions.metrics.size(); ++m) {
    const auto& metric = definitions.metrics[m];
    const bool part = covered.count(metric.parent) != 0;
    const bool wait = names.count(metric.name) != 0;
    if (part || wait) covered.insert(metric.name);
    if (wait && !part && metric.unit == patterns::Unit::kSeconds) found.push_back(m);
  }
  return found;
}

}  // namespace

std::vector<std::uint32_t> wait_states_of(const report::Definitions& definitions) {
  // Other tools use the same names. Completion times are not included: they are not waiting for a
  // process that is late.
  return metrics_named(definitions, patterns::wait_state_names());
}

std::vector<std::uint32_t> thread_waits_of(const report::Definitions& definitions) {
  return metrics_named(definitions, patterns::thread_wait_names());
}

}  // namespace latecomer::view
