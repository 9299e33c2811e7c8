// SPDX-License-Identifier: BSD-3-Clause
// Defines a communicator for each set of threads that was a team.
#include <map>
#include <utility>

#include "tracer/convert/definitions/unify_parts.hpp"

namespace latecomer::convert {

// Members of a team are indices in the group of all threads that were in one.
void unify_teams(const ProcessOrder& order, GlobalDefinitions& global) {
  using Thread = std::pair<std::uint32_t, std::uint32_t>;  // rank, number
  std::map<Thread, std::uint64_t> threads;
  for (const OrderedProcess& p : order) {
    for (const auto& team : p.input->usage.teams) {
      for (const std::uint32_t thread : team) threads[{p.input->rank, thread}] = 0;
    }
  }
  if (threads.empty()) return;
  global.has_teams = true;
  Group all{GroupKind::kThreads, {}};
  for (auto& [thread, index] : threads) {
    index = all.members.size();
    all.members.push_back(location_id(thread.first, thread.second));
  }
  global.groups.push_back(std::move(all));
  for (const OrderedProcess& p : order) {
    std::vector<std::uint32_t> comms;
    for (const auto& team : p.input->usage.teams) {
      Group group{GroupKind::kTeam, {}};
      for (const std::uint32_t thread : team) {
        group.members.push_back(threads[{p.input->rank, thread}]);
      }
      comms.push_back(static_cast<std::uint32_t>(global.comms.size()));
      global.comms.push_back(
          {0, static_cast<std::uint32_t>(global.groups.size()), kNoId, kNoId, false});
      global.groups.push_back(std::move(group));
    }
    p.map->set_teams(std::move(comms));
  }
}

}  // namespace latecomer::convert
