// SPDX-License-Identifier: BSD-3-Clause
// A random program of MPI and OpenMP with exact clocks: in memory, without an archive.
#pragma once

#include <functional>
#include <vector>

#include "analyzer/trace/events/location_builder.hpp"
#include "sync/constraints.hpp"

namespace latecomer::test {

// 2 to 6 processes of one to four threads each. Their masters send messages and call barriers.
// Parallel regions have teams of all sizes, with barriers, locks that are waited for, tasks in
// barriers, and messages of any thread.
class RandomThreads {
 public:
  explicit RandomThreads(unsigned seed);

  [[nodiscard]] const trace::Definitions& definitions() const { return definitions_; }
  [[nodiscard]] const sync::Topology& topology() const { return topology_; }
  // The events of these locations, as if they had been read.
  [[nodiscard]] std::vector<trace::LocationEvents> read(const std::vector<std::uint32_t>& locations,
                                                        trace::CallTree& tree) const;

 private:
  using Ticks = sync::Ticks;
  class Script;

  trace::Definitions definitions_;
  sync::Topology topology_;
  std::vector<std::vector<std::function<void(trace::LocationBuilder&)>>> events_;  // per location
};

}  // namespace latecomer::test
