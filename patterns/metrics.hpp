// SPDX-License-Identifier: BSD-3-Clause
// Provides all metrics that Latecomer computes, as one tree.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "patterns/derived/grid.hpp"
#include "patterns/metric/metric.hpp"
#include "patterns/waits/paradigms.hpp"

namespace latecomer::patterns {

// Unique names of the wait states of MPI, in the order of their records. They do not overlap.
[[nodiscard]] std::vector<std::string> wait_state_names();
// Names of the wait states of threads, in the same order.
[[nodiscard]] std::vector<std::string> thread_wait_names();

// The metrics of a report, in document order. Grid trees exist only if the trace has several
// metahosts; they have one metric per ordered pair of metahosts. Metrics of threads need regions of
// their paradigm, those of polling MPI_Test or the like, bytes of files records of them. A metric
// that is not computed is left out: zeros would be wrong.
[[nodiscard]] std::vector<Metric> computed_metrics(std::span<const Metahost> metahosts,
                                                   const Paradigms& paradigms = {});

// A metric with its texts, regardless of the trace: grid metrics and pairs of metahosts are always
// found. Display names of pairs are made from the ids ("0 <- 1").
[[nodiscard]] std::optional<Metric> find_metric(std::string_view name);

}  // namespace latecomer::patterns
