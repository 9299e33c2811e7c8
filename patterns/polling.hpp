// SPDX-License-Identifier: BSD-3-Clause
// Polling: the part of the waiting that was spent in MPI_Test and its like.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "patterns/metric.hpp"
#include "patterns/time.hpp"

namespace latecomer::patterns {

// A process that tests again and again for something that cannot have happened yet waits, though no
// single call blocks it. Each test takes part with the formula of the wait state: up to `until`,
// when what is tested for became possible (the enter of the send, of the posting of the receive,
// of the last participant). What the program does between the tests is no waiting.
//
//   send    enter 7
//   tests   1..2, 4..6 in vain, 6.5..8 completes:   1 + 2 + 0.5 = 3.5
[[nodiscard]] constexpr Duration polled(Ticks test_enter, Ticks test_leave, Ticks until) {
  return positive(std::min(until, test_leave) - test_enter);
}

// polling_name("mpi_latesender") = "polling_latesender"
[[nodiscard]] std::string polling_name(std::string_view base);

// The tree `polling`: time in the tests themselves, and below it the part of those wait states in
// which requests are waited for. `base` is the base tree.
[[nodiscard]] std::vector<Metric> polling_metrics(std::span<const Metric> base);

}  // namespace latecomer::patterns
