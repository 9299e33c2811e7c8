// SPDX-License-Identifier: BSD-3-Clause
// Collects the clock condition. Messages are already at their receivers; participants of a
// collective operation are sent to the process that owns the operation.
#include "analyzer/clocks/clock_condition.hpp"

#include <otf2/otf2.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "analyzer/match/epochs.hpp"
#include "analyzer/trace/events/core/by_instance.hpp"
#include "patterns/calls/collective_class.hpp"

namespace latecomer::replay {
namespace {

using sync::OperationGroup;
using trace::kNone;

// One process's part in a collective operation, as it is sent to the owner.
struct Part {
  std::uint32_t comm = 0, instance = 0;
  std::uint32_t process = 0;
  std::uint32_t root = 0;  // world rank, kNone, or kElsewhere
  std::int64_t enter = 0, exit = 0;
  std::uint8_t operation = 0;
  bool sent = false, received = false;  // true if any data
  bool guaranteed = false;              // for a fence: it ends an epoch
};

// Parts of an Alltoallv are sent only if they send to all processes. The operation is then complete
// only if all do, so the class of a complete operation may assume it.
constexpr bool kAllPositive = true;

bool is_neighborhood(std::uint8_t operation) {
  return patterns::collective_class(operation) == patterns::CollectiveClass::kNeighborhood;
}

// Root of an intercommunicator as seen in the root's own group, where it is not known.
constexpr std::uint32_t kElsewhere = kNone - 1;

std::uint32_t root_of(const trace::Comm& comm, std::uint32_t process, std::uint32_t root) {
  if (!comm.inter) return root < comm.members.size() ? comm.members[root] : kNone;
  if (root == OTF2_COLLECTIVE_ROOT_SELF) return process;
  if (root == OTF2_COLLECTIVE_ROOT_THIS_GROUP) return kElsewhere;
  const bool first = std::ranges::find(comm.members, process) != comm.members.end();
  const auto& others = first ? comm.remote : comm.members;
  return root < others.size() ? others[root] : kNone;
}

// True if each group gets the data of the other one. That makes a set of messages per direction.
bool both_ways(const trace::Comm& comm, std::uint8_t operation) {
  if (!comm.inter) return false;
  const auto c = patterns::collective_class(operation, kAllPositive);
  return c == patterns::CollectiveClass::kBarrier || c == patterns::CollectiveClass::kNToN;
}

std::vector<sync::Channel> channels_of(const std::vector<trace::LocationEvents>& mine,
                                       const MatchedMessages& messages) {
  std::vector<sync::Channel> channels;
  std::uint32_t location = kNone;
  messages.for_each_sent(mine, [&](const SentMessage& send, trace::Ticks received) {
    if (send.source == send.target) return;
    if (channels.empty() || location != send.location || channels.back().target != send.target) {
      channels.push_back({send.source, send.target, {}});
      location = send.location;
    }
    channels.back().messages.push_back({send.time, received});
  });
  return channels;
}

// The class of an operation decides what its parts send and receive, if there is any data.
OperationGroup::Part role(const Part& part) {
  OperationGroup::Part out{part.enter, part.exit, false, false};
  switch (patterns::collective_class(part.operation, kAllPositive)) {
    case patterns::CollectiveClass::kBarrier:
      out.sends = out.receives = true;
      break;
    case patterns::CollectiveClass::kNToN:
      out.sends = part.sent;
      out.receives = part.received;
      break;
    case patterns::CollectiveClass::kOneToN:
      out.sends = part.process == part.root && part.sent;
      out.receives = part.process != part.root && part.received;
      break;
    case patterns::CollectiveClass::kNToOne:
      out.sends = part.process != part.root && part.sent;
      out.receives = part.process == part.root && part.received;
      break;
    case patterns::CollectiveClass::kPrefix:
      out.sends = out.receives = part.sent || part.received;
      break;
    case patterns::CollectiveClass::kFence:
      out.sends = out.receives = part.guaranteed;
      break;
    case patterns::CollectiveClass::kWindow:
    case patterns::CollectiveClass::kFile:
    case patterns::CollectiveClass::kNeighborhood:  // add_edges
    case patterns::CollectiveClass::kOther:
      break;
  }
  return out;
}

std::vector<parallel::Bytes> pack_parts(const trace::Definitions& definitions,
                                        const std::vector<trace::LocationEvents>& mine,
                                        int processes) {
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes));
  for (const auto& events : mine) {
    const std::uint32_t process = definitions.locations[events.location].process;
    for (const auto& own : events.collectives) {
      if (own.kind == trace::Collective::kOpen || own.instance == kNone) continue;
      const auto& kind = events.kinds[own.kind];
      const auto& comm = definitions.comms[kind.comm];
      if (comm.size() < 2 || patterns::collective_class(kind.operation, kind.all_positive) ==
                                 patterns::CollectiveClass::kOther) {
        continue;
      }
      const Part part{kind.comm,
                      own.instance,
                      process,
                      root_of(comm, process, kind.root),
                      own.begin,
                      own.end,
                      kind.operation,
                      kind.sent != 0,
                      kind.received != 0 && (!is_neighborhood(kind.operation) || kind.all_positive),
                      kind.all_positive};
      // All parts of an operation have the same owner.
      packs[(kind.comm + own.instance / 1024) % packs.size()].put(part);
    }
  }
  std::vector<parallel::Bytes> out;
  for (auto& pack : packs) out.push_back(pack.take());
  return out;
}

