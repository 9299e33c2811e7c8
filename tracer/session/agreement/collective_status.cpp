// SPDX-License-Identifier: BSD-3-Clause
// Problems travel as bounded texts.
#include "tracer/session/agreement/collective_status.hpp"

#include <mpi.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <numeric>
#include <vector>

#include "archive/problem_text.hpp"
#include "tracer/session/agreement/introduction.hpp"

namespace latecomer::session {
namespace {

struct Message {
  BoundedText<4600> what;  // holds a path
  BoundedText<400> next;
  int failed = 0;
};

Status from_rank(exchange::Group& group, int root, const Status& status) {
  Message message;
  if (!status) {
    message.what = BoundedText<4600>(status.problem().what);
    message.next = BoundedText<400>(status.problem().next);
    message.failed = 1;
  }
  group.broadcast(&message, sizeof message, root);
  if (message.failed == 0) return success();
  return Problem{message.what.str(), message.next.str(), Exit::kUsage};
}

}  // namespace

Status agree_with_root(exchange::Group& group, const Status& root) {
  return from_rank(group, 0, root);
}

Status agree(exchange::Group& group, const Status& mine) {
  const int none = INT_MIN;  // -rank of a process with a problem, so that the highest is wanted
  const int found = group.highest(mine ? none : -group.rank());
  if (found == none) return success();
  const int lowest = -found, my_count = mine ? 0 : 1;
  std::vector<int> counts(static_cast<std::size_t>(group.rank() == 0 ? group.size() : 1));
  group.gather(&my_count, sizeof my_count, counts.data());
  int count = std::accumulate(counts.begin(), counts.end(), 0);
  group.broadcast(&count, sizeof count, 0);
  Status status = from_rank(group, lowest, mine);
  Problem problem = status.problem();
  problem.what += " (rank " + std::to_string(lowest);
  if (count > 1) problem.what += " and " + std::to_string(count - 1) + " more";
  problem.what += ")";
  return problem;
}

void end_program(exchange::Group& group, const Problem& problem) {
  constexpr int kExitCode = 2;
  if (group.rank() == 0) std::fputs(problem_text(problem).c_str(), stderr);
  std::fflush(nullptr);
  group.barrier();
  PMPI_Finalize();
  _exit(kExitCode);
}

}  // namespace latecomer::session
