// SPDX-License-Identifier: BSD-3-Clause
// Names of the metrics of counters.
#include "analyzer/booking/counters.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "archive/layout.hpp"

using namespace latecomer;
using trace::Counter;

TEST_CASE("each counter has a metric of its own") {
  trace::Definitions definitions;
  definitions.counters = {Counter{.name = "cache-misses", .is_sum = true},
                          Counter{.name = "cache_misses", .is_sum = true},
                          Counter{.name = "cache-misses", .is_sum = true},
                          Counter{.name = "Cache misses", .is_sum = true},
                          Counter{.name = "cache-misses", .is_sum = true, .is_time = true},
                          Counter{.name = "level"},
                          Counter{.name = layout::kMetricPageFaults, .is_sum = true}};
  CHECK(replay::metrics_of_counters(definitions) ==
        std::vector<std::string>{"counter_cache_misses", "counter_cache_misses_2",
                                 "counter_cache_misses", "counter_cache_misses_3",
                                 "counter_cache_misses_4", "", "page_faults"});
  // The table has the last one.
  CHECK(replay::counter_metrics(definitions).size() == 4);
  CHECK(replay::has_kernel_counters(definitions));
  definitions.counters.pop_back();
  CHECK_FALSE(replay::tells_of_computation(definitions));
  definitions.properties[layout::kPropertySamples] = "1";
  CHECK(replay::tells_of_computation(definitions));
}

TEST_CASE("the counter of instructions") {
  trace::Definitions definitions;
  definitions.counters = {Counter{.name = "PAPI_TOT_CYC", .is_sum = true},
                          Counter{.name = "PAPI_TOT_INS", .is_sum = true}};
  CHECK(replay::metric_of_instructions(definitions) == "counter_papi_tot_ins");
  definitions.counters.pop_back();
  CHECK(replay::metric_of_instructions(definitions).empty());
}

TEST_CASE("a counter whose name is made of another one's") {
  trace::Definitions definitions;
  definitions.counters = {Counter{.name = "a_2", .is_sum = true},
                          Counter{.name = "a", .is_sum = true},
                          Counter{.name = "A", .is_sum = true}};
  CHECK(replay::metrics_of_counters(definitions) ==
        std::vector<std::string>{"counter_a_2", "counter_a", "counter_a_3"});
}
