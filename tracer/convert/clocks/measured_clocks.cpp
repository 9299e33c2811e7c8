// SPDX-License-Identifier: BSD-3-Clause
// Evaluates the measurements of all logs once for the run.
#include "tracer/convert/clocks/measured_clocks.hpp"

#include <algorithm>
#include <tuple>

namespace latecomer::convert {
namespace {

using sync::Scheme;

Scheme best_scheme(std::span<const sync::Measurement> measurements) {
  if (measurements.empty()) return Scheme::kHierarchical;
  for (const Scheme scheme : {Scheme::kHierarchical, Scheme::kFlat}) {
    if (std::ranges::any_of(measurements,
                            [scheme](const auto& m) { return m.counts_for(scheme); })) {
      return scheme;
    }
  }
  return Scheme::kFlatSingle;
}

}  // namespace

Clocks::Clocks(std::span<const ProcessInput> processes) {
  std::map<std::uint32_t, std::int64_t> metahosts;
  for (const ProcessInput& p : processes) {
    const record::Definitions& d = p.definitions;
    metahosts[p.rank] = d.metahost.id;
    if (d.clock.timer.empty()) continue;
    leaders_[p.rank] = d.clock.leader;
    bases_[p.rank] = d.clock.nanoseconds(d.clock.base_ticks);
    for (const sync::Measurement& m : d.measurements) {
      if (m.child == p.rank) measurements_.push_back(m);
    }
  }
  std::ranges::sort(measurements_, {}, [](const sync::Measurement& m) {
    return std::tuple(m.child, m.moment, m.partner);
  });
  scheme_ = best_scheme(measurements_);
  corrections_ = sync::corrections(measurements_, scheme_);
  // A link whose other side left no log leads to an unknown metahost.
  std::vector<sync::Measurement> between_known;
  for (const sync::Measurement& m : measurements_) {
    if (metahosts.contains(m.partner)) between_known.push_back(m);
  }
  latencies_ = sync::latencies(between_known, [&](sync::ClockId rank) { return metahosts[rank]; });
}

ClockOffsets Clocks::offsets(std::uint32_t rank) const {
  const auto leader = leaders_.find(rank);
  if (leader == leaders_.end()) return {};
  if (leader->second == sync::kRootClock) return ClockOffsets::none(bases_.at(rank));
  const auto found = corrections_.clocks.find(leader->second);
  return found == corrections_.clocks.end() ? ClockOffsets() : ClockOffsets(found->second);
}

}  // namespace latecomer::convert
