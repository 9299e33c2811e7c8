// SPDX-License-Identifier: BSD-3-Clause
// Declares the tables of metrics that need no formula: times by class of region, and counts.
#pragma once

#include <vector>

#include "patterns/metric/metric.hpp"

namespace latecomer::patterns {

[[nodiscard]] std::vector<Metric> time_metrics();      // time, execution, computation, overhead
[[nodiscard]] std::vector<Metric> mpi_time_metrics();  // time in MPI by class of call
[[nodiscard]] std::vector<Metric> openmp_time_metrics();
[[nodiscard]] std::vector<Metric> pthread_time_metrics();
[[nodiscard]] std::vector<Metric> count_metrics();  // visits, messages, bytes
[[nodiscard]] std::vector<Metric> file_byte_metrics();
[[nodiscard]] std::vector<Metric> kernel_metrics();  // of sampled runs
[[nodiscard]] std::vector<Metric> critical_path_metrics();
[[nodiscard]] std::vector<Metric> clock_violation_metrics();

}  // namespace latecomer::patterns
