// SPDX-License-Identifier: BSD-3-Clause
// Unifies communicators and their groups.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/convert/definitions/unify_parts.hpp"

namespace latecomer::convert {
namespace {

using record::CommDefinition;

// A communicator of several processes, with the definition of its owner, which has the members.
struct Shared {
  const CommDefinition* definition = nullptr;
  std::uint32_t id = kNoId;
  std::optional<std::uint32_t> named_by;
};

// A communicator of a single process, like MPI_COMM_SELF. Each process uses it at most once.
struct SelfLike {
  std::uint32_t id = kNoId;
  std::size_t users = 0;
  std::size_t parents = 0;  // users that agree with its first one on the parent
  std::size_t names = 0;    // users that agree with its first one on the name
};

bool distinct_ranks(std::vector<std::uint32_t> ranks, std::uint32_t size) {
  std::sort(ranks.begin(), ranks.end());
  return !ranks.empty() && ranks.back() < size &&
         std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end();
}

bool is_alone(const CommDefinition& d, std::uint32_t rank) {
  return d.kind == "self" ||
         (d.kind == "intra" && d.members.size() == 1 && d.members.front() == rank);
}

class CommUnifier {
 public:
  CommUnifier(const ProcessOrder& order, std::uint32_t size, bool scalasca25,
              GlobalDefinitions& global)
      : order_(order), size_(size), scalasca25_(scalasca25), global_(global) {}

