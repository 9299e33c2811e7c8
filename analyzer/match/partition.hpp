// SPDX-License-Identifier: BSD-3-Clause
// Assigns traced processes to the analysis processes that host them.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/match/visibility.hpp"
#include "analyzer/trace/definitions/definitions.hpp"

namespace latecomer::replay {

// Each analysis process hosts a contiguous range of world ranks with about the same number of
// events. Ranks of a node thus stay together if they are placed node by node. Threads of a process
// are never separated.
//
//   events of ranks 0..3   10 10 10 30, two processes:  {0, 1, 2} and {3}
//
// If the processes see different files, a traced process goes to one of those that see most of its
// locations. Each such set of analysis processes divides its traced processes in this way.
//
//   the same, three processes, of which the first two see ranks 0 and 3:  {0}, {3} and {1, 2}
struct Partition {
  Partition(const trace::Definitions& definitions, const Visibility& visibility);
  Partition(const trace::Definitions& definitions, int processes);  // all processes see all files

  [[nodiscard]] int host_of(std::uint32_t world_rank) const { return host_[world_rank]; }
  // Locations hosted by an analysis process, ascending.
  [[nodiscard]] std::vector<std::uint32_t> locations_of(const trace::Definitions& definitions,
                                                        int process) const;

 private:
  std::vector<int> host_;  // per world rank
};

}  // namespace latecomer::replay
