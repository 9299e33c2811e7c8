// SPDX-License-Identifier: BSD-3-Clause
// Scopes of an evaluation: where formulas are evaluated, and how many steps that may take.
#pragma once

#include <algorithm>

#include "analyzer/report/formula/aggregate.hpp"

namespace latecomer::report::formula {

// Visits may be nested: values of one call path may need those of another.
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

// The outermost one decides how many steps all may take together.
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