  std::uint64_t unify() {
    define_groups();
    define_world_and_self();
    find_members();
    if (scalasca25_) find_used();
    for (const OrderedProcess& p : order_) {
      define(p);
      if (!scalasca25_) define_neighbors(p);
    }
    for (std::size_t i = 1; i < self_.size(); ++i) settle(self_[i]);
    return unknown_.size();
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // owner, number on the owner

  static Key key(const CommDefinition& d) { return {d.owner, d.number}; }

  void define_groups() {
    Group locations{GroupKind::kLocations, {}};
    std::vector<std::uint32_t> world;
    for (std::uint32_t rank = 0; rank < size_; ++rank) {
      locations.members.push_back(location_id(rank, 0));
      world.push_back(rank);
    }
    global_.groups.push_back(std::move(locations));
    global_.groups.push_back({GroupKind::kSelf, {}});
    group(world);
  }

  void define_world_and_self() {
    const bool events = !scalasca25_;
    global_.comms.push_back(
        {global_.strings.id("MPI_COMM_WORLD"), kGroupWorld, kNoId, kNoId, events});
    global_.comms.push_back(
        {global_.strings.id("MPI_COMM_SELF"), kGroupSelf, kNoId, kNoId, events});
    self_.push_back({kCommSelf});
  }

  // Equal members in equal order share a group.
  std::uint32_t group(const std::vector<std::uint32_t>& members) {
    const auto [place, is_new] =
        groups_.try_emplace(members, static_cast<std::uint32_t>(global_.groups.size()));
    if (is_new) {
      global_.groups.push_back({GroupKind::kMembers, {members.begin(), members.end()}});
    }
    return place->second;
  }

  void find_members() {
    for (const OrderedProcess& p : order_) {
      for (const CommDefinition& d : p.input->definitions.comms) {
        const bool valid = distinct_ranks(d.members, size_) &&
                           (d.kind != "inter" || distinct_ranks(d.remote, size_));
        if (d.owner == p.input->rank && valid && !is_alone(d, p.input->rank)) {
          shared_.try_emplace(key(d), Shared{&d});
        }
      }
    }
  }

  void find_used() {
    for (const OrderedProcess& p : order_) {
      const auto& used = p.input->usage.comms;
      for (const CommDefinition& d : p.input->definitions.comms) {
        if (std::binary_search(used.begin(), used.end(), d.id)) used_.insert(key(d));
      }
    }
  }

  void define(const OrderedProcess& p) {
    std::size_t alone = 1;  // MPI_COMM_SELF itself is the first
    names_.clear();
    for (const record::CommName& d : p.input->definitions.comm_names) {
      names_.try_emplace(d.id, &d.name);
    }
    for (const CommDefinition& d : p.input->definitions.comms) {
      if (d.id >= UsageCollector::kMaxPlausibleId) continue;
      if (d.kind == "world") {
        p.map->set_comm(d.id, {kCommWorld, size_, CommState::kDefined});
      } else if (d.kind == "self") {
        p.map->set_comm(d.id, {kCommSelf, 1, CommState::kDefined});
      } else if (is_alone(d, p.input->rank)) {
        p.map->set_comm(d.id, define_alone(p, d, alone));
      } else {
        p.map->set_comm(d.id, define_shared(p, d));
      }
    }
  }

  // If a communicator was asked for its neighbors twice, the last answer counts.
  void define_neighbors(const OrderedProcess& p) {
    std::map<std::uint32_t, const record::NeighborsDefinition*> known;
    for (const auto& d : p.input->definitions.neighbors) {
      const CommTarget& comm = p.map->comm(d.comm);
      if (comm.state == CommState::kDefined && comm.peers > 1) known[comm.id] = &d;
    }
    for (const auto& [comm, d] : known) {
      global_.neighbors.push_back({p.input->rank, comm, d->sources});
    }
  }

  std::uint32_t parent_of(const OrderedProcess& p, const CommDefinition& d) const {
    return d.parent ? p.map->comm(*d.parent).id : kNoId;
  }

  // The first name that the current process gave the communicator.
  StringId name_of(std::uint32_t local) {
    const auto found = names_.find(local);
    return found == names_.end() ? 0 : global_.strings.id(*found->second);
  }

  CommTarget define_alone(const OrderedProcess& p, const CommDefinition& d, std::size_t& place) {
    if (scalasca25_ && !used_.contains(key(d))) return {kNoId, 1, CommState::kLeftOut};
    const StringId name = name_of(d.id);
    const std::uint32_t parent = parent_of(p, d);
    if (place == self_.size()) {
      self_.push_back({static_cast<std::uint32_t>(global_.comms.size())});
      global_.comms.push_back({name, kGroupSelf, kNoId, parent, !scalasca25_});
    }
    SelfLike& self = self_[place++];
    const Comm& comm = global_.comms[self.id];
    ++self.users;
    if (comm.parent == parent) ++self.parents;
    if (comm.name == name) ++self.names;
    return {self.id, 1, CommState::kDefined};
  }

  // Drops parent and name if not all users agree on them.
  void settle(const SelfLike& self) {
    if (self.parents != self.users) global_.comms[self.id].parent = kNoId;
    if (self.names != self.users) global_.comms[self.id].name = 0;
  }

  CommTarget define_shared(const OrderedProcess& p, const CommDefinition& d) {
    const auto found = shared_.find(key(d));
    if (found == shared_.end()) {
      unknown_.insert(key(d));
      return {};
    }
    Shared& comm = found->second;
    const CommDefinition& full = *comm.definition;
    const bool inter = full.kind == "inter";
    CommTarget target{kNoId, static_cast<std::uint32_t>(full.members.size()), CommState::kLeftOut};
    if (inter &&
        std::find(full.members.begin(), full.members.end(), p.input->rank) != full.members.end()) {
      target.peers = static_cast<std::uint32_t>(full.remote.size());
    }
    if (scalasca25_ && (inter || !used_.contains(key(d)))) return target;
    // The process with the lowest rank defines the communicator; the others only map to it.
    if (comm.id == kNoId) {
      comm.id = static_cast<std::uint32_t>(global_.comms.size());
      global_.comms.push_back({0, group(full.members), inter ? group(full.remote) : kNoId,
                               inter ? kCommWorld : parent_of(p, d), !scalasca25_});
    }
    name(comm, p, d);
    target.id = comm.id;
    target.state = CommState::kDefined;
    return target;
  }

  // The owner's name counts; without one, that of the lowest rank that has one.
  void name(Shared& comm, const OrderedProcess& p, const CommDefinition& d) {
    const bool owner = p.input->rank == d.owner;
    if (comm.named_by && !owner) return;
    const StringId name = name_of(d.id);
    if (name == 0) return;
    global_.comms[comm.id].name = name;
    comm.named_by = p.input->rank;
  }

  const ProcessOrder& order_;
  const std::uint32_t size_;
  const bool scalasca25_;
  GlobalDefinitions& global_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
  std::map<Key, Shared> shared_;
  std::unordered_map<std::uint32_t, const std::string*> names_;  // names on one process
  std::set<Key> used_;
  std::set<Key> unknown_;
  std::vector<SelfLike> self_;
};

}  // namespace

std::uint64_t unify_comms(const ProcessOrder& order, std::uint32_t size, bool scalasca25,
                          GlobalDefinitions& global) {
  return CommUnifier(order, size, scalasca25, global).unify();
}

}  // namespace latecomer::convert
