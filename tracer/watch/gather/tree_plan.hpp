// SPDX-License-Identifier: BSD-3-Clause
// The tree by which the agents of the hosts of a run gather what they know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tracer/watch/events.hpp"

namespace latecomer::watch {

// A host of the run, with the ranks on it.
struct AgentHost {
  std::string host;
  std::int64_t metahost = 0;
  std::vector<Rank> ranks;  // ascending
};

// All agents make the same plan from the logs of the run. Hosts are numbered by their lowest ranks.
// The hosts of a metahost form a tree below the first one, and the first ones form a tree below
// that of rank 0. So one connection leads from a metahost to the others.
//
//   metahost     a a a b b     arity 2: 0 -- 1, 0 -- 2, 0 -- 3, 3 -- 4
//   host         0 1 2 3 4
class TreePlan {
 public:
  static constexpr std::size_t kRoot = 0;

  TreePlan() = default;
  TreePlan(std::vector<AgentHost> hosts, std::size_t arity);

  [[nodiscard]] const std::vector<AgentHost>& hosts() const { return hosts_; }
  [[nodiscard]] std::optional<std::size_t> parent(std::size_t host) const;
  [[nodiscard]] const std::vector<std::size_t>& children(std::size_t host) const {
    return children_[host];
  }
  // A host and all below it.
  [[nodiscard]] std::vector<std::size_t> below(std::size_t host) const;
  // The neighbor of a host on the way to another one.
  [[nodiscard]] std::size_t next(std::size_t host, std::size_t to) const;
  [[nodiscard]] std::optional<std::size_t> host_of(Rank rank) const;
  [[nodiscard]] std::optional<std::size_t> number_of(const std::string& host) const;

 private:
  std::vector<AgentHost> hosts_;
  std::vector<std::size_t> parents_;  // of the root: itself
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::uint32_t> by_rank_;  // kNone: unknown
};

}  // namespace latecomer::watch
