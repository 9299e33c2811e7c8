// SPDX-License-Identifier: BSD-3-Clause
// Ids of the metrics about causes of waits.
#pragma once

#include <array>
#include <string>

#include "analyzer/booking/booking.hpp"
#include "patterns/metric/metric.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::replay {

// Ids by kind of wait, then single ids.
struct CauseMetrics {
  explicit CauseMetrics(const patterns::MetricTree& metrics) {
    for (std::size_t k = 0; k < patterns::kWaitKindCount; ++k) {
      const auto& names = patterns::wait_kinds()[k];
      const std::string delay(names.delay), split(names.split), chain(names.chain);
      wait[k] = metrics.id(names.wait);
      also[k] = names.also.empty() ? patterns::MetricTree::kNone : metrics.id(names.also);
      short_term[k] = metrics.id(delay);
      long_term[k] = metrics.id(delay + "_longterm");
      direct[k] = metrics.id("mpi_wait_direct_" + split);
      indirect[k] = metrics.id("mpi_wait_indirect_" + split);
      propagating[k] = metrics.id("mpi_wait_propagating_" + chain);
      terminal[k] = metrics.id("mpi_wait_terminal_" + chain);
    }
    time = metrics.id("time");
    idle = metrics.id("omp_idle_threads");
    unknown = metrics.id("delay_unknown");
    critical_path = metrics.id("critical_path");
    path_imbalance = metrics.id("critical_path_imbalance");
    activities = metrics.id("critical_path_activities");
    imbalance_impact = metrics.id("critical_imbalance_impact");
    intra_partition = metrics.id("intra_partition_imbalance");
    inter_partition = metrics.id("inter_partition_imbalance");
    other_activities = metrics.id("non_critical_path_activities");
  }

  // The waiting time of a hosted location at a call path, for the kind of wait with this index.
  [[nodiscard]] trace::Ticks waited(const Booking& booking, std::size_t kind, std::size_t location,
                                    std::uint32_t call_path) const {
    if (wait[kind] == patterns::MetricTree::kNone) return 0;
    trace::Ticks time = booking.value(wait[kind], location, call_path);
    if (also[kind] != patterns::MetricTree::kNone) {
      time += booking.value(also[kind], location, call_path);
    }
    return time;
  }

  // Costs of delays of a hosted location at a call path, over all kinds of waits.
  [[nodiscard]] trace::Ticks delay_costs(const Booking& booking, std::size_t location,
                                         std::uint32_t call_path) const {
    trace::Ticks cost = 0;
    for (const auto* kinds : {&short_term, &long_term}) {
      for (const auto metric : *kinds) {
        if (metric != patterns::MetricTree::kNone) {
          cost += booking.value(metric, location, call_path);
        }
      }
    }
    return cost;
  }

  // Ids by patterns::WaitKind.
  using OfKinds = std::array<patterns::MetricId, patterns::kWaitKindCount>;
  OfKinds wait{}, also{}, short_term{}, long_term{}, direct{}, indirect{}, propagating{},
      terminal{};
  patterns::MetricId time = 0, idle = 0;  // idle: kNone without threads
  patterns::MetricId unknown = 0, critical_path = 0, path_imbalance = 0, activities = 0;
  patterns::MetricId imbalance_impact = 0, intra_partition = 0, inter_partition = 0;
  patterns::MetricId other_activities = 0;
};

}  // namespace latecomer::replay
