// SPDX-License-Identifier: BSD-3-Clause
// Scopes of an evaluation: its place, and the number of steps that it may take.
#pragma once

#include <algorithm>

#include "analyzer/report/formula/aggregate.hpp"

namespace latecomer::report::formula {

// Sets the place of evaluation while it exists. Visits may be nested: values at one call path may
// need those at another.
class Aggregate::Visit {
 public:
  Visit(Aggregate& aggregate, std::span<const std::uint32_t> call_paths, bool inclusive,
        std::uint32_t metric)
      : aggregate_(aggregate), before_(aggregate.place_) {
    aggregate_.place_ = {call_paths, inclusive, metric, ++aggregate_.places_};
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() { aggregate_.place_ = before_; }

 private:
  Aggregate& aggregate_;
  Place before_;
};

// Limits the steps of an evaluation. The outermost one sets the limit for all that are nested in
// it.
class DerivedMetrics::Steps {
 public:
  explicit Steps(DerivedMetrics& metrics) : metrics_(metrics) {
    if (metrics_.nested_++ > 0) return;
    allowed_ = std::min(metrics_.most_steps_, metrics_.steps_left_);
    metrics_.environment_.allow(allowed_);
  }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  ~Steps() {
    if (--metrics_.nested_ == 0) {
      metrics_.steps_left_ -= allowed_ - metrics_.environment_.left();
    }
  }

 private:
  DerivedMetrics& metrics_;
  std::uint64_t allowed_ = 0;
};

}  // namespace latecomer::report::formula
