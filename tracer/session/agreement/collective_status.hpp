// SPDX-License-Identifier: BSD-3-Clause
// Processes agree whether something worked, and end with one message if it did not.
#pragma once

#include "archive/result.hpp"
#include "tracer/exchange/group.hpp"

namespace latecomer::session {

// The problem of the lowest rank that has one, on all processes; success where nobody has one.
// Says how many other processes have a problem. Collective.
[[nodiscard]] Status agree(exchange::Group& group, const Status& mine);

// Does the same if only rank 0 can have a problem.
[[nodiscard]] Status agree_with_root(exchange::Group& group, const Status& root);

// Rank 0 prints the problem, then all processes finalize MPI and leave with exit code 2: unlike
// after MPI_Abort no launcher adds messages of its own, and none of them keeps waiting. Collective.
// The only places where the measurement ends a program are inside MPI_Init.
[[noreturn]] void end_program(exchange::Group& group, const Problem& problem);

}  // namespace latecomer::session
