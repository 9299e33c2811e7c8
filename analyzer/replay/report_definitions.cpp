// SPDX-License-Identifier: BSD-3-Clause
// Copies definitions. Names that an archive lacks are made from ranks.
#include "analyzer/replay/report_definitions.hpp"

namespace latecomer::replay {
namespace {

std::int64_t line(std::uint32_t number) { return number == 0 ? -1 : std::int64_t{number}; }

std::string or_else(const std::string& text, const std::string& otherwise) {
  return text.empty() ? otherwise : text;
}

}  // namespace

report::Definitions report_definitions(const trace::Definitions& trace,
                                       const trace::GlobalCallTree& tree) {
  report::Definitions out;
  out.ticks_per_second = trace.ticks_per_second;

  std::vector<std::uint32_t> region_index(trace.regions.size(), report::kNone);
  for (const auto& node : tree.nodes) {
    auto& index = region_index[node.region];
    if (index == report::kNone) {
      index = static_cast<std::uint32_t>(out.regions.size());
      const auto& region = trace.regions[node.region];
      out.regions.push_back({region.name, region.canonical, region.file, region.paradigm,
                             region.role, line(region.begin_line), line(region.end_line)});
    }
    out.call_paths.push_back({node.parent, index});
  }

  for (const auto& node : trace.system) {
    out.system.push_back(
        {or_else(node.name, "unnamed"), or_else(node.class_name, "node"), node.parent});
  }
  for (std::uint32_t rank = 0; rank < trace.processes.size(); ++rank) {
    const auto& process = trace.processes[rank];
    out.processes.push_back(
        {or_else(process.name, "MPI Rank " + std::to_string(rank)), rank, process.node});
  }
  for (const auto& location : trace.locations) {
    const auto name = location.thread == 0 ? std::string("Master thread")
                                           : "Thread " + std::to_string(location.thread);
    out.locations.push_back({or_else(location.name, name), location.thread, location.process});
  }
  return out;
}

}  // namespace latecomer::replay
