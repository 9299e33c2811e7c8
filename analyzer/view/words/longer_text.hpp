// SPDX-License-Identifier: BSD-3-Clause
// Says in which lines a cause of waiting computed longer than others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/extras/computation.hpp"
#include "analyzer/report/model/model.hpp"

namespace latecomer::view {

// "it computed longer for 1.900 s of the waiting in relax (heat.c:88)", or with several lines "...
// in relax: 61 % at heat.c:88, 30 % at heat.c:90". The seconds are parts of those that others
// waited. Parts in which the program did not run are named instead or after it: "it had no core for
// 0.400 s of that, since something else ran there". `within` has the names of the functions from
// the cause to that in which the lines are: "... in smooth > relax". At most the three innermost
// ones are shown. Empty if nothing is known.
[[nodiscard]] std::string longer_text(const report::LongerComputation& longer,
                                      const std::vector<std::string>& within);

// "usleep (heat.c:12)", or with the function that calls it if the line is not known.
[[nodiscard]] std::string place_of_call(const report::LongerComputation::Blocked& call);

// Functions from below a call path to another one in it; the last one alone if it is not in it.
[[nodiscard]] std::vector<std::string> names_between(const report::Definitions& definitions,
                                                     std::uint32_t from, std::uint32_t to);

// The same with the number of the rank instead of "it": "rank 3 computed longer for 1.900 s ...".
[[nodiscard]] std::string naming_rank(const std::string& text, std::uint32_t rank);

}  // namespace latecomer::view
