// SPDX-License-Identifier: BSD-3-Clause
// Finds the node that a change names, and the links that messages and collective operations then
// take.
#include "analyzer/predict/moved_ranks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace latecomer::predict {
namespace {

using sync::LinkClass;
using sync::Topology;

// By class of links: its name in report::Messages, and in sentences.
constexpr std::array<std::string_view, 3> kNames = {"node", "metahost", "external"};
constexpr std::array<const char*, 3> kWords = {"inside a node", "between nodes",
                                               "between metahosts"};

std::string nodes_text(const trace::Definitions& definitions) {
  std::vector<std::string> names;
  for (const auto& process : definitions.processes) {
    if (process.node == trace::kNone) continue;
    const auto& name = definitions.system[process.node].name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (text.empty() ? "" : ", ") + names[i];
  }
  return "nodes of the run: " + text + (names.size() > kMost ? ", ..." : "");
}

// Moves the ranks of one change. A Problem if the node does not exist.
Status move(const trace::Definitions& definitions, const Change& change, Topology& topology) {
  const auto there = std::ranges::find_if(definitions.processes, [&](const auto& process) {
    return process.node != trace::kNone && definitions.system[process.node].name == change.node;
  });
  if (there == definitions.processes.end()) {
    return Problem{change.text + ": no rank of the run is on a node " + change.node,
                   nodes_text(definitions), Exit::kUsage};
  }
  for (const auto& [first, last] : change.ranks) {
    for (std::uint32_t rank = first; rank <= last; ++rank) {
      topology.node[rank] = there->node;
      topology.metahost[rank] = there->metahost;
    }
  }
  return success();
}

// True by class of links if some message or collective operation takes such a link after the move
// and did not before. Collective.
std::array<bool, 3> new_links(const Run& run, const Topology& moved,
                              parallel::Processes& processes) {
  const auto& definitions = run.recorded.booking.definitions;
  std::array<bool, 3> used{};
  const auto note = [&](LinkClass before, LinkClass after) {
    if (before != after) used[static_cast<std::size_t>(after)] = true;
  };
  const auto ranks = static_cast<std::uint32_t>(definitions.processes.size());
  const auto& messages = run.messages;
  const auto block = [&](std::uint64_t number) {
    const auto first = static_cast<std::uint32_t>(number) * messages.ranks_per_block;
    return std::pair(first, std::min(ranks, first + messages.ranks_per_block));
  };
  const auto moves = [&](std::uint32_t rank) {
    return moved.node[rank] != run.topology.node[rank];
  };
  for (const auto& pair : messages.pairs) {
    const auto [from, from_end] = block(pair.from);
    const auto [to, to_end] = block(pair.to);
    for (auto a = from; a < from_end; ++a) {
      for (auto b = to; b < to_end; ++b) {
        if (moves(a) || moves(b)) note(run.topology.link(a, b), moved.link(a, b));
      }
    }
  }
  std::vector<std::uint64_t> comms(definitions.comms.size());
  for (const auto& events : run.recorded.booking.mine) {
    for (const auto& kind : events.kinds) {
      if (kind.comm < comms.size()) comms[kind.comm] = 1;
    }
  }
  processes.bit_or(comms);
  const auto before = slowest_links(definitions, run.topology);
  const auto after = slowest_links(definitions, moved);
  for (std::size_t c = 0; c < comms.size(); ++c) {
    if (comms[c] != 0) note(before[c], after[c]);
  }
  return used;
}

}  // namespace

Result<std::optional<MovedRanks>> move_ranks(const Run& run, std::span<const Change> changes,
                                             parallel::Processes& processes) {
  MovedRanks out{run.topology, {}};
  std::string text;
  for (const auto& change : changes) {
    if (change.kind != Change::Kind::kRanksMoved) continue;
    if (const auto known = move(run.recorded.booking.definitions, change, out.topology); !known)
      return known.problem();
    text += (text.empty() ? "" : ", ") + change.text;
  }
  if (text.empty()) return std::optional<MovedRanks>();
  const auto used = new_links(run, out.topology, processes);
  for (std::size_t link = 0; link < used.size(); ++link) {
    if (!used[link]) continue;
    std::int64_t measured = 0;
    for (const auto& one : run.messages.sizes) {
      if (one.link == kNames[link]) measured += one.measured;
    }
    if (measured == 0) {
      return Problem{text + ": the run does not show how long messages take " + kWords[link],
                     "a receive must have waited for one of them", Exit::kUsage};
    }
    out.notes.push_back("moved ranks: messages " + std::string(kWords[link]) +
                        " take the times that the run shows there, which are those of " +
                        std::to_string(measured) + (measured == 1 ? " message" : " messages"));
  }
  out.notes.emplace_back(
      "moved ranks compute as fast as on their old node, and share its cores with nobody else");
  return std::optional(std::move(out));
}

}  // namespace latecomer::predict
