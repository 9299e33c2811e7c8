// SPDX-License-Identifier: BSD-3-Clause
// Grid versions of the wait states: the part in which several metahosts took part, and who waits
// for whom.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "patterns/metric.hpp"

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

// The tree `grid`: the part of `mpi` down to the wait states, mirrored. `base` is the base tree in
// document order, `wait_states` the names of those of its metrics that have a grid version; their
// ancestors up to `mpi` come along.
[[nodiscard]] std::vector<Metric> grid_metrics(std::span<const Metric> base,
                                               std::span<const std::string> wait_states);

// The tree `metahost_pairs`: one metric per wait state, and below it one per ordered pair of
// metahosts, also for a metahost and itself.
[[nodiscard]] std::vector<Metric> pair_metrics(std::span<const Metric> base,
                                               std::span<const std::string> wait_states,
                                               std::span<const Metahost> metahosts);

// The grid metric that the time of a call counts for if the call crosses metahosts: the mirror of
// `base` or of its nearest mirrored ancestor. kNone for what is not MPI, and in a tree without
// grid.
[[nodiscard]] MetricId grid_of(const MetricTree& tree, MetricId base);

}  // namespace latecomer::patterns
