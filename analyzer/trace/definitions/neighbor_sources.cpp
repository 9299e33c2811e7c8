// SPDX-License-Identifier: BSD-3-Clause
// Parses the lists of neighbors in the properties of processes.
#include "analyzer/trace/definitions/neighbor_sources.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "archive/layout.hpp"

namespace latecomer::trace {
namespace {

// Parses "0,3,5" to ranks below `limit`, each once, ascending.
std::vector<std::uint32_t> ranks(std::string_view list, std::size_t limit) {
  std::vector<std::uint32_t> out;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    std::uint32_t rank = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + comma, rank);
    if (error == std::errc() && end == list.data() + comma && rank < limit) out.push_back(rank);
    list.remove_prefix(std::min(list.size(), comma + 1));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

// Each property of a process names a communicator and lists the ranks that it gets data from.
void read_neighbors(Definitions& definitions) {
  const std::string_view prefix = layout::kPropertyNeighbors;
  for (std::uint32_t rank = 0; rank < definitions.processes.size(); ++rank) {
    for (const auto& [name, list] : definitions.processes[rank].properties) {
      if (!name.starts_with(prefix)) continue;
      std::uint64_t id = 0;
      std::from_chars(name.data() + prefix.size(), name.data() + name.size(), id);
      const std::uint32_t index = definitions.comm_ids.find(id);
      if (index == kNone) continue;
      Comm& comm = definitions.comms[index];
      const auto member = std::ranges::find(comm.members, rank) - comm.members.begin();
      if (static_cast<std::size_t>(member) == comm.members.size()) continue;
      comm.sources[static_cast<std::uint32_t>(member)] = ranks(list, comm.members.size());
    }
  }
}

}  // namespace latecomer::trace
