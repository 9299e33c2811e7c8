// SPDX-License-Identifier: BSD-3-Clause
// Equal views are sent only once, by the first process that has them.
#include "analyzer/match/visibility.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "archive/rank_list.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::replay {
namespace {

std::uint64_t hash_of(const std::vector<bool>& bits) {
  std::uint64_t h = bits.size();
  for (const bool bit : bits) h = (h ^ (bit ? 1U : 2U)) * 0x100000001b3;
  return h;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

}  // namespace

bool Visibility::anybody_sees(std::uint32_t location) const {
  return std::ranges::any_of(views, [&](const auto& view) { return view[location]; });
}

// Views are compared by their hashes, so that only different ones have to be sent.
Visibility agree_on_visibility(const std::vector<bool>& mine, parallel::Processes& processes) {
  const auto size = static_cast<std::size_t>(processes.size());
  std::vector<std::int64_t> hashes(size);
  hashes[static_cast<std::size_t>(processes.rank())] = static_cast<std::int64_t>(hash_of(mine));
  processes.sum(hashes);
  Visibility all;
  std::map<std::int64_t, std::uint32_t> views;
  std::vector<int> first;
  for (std::size_t p = 0; p < size; ++p) {
    const auto next = static_cast<std::uint32_t>(views.size());
    const auto [known, added] = views.try_emplace(hashes[p], next);
    all.view_of.push_back(known->second);
    if (added) first.push_back(static_cast<int>(p));
  }
  for (const int speaker : first) {
    parallel::Bytes data;
    if (processes.rank() == speaker) {
      data.resize(mine.size());
      for (std::size_t l = 0; l < mine.size(); ++l) data[l] = std::byte{mine[l]};
    }
    if (first.size() > 1) processes.broadcast(data, speaker);
    auto& view = all.views.emplace_back(mine);
    for (std::size_t l = 0; l < data.size(); ++l) view[l] = data[l] != std::byte{0};
  }
  return all;
}

// The text names one process per archive, with its host.
Status check_same_archive(std::uint64_t fingerprint, const std::string& path,
                          parallel::Processes& processes) {
  const auto mine = static_cast<std::int64_t>(fingerprint);
  parallel::Packer pack;
  pack.put(mine);
  if (processes.min(mine) == processes.max(mine)) return success();
  pack.put_text(host_name());
  const auto all = processes.all_gather(pack.take());
  std::string text = path + ": the analysis processes see archives of different runs: ";
  std::map<std::int64_t, std::string> archives;
  for (std::size_t p = 0; p < all.size(); ++p) {
    parallel::Unpacker in(all[p]);
    const auto archive = in.get<std::int64_t>();
    const std::string host = in.get_text();
    if (!archives.try_emplace(archive, host).second) continue;
    text += (archives.size() > 1 ? ", another one on process " : "one on process ") +
            std::to_string(p) + " (" + host + ")";
  }
  return Problem{
      text, "run the analysis where all parts are of one run (`latecomer info " + shell_word(path) +
                "` on each host); parts that were repaired one by one: bring their records "
                "together with `latecomer collect` and repair there"};
}

std::vector<std::string> unseen_events(const trace::Definitions& definitions,
                                       const Visibility& visibility) {
  // One metahost has one file system, so files that are not there are lost.
  if (definitions.metahosts.size() < 2) return {};
  struct Unseen {
    std::vector<int> ranks;
    std::set<std::string> nodes;
  };
  std::map<std::uint32_t, Unseen> by_metahost;
  for (std::uint32_t rank = 0; rank < definitions.processes.size(); ++rank) {
    const auto& process = definitions.processes[rank];
    const bool unseen = std::ranges::any_of(process.locations, [&](std::uint32_t l) {
      return definitions.locations[l].events > 0 && !visibility.anybody_sees(l);
    });
    if (!unseen) continue;
    auto& entry = by_metahost[process.metahost];
    entry.ranks.push_back(static_cast<int>(rank));
    if (process.node != trace::kNone) entry.nodes.insert(definitions.system[process.node].name);
  }
  std::vector<std::string> sentences;
  for (const auto& [metahost, unseen] : by_metahost) {
    std::string nodes;
    for (const auto& node : unseen.nodes) nodes += (nodes.empty() ? "" : ", ") + node;
    if (unseen.nodes.size() > 4) nodes = std::to_string(unseen.nodes.size()) + " nodes";
    sentences.push_back("the events of " + rank_list(unseen.ranks) + " were written on metahost " +
                        definitions.metahosts[metahost].name +
                        (nodes.empty() ? "" : " (" + nodes + ")") +
                        ", and no analysis process sees them");
  }
  return sentences;
}

bool sees_first(const trace::Definitions& definitions, const Visibility& visibility, int process) {
  for (std::uint32_t l = 0; l < definitions.locations.size(); ++l) {
    if (visibility.anybody_sees(l)) return visibility.sees(process, l);
  }
  return true;
}

}  // namespace latecomer::replay
