// SPDX-License-Identifier: BSD-3-Clause
// Values of made-up runs, and baselines of them.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "analyzer/view/check/baseline.hpp"

namespace latecomer::test {

inline view::RunValues run_with(double late, double time = 10, std::uint64_t ranks = 4) {
  view::RunValues values;
  values.source = "run";
  values.program = "heat";
  values.ranks = ranks;
  values.has_all = true;
  values.metrics = {{"time", {"Time", "sec", time}},
                    {"mpi_latesender", {"Late Sender", "sec", late}},
                    {"visits", {"Visits", "occ", 100}}};
  return values;
}

inline view::Baseline baseline(const std::vector<double>& late) {
  std::vector<view::RunValues> runs;
  for (const double value : late) runs.push_back(run_with(value));
  const auto made = view::baseline_of(runs);
  REQUIRE(made);
  return *made;
}

}  // namespace latecomer::test
