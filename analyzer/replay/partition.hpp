// SPDX-License-Identifier: BSD-3-Clause
// Which analysis process hosts which traced processes.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/replay/visibility.hpp"
#include "analyzer/trace/definitions.hpp"

namespace latecomer::replay {

// Contiguous ranges of world ranks, so nodes stay together as far as ranks are placed node by node,
// with about the same number of events each. Threads of a process are never separated.
//
//   events of ranks 0..3   10 10 10 30, two processes:  {0, 1, 2} and {3}
//
// Where not all see the same files, a traced process goes to one of those that see most of its
// locations; each such set of analysis processes shares its traced processes in the same way.
//
//   the same, three processes, of which the first two see ranks 0 and 3:  {0}, {3} and {1, 2}
struct Partition {
  Partition(const trace::Definitions& definitions, const Visibility& visibility);
  Partition(const trace::Definitions& definitions, int processes);  // everybody sees everything

  [[nodiscard]] int host_of(std::uint32_t world_rank) const { return host_[world_rank]; }
  // Locations hosted by an analysis process, ascending.
  [[nodiscard]] std::vector<std::uint32_t> locations_of(const trace::Definitions& definitions,
                                                        int process) const;

 private:
  std::vector<int> host_;  // per world rank
};

}  // namespace latecomer::replay
