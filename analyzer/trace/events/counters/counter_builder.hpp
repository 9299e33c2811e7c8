// SPDX-License-Identifier: BSD-3-Clause
// Adds up the counters of one location by the regions in which they counted.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/flat_index.hpp"
#include "analyzer/trace/events/core/region_builder.hpp"
#include "analyzer/trace/events/counters/counter_events.hpp"

namespace latecomer::trace {

// The kinds of all counters, in the order of the definitions. Instructions are those outside of the
// kernel, by the names of perf, PAPI and libpfm. If there are several such counters, they are those
// with the name of the first one.
[[nodiscard]] std::vector<StretchCounter> stretch_counters(const Definitions& definitions);

// The value of a metric grows. Its events come before the enters and leaves of regions, and the
// first one is where counting begins:
//
//   event     value 3   enter f   value 8   enter g   value 10   leave g
//   counted                     5 in f              2 in g
class CounterBuilder {
 public:
  explicit CounterBuilder(RegionBuilder& regions);

  // Handles an event of this family. False: a field is missing.
  bool take(Event& event);

  [[nodiscard]] CounterEvents finish();

 private:
  // A metric of this location. Integers are exact: what a counter adds beyond its last number of
  // bits comes out right, too.
  struct Running {
    bool begun = false;
    std::uint64_t bits = 0;  // the last value
  };
  struct Sum {
    std::uint32_t node = 0, metric = 0;
    std::uint64_t whole = 0;
    double real = 0;
  };

  void value(std::uint32_t metric, std::uint8_t type, std::uint64_t bits);

  RegionBuilder& regions_;
  const std::vector<StretchCounter> kinds_;  // by metric
  std::vector<Running> running_;             // by metric
  std::vector<CountedStretch> stretches_;
  Ticks time_ = 0;  // of the event
  FlatIndex<IntKey> index_;
  std::vector<Sum> sums_;
};

}  // namespace latecomer::trace
