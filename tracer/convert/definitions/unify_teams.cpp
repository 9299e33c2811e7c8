// SPDX-License-Identifier: BSD-3-Clause
// Defines a communicator for each set of threads that was a team, and for the POSIX threads of each
// process.
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

void unify_posix_threads(const ProcessOrder& order, GlobalDefinitions& global) {
  Group all{GroupKind::kPosixThreads, {}};
  std::vector<Group> processes;
  for (const OrderedProcess& p : order) {
    global.wakes_threads = global.wakes_threads || p.input->usage.wakes_threads;
    if (p.input->usage.posix_threads.empty()) continue;
    Group group{GroupKind::kPosixProcess, {}};
    for (const std::uint32_t thread : p.input->usage.posix_threads) {
      group.members.push_back(all.members.size());
      all.members.push_back(location_id(p.input->rank, thread));
    }
    p.map->posix_threads = static_cast<std::uint32_t>(global.comms.size());
    // The group of all comes first.
    const auto number = static_cast<std::uint32_t>(global.groups.size() + 1 + processes.size());
    global.comms.push_back({0, number, kNoId, kNoId, false});
    processes.push_back(std::move(group));
  }
  if (processes.empty()) return;
  global.groups.push_back(std::move(all));
  for (Group& group : processes) global.groups.push_back(std::move(group));
}

}  // namespace latecomer::convert
