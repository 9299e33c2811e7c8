// SPDX-License-Identifier: BSD-3-Clause
// Reads clock measurements from the properties of processes.
#include "analyzer/trace/definitions/clock_measurements.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "archive/layout.hpp"

namespace latecomer::trace {

std::vector<sync::Measurement> measurements_of(const Definitions& definitions) {
  std::vector<sync::Measurement> out;
  for (const auto& process : definitions.processes) {
    for (const auto& [name, text] : process.properties) {
      if (!name.starts_with(layout::kPropertyMoment)) continue;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(';', at), text.size());
        if (const auto m = sync::parse_measurement(text.substr(at, end - at))) out.push_back(*m);
        at = end + 1;
      }
    }
  }
  return out;
}

std::optional<std::uint32_t> clock_of(const Definitions& definitions, std::uint32_t rank) {
  const auto& properties = definitions.processes[rank].properties;
  const auto it = properties.find(layout::kPropertyClock);
  if (it == properties.end()) return {};
  std::uint32_t leader = rank;
  std::from_chars(it->second.data(), it->second.data() + it->second.size(), leader);
  return leader < definitions.processes.size() ? leader : rank;
}

Result<std::vector<sync::PiecewiseLinear>> times_by_scheme(const Definitions& definitions,
                                                           sync::Scheme scheme) {
  const auto measured = measurements_of(definitions);
  const auto corrections = sync::corrections(measured, scheme);
  std::vector<sync::PiecewiseLinear> out(definitions.locations.size());
  bool several = false;
  for (std::size_t l = 0; l < out.size(); ++l) {
    const auto clock = clock_of(definitions, definitions.locations[l].process);
    several = several || clock.value_or(1) != sync::kRootClock;
    if (!clock) continue;
    const auto found = corrections.clocks.find(*clock);
    if (found != corrections.clocks.end()) out[l] = found->second.function;
  }
  if (!several || !corrections.clocks.empty()) return out;
  std::string recorded;
  for (const auto other :
       {sync::Scheme::kFlatSingle, sync::Scheme::kFlat, sync::Scheme::kHierarchical}) {
    if (std::ranges::any_of(measured, [&](const auto& m) { return m.counts_for(other); })) {
      recorded += (recorded.empty() ? "" : ", ") + std::string(sync::name(other));
    }
  }
  return Problem{std::string("the archive holds no measurements of the clocks by the scheme ") +
                     sync::name(scheme) + " (it holds: " + (recorded.empty() ? "none" : recorded) +
                     ")",
                 "leave out --sync-scheme, or record with LATECOMER_SYNC=all"};
}

}  // namespace latecomer::trace
