// SPDX-License-Identifier: BSD-3-Clause
// Declares the metrics about causes of wait states, which are made from their records.
#pragma once

#include <vector>

#include "patterns/metric/metric.hpp"
#include "patterns/waits/paradigms.hpp"

namespace latecomer::patterns {

// Waiting, at the place that caused it.
[[nodiscard]] std::vector<Metric> delay_metrics(const Paradigms& paradigms);
// Delay costs again, by what the delayer did longer than others.
[[nodiscard]] std::vector<Metric> delay_reason_metrics(const Paradigms& paradigms);
// Waits that led to other waits, and waits that resulted from others.
[[nodiscard]] std::vector<Metric> chain_metrics(const Paradigms& paradigms);

}  // namespace latecomer::patterns