// Combines all parts of the operations of one communicator that came to this process. Operations
// that are incomplete or contradict themselves are left out.
OperationGroup group_of(const trace::Comm& comm, const std::vector<const Part*>& parts,
                        std::size_t processes) {
  std::vector<std::uint32_t> place(processes, kNone);
  OperationGroup group;
  group.members = comm.members.ranks();
  group.members.insert(group.members.end(), comm.remote.begin(), comm.remote.end());
  for (std::uint32_t m = 0; m < group.members.size(); ++m) {
    if (group.members[m] < processes) place[group.members[m]] = m;
  }
  struct Operation {
    const Part* first = nullptr;
    std::uint32_t parts = 0;
    std::uint32_t root = kElsewhere;
    bool agree = true;
    std::uint32_t index = kNone;  // among the complete ones
  };
  trace::ByInstance<Operation> operations;
  for (const auto* part : parts) {
    auto& operation = operations[part->instance];
    if (operation.first == nullptr) operation.first = part;
    if (operation.root == kElsewhere) operation.root = part->root;
    operation.agree = operation.agree && part->operation == operation.first->operation &&
                      (part->root == operation.root || part->root == kElsewhere) &&
                      place[part->process] != kNone;
    ++operation.parts;
  }
  operations.for_each([&](Operation& operation) {
    if (!operation.agree || operation.first == nullptr || operation.parts != group.members.size() ||
        is_neighborhood(operation.first->operation)) {
      return;
    }
    operation.index = static_cast<std::uint32_t>(group.size());
    group.prefix.push_back(patterns::collective_class(operation.first->operation, kAllPositive) ==
                           patterns::CollectiveClass::kPrefix);
    if (both_ways(comm, operation.first->operation)) group.prefix.push_back(false);
  });
  group.parts.resize(group.size() * group.members.size());
  for (const auto* part : parts) {
    const std::size_t index = operations[part->instance].index;
    if (index == kNone) continue;
    const std::size_t at = index * group.members.size() + place[part->process];
    group.parts[at] = role(*part);
    if (!both_ways(comm, part->operation)) continue;
    auto& there = group.parts[at];
    auto& back = group.parts[at + group.members.size()] = there;
    (place[part->process] < comm.members.size() ? there.receives : there.sends) = false;
    (place[part->process] < comm.members.size() ? back.sends : back.receives) = false;
  }
  return group;
}

// Adds the complete neighborhood operations of one communicator, with one channel per edge.
void add_edges(const trace::Comm& comm, const std::vector<const Part*>& parts,
               std::vector<sync::Channel>& channels) {
  if (comm.sources.empty()) return;
  std::map<std::uint32_t, std::map<std::uint32_t, const Part*>> operations;  // instance, process
  for (const auto* part : parts) {
    if (is_neighborhood(part->operation)) operations[part->instance][part->process] = part;
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, sync::Channel> edges;
  for (const auto& [instance, members] : operations) {
    if (members.size() != comm.members.size()) continue;
    for (std::uint32_t m = 0; m < comm.members.size(); ++m) {
      const auto to = members.find(comm.members[m]);
      if (to == members.end() || !to->second->received) continue;
      for (const auto source : comm.sources_of(m)) {
        const auto from = members.find(comm.members[source]);
        if (from == members.end() || from == to) continue;
        auto& edge = edges[{from->first, to->first}];
        edge.source = from->first;
        edge.target = to->first;
        edge.messages.push_back({from->second->enter, to->second->exit});
      }
    }
  }
  for (auto& [ends, edge] : edges) channels.push_back(std::move(edge));
}

}  // namespace

ClockCondition collect_clock_condition(const trace::Definitions& definitions,
                                       const std::vector<trace::LocationEvents>& mine,
                                       const MatchedMessages& messages, const Partition& partition,
                                       parallel::Processes& processes) {
  ClockCondition out;
  out.channels = channels_of(mine, messages);
  out.messages = out.channels.size();
  const auto received = processes.exchange(pack_parts(definitions, mine, processes.size()));
  std::map<std::uint32_t, std::vector<const Part*>> by_comm;
  for (const auto& bytes : received) {
    // Parts are plain structures, so the bytes are read in place.
    const auto* parts = reinterpret_cast<const Part*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / sizeof(Part); ++i) {
      by_comm[parts[i].comm].push_back(&parts[i]);
    }
  }
  for (auto& [comm, parts] : by_comm) {
    auto group = group_of(definitions.comms[comm], parts, definitions.processes.size());
    if (group.size() > 0) out.groups.push_back(std::move(group));
    add_edges(definitions.comms[comm], parts, out.channels);
  }
  auto epochs = match_epochs(definitions, partition, mine, processes);
  std::ranges::move(epochs.pairs, std::back_inserter(out.channels));
  return out;
}

}  // namespace latecomer::replay
