// SPDX-License-Identifier: BSD-3-Clause
// Distributes the computational imbalance of each call path over the metrics of its tree.
#include "analyzer/attribution/imbalance_booking.hpp"

#include <vector>

#include "patterns/metric/imbalance.hpp"

namespace latecomer::replay {
namespace {

// Leaves of the tree `imbalance`, and the inner metrics that exceed the sum of their children.
struct ImbalanceMetrics {
  explicit ImbalanceMetrics(const patterns::MetricTree& metrics)
      : computation(metrics.id("comp")),
        above(metrics.id("imbalance_above")),
        single(metrics.id("imbalance_above_single")),
        below(metrics.id("imbalance_below")),
        bypass(metrics.id("imbalance_below_bypass")),
        singularity(metrics.id("imbalance_below_singularity")) {}
  MetricId computation, above, single, below, bypass, singularity;
};

}  // namespace

void book_imbalance(Booking& booking, parallel::Processes& processes) {
  const ImbalanceMetrics metrics(booking.metrics);
  const auto call_paths = static_cast<std::uint32_t>(booking.tree.nodes.size());
  std::vector<std::int64_t> sums(2 * std::size_t{call_paths});  // computation and visitors
  for (std::uint32_t c = 0; c < call_paths; ++c) {
    for (std::size_t l = 0; l < booking.mine.size(); ++l) {
      sums[2 * std::size_t{c}] += booking.value(metrics.computation, l, c);
      if (booking.value(booking.map.visits, l, c) != 0) ++sums[2 * std::size_t{c} + 1];
    }
  }
  processes.sum(sums);
  for (std::uint32_t c = 0; c < call_paths; ++c) {
    const patterns::Participation all{
        .locations = booking.definitions.locations.size(),
        .visitors = static_cast<std::uint64_t>(sums[2 * std::size_t{c} + 1]),
        .computation = sums[2 * std::size_t{c}]};
    if (all.computation == 0) continue;
    for (std::size_t l = 0; l < booking.mine.size(); ++l) {
      const auto parts = patterns::imbalance(booking.value(metrics.computation, l, c),
                                             booking.value(booking.map.visits, l, c) != 0, all);
      // Each value is added to the deepest metric that contains it, and to all ancestors of that.
      booking.add_up_at(metrics.single, l, c, parts.single);
      booking.add_up_at(metrics.above, l, c, parts.above - parts.single);
      booking.add_up_at(metrics.singularity, l, c, parts.singularity);
      booking.add_up_at(metrics.bypass, l, c, parts.bypass - parts.singularity);
      booking.add_up_at(metrics.below, l, c, parts.below - parts.bypass);
    }
  }
}

}  // namespace latecomer::replay
