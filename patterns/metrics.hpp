// SPDX-License-Identifier: BSD-3-Clause
// All metrics that Latecomer computes, as one tree.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "patterns/grid.hpp"
#include "patterns/metric.hpp"

namespace latecomer::patterns {

// Unique names of the wait states that are computed, in document order.
[[nodiscard]] std::vector<std::string> wait_states();

// What a trace has regions of, beside MPI.
struct Paradigms {
  bool openmp = false, pthread = false;
  bool tests = false;  // MPI_Test and its like
  bool files = false;  // records of MPI-IO
};

// The metrics of a report, in document order. The grid trees are there only if the trace has more
// than one metahost, with one metric per ordered pair of metahosts. Those of
// threads need regions of their paradigm, those of polling MPI_Test or its like, bytes of files
// records of them. A metric that is not computed is not in the list: shown as zero it would be a
// lie.
[[nodiscard]] std::vector<Metric> computed_metrics(std::span<const Metahost> metahosts,
                                                   const Paradigms& paradigms = {});

// The texts of a metric, wherever it occurs: grid metrics and metahost pairs are found for any
// trace. Display names of pairs are made from the ids ("0 <- 1").
[[nodiscard]] std::optional<Metric> find_metric(std::string_view name);

}  // namespace latecomer::patterns
