// SPDX-License-Identifier: BSD-3-Clause
// Grid versions of the wait states: the part in which several metahosts took part, and which
// metahost waits for which.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "patterns/metric/metric.hpp"

namespace latecomer::patterns {

// A metahost: one of the machines of a run.
struct Metahost {
  std::uint32_t id = 0;
  std::string name;
};

// Unique names, made from that of the base metric:
//   grid_name("mpi_latesender") = "grid_latesender", grid_name("mpi") = "grid"
//   pairs_name("mpi_latesender") = "metahost_pairs_latesender"
//   pair_name("mpi_latesender", 0, 1) = "metahost_pairs_latesender_0_1": 0 waits, 1 is the cause
[[nodiscard]] std::string grid_name(std::string_view base);
[[nodiscard]] std::string pairs_name(std::string_view base);
[[nodiscard]] std::string pair_name(std::string_view base, std::uint32_t waiting,
                                    std::uint32_t causing);

// The tree `grid`: a mirror of the part of `mpi` down to the wait states. `base` is the base tree
// in document order. `wait_states` names the metrics of it that have a grid version; their
// ancestors up to `mpi` are mirrored, too.
[[nodiscard]] std::vector<Metric> grid_metrics(std::span<const Metric> base,
                                               std::span<const std::string> wait_states);

// The tree `metahost_pairs`: one metric per wait state, and below it one per ordered pair of
// metahosts, including a metahost with itself.
[[nodiscard]] std::vector<Metric> pair_metrics(std::span<const Metric> base,
                                               std::span<const std::string> wait_states,
                                               std::span<const Metahost> metahosts);

// The grid metric for which the time of a call counts if the call crosses metahosts. It is the
// mirror of `base` or of its nearest mirrored ancestor; kNone for metrics other than MPI's, and in
// a tree without grid.
[[nodiscard]] MetricId grid_of(const MetricTree& tree, MetricId base);

}  // namespace latecomer::patterns
