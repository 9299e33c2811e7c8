// SPDX-License-Identifier: BSD-3-Clause
// Unifies machines, nodes and processes.
#include <map>
#include <set>
#include <string>
#include <utility>

#include "archive/layout.hpp"
#include "tracer/convert/definitions/unify_parts.hpp"

namespace latecomer::convert {
namespace {

using MachineKey = std::pair<std::int64_t, std::string>;  // id, name of the metahost
using NodeKey = std::pair<MachineKey, std::string>;       // and identity of the node

MachineKey machine_of(const ProcessInput& process) {
  const record::MetahostDefinition& d = process.definitions.metahost;
  return {d.id, d.name.empty() ? "Linux" : d.name};
}

// Nodes of a machine with the same host name are distinguished by their identity.
//
//   host  identity        name
//   vm    a               vm (a)
//   vm    b               vm (b)
//   n7    5f0a-...        n7
std::string node_name(const std::string& host, const std::string& identity,
                      const std::set<std::string>& identities_of_host) {
  const std::string name = host.empty() ? layout::kUnknownHost : host;
  return identities_of_host.size() > 1 ? name + " (" + identity + ")" : name;
}

}  // namespace

// Machines are in the order of id and name of the metahost, nodes in that of their lowest rank.
void unify_system(const ProcessOrder& order, std::uint32_t size, GlobalDefinitions& global) {
  std::map<MachineKey, std::uint32_t> machines;
  std::map<std::pair<MachineKey, std::string>, std::set<std::string>> identities;
  for (const OrderedProcess& p : order) {
    machines[machine_of(*p.input)] = 0;
    const record::NodeDefinition& node = p.input->definitions.node;
    identities[{machine_of(*p.input), node.host}].insert(node.identity);
  }
  if (machines.empty()) machines[{0, "Linux"}] = 0;
  for (auto& [key, id] : machines) {
    id = static_cast<std::uint32_t>(global.nodes.size());
    global.nodes.push_back({global.strings.id(key.second), kNoId, key.first});
  }

  std::map<NodeKey, std::uint32_t> nodes;
  global.processes.resize(size);
  for (const OrderedProcess& p : order) {
    const MachineKey machine = machine_of(*p.input);
    const record::NodeDefinition& d = p.input->definitions.node;
    const auto [place, is_new] =
        nodes.try_emplace({machine, d.identity}, static_cast<std::uint32_t>(global.nodes.size()));
    if (is_new) {
      const std::string name = node_name(d.host, d.identity, identities[{machine, d.host}]);
      global.nodes.push_back({global.strings.id(name), machines[machine], 0});
    }
    global.processes[p.input->rank].node = place->second;
  }

  // Every process gets a node, even if nothing is known about it.
  std::uint32_t nowhere = kNoId;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    ProcessPlace& process = global.processes[rank];
    process.name = global.strings.id("MPI Rank " + std::to_string(rank));
    if (process.node != kNoId) continue;
    if (nowhere == kNoId) {
      nowhere = static_cast<std::uint32_t>(global.nodes.size());
      global.nodes.push_back({global.strings.id(layout::kUnknownHost), 0, 0});
    }
    process.node = nowhere;
  }
}

}  // namespace latecomer::convert
