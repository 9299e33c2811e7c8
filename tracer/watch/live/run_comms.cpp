// SPDX-License-Identifier: BSD-3-Clause
// Joins the definitions of communicators in the logs of all processes.
#include "tracer/watch/live/run_comms.hpp"

#include <algorithm>

namespace latecomer::watch {
namespace {

std::uint64_t key(Rank rank, std::uint32_t id) { return std::uint64_t{rank} << 32 | id; }

}  // namespace

RunComms::RunComms() : comms_(2) {
  comms_[kWorld].name = "MPI_COMM_WORLD";
  comms_[kSelf].name = "MPI_COMM_SELF";
  comms_[kSelf].known = comms_[kSelf].is_self = true;
}

void RunComms::set_size(std::uint32_t ranks) {
  RunComm& world = comms_[kWorld];
  for (Rank rank = static_cast<Rank>(world.members.size()); rank < std::min(ranks, kMostRanks);
       ++rank)
    world.members.push_back(rank);
  world.known = true;
}

std::vector<CommId> RunComms::add(Rank rank, const record::Definitions& more) {
  std::vector<CommId> known;
  for (const auto& d : more.comms) {
    CommId& comm = by_id_[key(rank, d.id)];
    if (d.kind == "world") {
      comm = kWorld;
      continue;
    }
    if (d.kind == "self") {
      comm = kSelf;
      continue;
    }
    const auto [at, is_new] =
        by_owner_.try_emplace({d.owner, d.number}, static_cast<CommId>(comms_.size()));
    if (is_new && comms_.size() >= kMost) {
      by_owner_.erase(at);
      by_id_.erase(key(rank, d.id));
      continue;
    }
    if (is_new) {
      comms_.emplace_back();
      comms_.back().owner = d.owner;
      comms_.back().number = d.number;
    }
    comm = at->second;
    RunComm& one = comms_[comm];
    if (d.owner != rank || one.known) continue;
    if (!are_ranks(d.members) || !are_ranks(d.remote)) {
      one.known = one.is_damaged = true;  // nobody needs to wait for its definition
      ++damaged_;
      continue;
    }
    one.members = d.members;
    one.remote = d.remote;
    one.known = true;
    if (one.name.empty()) {
      one.name =
          "a communicator of " + std::to_string(d.members.size() + d.remote.size()) + " ranks";
    }
    known.push_back(comm);
  }
  for (const auto& d : more.comms) {
    if (const CommId comm = find(rank, d.id); comm != kNone) ids_[key(rank, comm)] = d.id;
  }
  for (const auto& d : more.comm_names) {
    const CommId comm = find(rank, d.id);
    if (comm != kNone && comm > kSelf) comms_[comm].name = d.name;
  }
  return known;
}

bool RunComms::are_ranks(const std::vector<Rank>& members) const {
  const std::size_t size = comms_[kWorld].members.size();
  return members.size() <= size &&
         std::ranges::all_of(members, [&](Rank member) { return member < size; });
}

CommId RunComms::find(Rank rank, std::uint32_t id) const {
  const auto found = by_id_.find(key(rank, id));
  return found == by_id_.end() ? kNone : found->second;
}

CommId RunComms::find_of_owner(std::uint32_t owner, std::uint32_t number) const {
  if (owner == kNone) return number == 0 ? kWorld : kNone;
  const auto found = by_owner_.find({owner, number});
  return found == by_owner_.end() ? kNone : found->second;
}

std::uint32_t RunComms::id_on(Rank rank, CommId comm) const {
  const auto found = ids_.find(key(rank, comm));
  return found == ids_.end() ? kNone : found->second;
}

Rank RunComms::world_rank(CommId id, Rank here, Rank peer) const {
  const RunComm& comm = comms_[id];
  if (comm.is_self) return peer == 0 ? here : kNone;
  const bool in_first =
      comm.remote.empty() || std::ranges::find(comm.members, here) == comm.members.end();
  const auto& partners = in_first ? comm.members : comm.remote;
  return peer < partners.size() ? partners[peer] : kNone;
}

}  // namespace latecomer::watch
