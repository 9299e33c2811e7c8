// SPDX-License-Identifier: BSD-3-Clause
// Asks the follower of the run.
#include "tracer/watch/gather/followed_run.hpp"

#include <map>

#include "archive/experiment/live_processes.hpp"

namespace latecomer::watch {
namespace {

class Followed final : public GatherRun {
 public:
  explicit Followed(RunFollower& run) : run_(run) {}

  [[nodiscard]] std::optional<std::vector<AgentHost>> hosts() override {
    if (!run_.knows_places()) return {};
    std::map<std::string, AgentHost> hosts;
    for (const FollowedProcess& process : run_.processes()) {
      AgentHost& one = hosts[process.host];
      one.host = process.host;
      one.metahost = process.metahost;
      one.ranks.push_back(process.rank);
    }
    std::vector<AgentHost> all;
    for (auto& [name, one] : hosts) all.push_back(std::move(one));
    return all;
  }
  [[nodiscard]] std::string own_host() override { return latecomer::own_host(); }
  [[nodiscard]] const std::vector<Rank>* members(std::uint32_t owner,
                                                 std::uint32_t number) override {
    const CommId found = comm(owner, number);
    if (found == kNone || !run_.comms()[found].known) return nullptr;
    return &run_.comms()[found].members;
  }
  [[nodiscard]] CommId comm(std::uint32_t owner, std::uint32_t number) override {
    return run_.comms().find_of_owner(owner, number);
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> owner_of(CommId comm) override {
    return {run_.comms()[comm].owner, run_.comms()[comm].number};
  }
  [[nodiscard]] std::uint64_t hash_of(PathId path) override { return run_.paths().hash(path); }
  [[nodiscard]] PathId path_of(std::uint64_t hash) override {
    return run_.paths().number_of_hash(hash);
  }
  // Clocks are measured seldom, and this is asked for often.
  [[nodiscard]] sync::PiecewiseLinear to_global() override {
    if (const auto measured = run_.measurements(); measured != measured_) {
      measured_ = measured;
      to_global_ = run_.to_global();
    }
    return to_global_;
  }
  void look_again() override { run_.read_all_logs(); }

 private:
  RunFollower& run_;
  std::size_t measured_ = 0;  // measurements of clocks that `to_global_` is made of
  sync::PiecewiseLinear to_global_;
};

}  // namespace

std::unique_ptr<GatherRun> followed_run(RunFollower& run) {
  return std::make_unique<Followed>(run);
}

}  // namespace latecomer::watch
