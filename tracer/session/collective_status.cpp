// SPDX-License-Identifier: BSD-3-Clause
// Problems travel as bounded texts.
#include "tracer/session/collective_status.hpp"

#include <unistd.h>

#include <climits>
#include <cstdio>

#include "tracer/session/agreement.hpp"

namespace latecomer::session {
namespace {

struct Message {
  BoundedText<4600> what;  // holds a path
  BoundedText<400> next;
  int failed = 0;
};

Status from_rank(MPI_Comm comm, int root, const Status& status) {
  Message message;
  if (!status) {
    message.what = BoundedText<4600>(status.problem().what);
    message.next = BoundedText<400>(status.problem().next);
    message.failed = 1;
  }
  PMPI_Bcast(&message, sizeof message, MPI_BYTE, root, comm);
  if (message.failed == 0) return success();
  return Problem{message.what.str(), message.next.str(), Exit::kUsage};
}

}  // namespace

Status agree_with_root(MPI_Comm comm, const Status& root) { return from_rank(comm, 0, root); }

Status agree(MPI_Comm comm, const Status& mine) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  const int my_problem = mine ? INT_MAX : rank;
  const int my_count = mine ? 0 : 1;
  int lowest = INT_MAX, count = 0;
  PMPI_Allreduce(&my_problem, &lowest, 1, MPI_INT, MPI_MIN, comm);
  if (lowest == INT_MAX) return success();
  PMPI_Allreduce(&my_count, &count, 1, MPI_INT, MPI_SUM, comm);
  Status status = from_rank(comm, lowest, mine);
  Problem problem = status.problem();
  problem.what += " (rank " + std::to_string(lowest);
  if (count > 1) problem.what += " and " + std::to_string(count - 1) + " more";
  problem.what += ")";
  return problem;
}

void end_program(MPI_Comm comm, const Problem& problem) {
  constexpr int kExitCode = 2;
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (rank == 0) std::fputs(problem.text().c_str(), stderr);
  std::fflush(nullptr);
  PMPI_Barrier(comm);
  PMPI_Finalize();
  _exit(kExitCode);
}

}  // namespace latecomer::session
