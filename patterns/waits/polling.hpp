// SPDX-License-Identifier: BSD-3-Clause
// Polling: the part of waiting that was spent in MPI_Test and the like.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "patterns/metric/metric.hpp"
#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// A process waits if it repeatedly tests for something that cannot have happened yet, although no
// single call blocks it. Each test counts by the formula of the wait state, up to `until`. At this
// time the tested operation became possible. It is the enter of the send, of the call that posts
// the receive, or of the last participant. The time between the tests is not waiting.
//
//   send    enter 7
//   tests   1..2, 4..6 unsuccessful, 6.5..8 completes:   1 + 2 + 0.5 = 3.5
[[nodiscard]] constexpr Duration polled(Ticks test_enter, Ticks test_leave, Ticks until) {
  return positive(std::min(until, test_leave) - test_enter);
}

// polling_name("mpi_latesender") = "polling_latesender"
[[nodiscard]] std::string polling_name(std::string_view base);

// The tree `polling`: the time in the tests themselves, and below it its part in each wait state of
// operations with requests. `base` is the base tree.
[[nodiscard]] std::vector<Metric> polling_metrics(std::span<const Metric> base);

}  // namespace latecomer::patterns
