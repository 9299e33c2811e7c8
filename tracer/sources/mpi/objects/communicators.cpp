// SPDX-License-Identifier: BSD-3-Clause
// Tracks communicators. A communicator is identified by the world rank of its local rank 0 and a
// number that the latter counts. One broadcast per new communicator informs all members.
#include "tracer/sources/mpi/objects/communicators.hpp"

#include <atomic>
#include <climits>
#include <optional>
#include <string>
#include <vector>

#include "tracer/session/job/world.hpp"
#include "tracer/session/participants.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/sources/mpi/objects/neighbors.hpp"

namespace latecomer::mpi::communicators {

std::vector<std::uint32_t> world_ranks(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> from(static_cast<std::size_t>(size)), to(from.size());
  for (int i = 0; i < size; ++i) from[static_cast<std::size_t>(i)] = i;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(session::world_comm(), &world);
  PMPI_Group_translate_ranks(group, size, from.data(), world, to.data());
  PMPI_Group_free(&world);
  return {to.begin(), to.end()};
}

namespace {

CommunicatorState& state() { return process().mpi.communicators; }

std::vector<std::uint32_t> members(MPI_Comm comm, bool remote) {
  MPI_Group group = MPI_GROUP_NULL;
  if (remote) {
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  auto ranks = world_ranks(group);
  PMPI_Group_free(&group);
  return ranks;
}

const CommInfo* define(MPI_Comm comm, std::optional<record::CommId> parent, const CommName& name,
                       bool inter) {
  CommInfo* info = state().table.insert(key_of(comm));
  if (info == nullptr) return nullptr;
  *info = CommInfo{state().next_id.fetch_add(1)};
  PMPI_Comm_rank(comm, &info->rank);
  PMPI_Comm_size(comm, &info->size);
  if (inter) PMPI_Comm_remote_size(comm, &info->remote_size);
  info->everybody = !inter && state().one_at_a_time && info->size == state().world_size;
  record::CommDefinition definition;
  definition.id = info->id;
  definition.kind = inter ? "inter" : "intra";
  definition.owner = static_cast<std::uint32_t>(name.owner);
  definition.number = static_cast<std::uint32_t>(name.number);
  definition.parent = parent;
  if (name.owner == state().world_rank) {
    definition.members = members(comm, false);
    if (inter) definition.remote = members(comm, true);
  }
  session::define_comm(definition);
  return info;
}

std::optional<record::CommId> id_of(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return std::nullopt;
  const CommInfo* info = find(comm);
  return info == nullptr ? std::nullopt : std::optional(info->id);
}

// Processes of other worlds (spawned, connected) have no rank in this one.
bool is_foreign(const std::vector<std::uint32_t>& ranks) {
  for (const auto rank : ranks) {
    if (rank == static_cast<std::uint32_t>(MPI_UNDEFINED)) return true;
  }
  return false;
}

}  // namespace

void begin() {
  PMPI_Comm_rank(session::world_comm(), &state().world_rank);
  CommInfo* world = state().table.insert(key_of(MPI_COMM_WORLD));
  CommInfo* self = state().table.insert(key_of(MPI_COMM_SELF));
  if (world == nullptr || self == nullptr) return;
  PMPI_Comm_size(session::world_comm(), &state().world_size);
  *world = {kWorld, state().world_rank, state().world_size, 0, true};
  *self = {kSelf, 0, 1, 0, false};
  int *limit = nullptr, found = 0;
  PMPI_Comm_get_attr(session::world_comm(), MPI_TAG_UB, &limit, &found);
  state().tag_limit = found != 0 ? *limit : INT_MAX;
  int level = MPI_THREAD_MULTIPLE;
  PMPI_Query_thread(&level);
  state().one_at_a_time = level < MPI_THREAD_MULTIPLE;
  record::CommDefinition definition;
  definition.id = kWorld;
  definition.kind = "world";
  session::define_comm(definition);
  definition.id = kSelf;
  definition.kind = "self";
  definition.owner = static_cast<std::uint32_t>(state().world_rank);
  definition.number = 1;
  session::define_comm(definition);
  state().in_use = true;
}

void end() { state().in_use = false; }
bool known() { return state().in_use.load(std::memory_order_relaxed); }

std::uint32_t next_series(MPI_Comm comm) {
  CommInfo* info = state().table.find(key_of(comm));
  return info == nullptr ? 0 : ++info->series;
}

std::uint32_t next_window(MPI_Comm comm) {
  CommInfo* info = state().table.find(key_of(comm));
  return info == nullptr ? 0 : info->windows++;
}

std::uint32_t next_file(MPI_Comm comm) {
  CommInfo* info = state().table.find(key_of(comm));
  return info == nullptr ? 0 : info->files++;
}

const CommInfo* add(MPI_Comm fresh, MPI_Comm parent) {
  int inter = 0;
  PMPI_Comm_test_inter(fresh, &inter);
  MPI_Comm both = fresh;
  const auto here = members(fresh, false);
  if (is_foreign(here) || !session::all_recorded(here)) return nullptr;
  if (inter != 0) {
    // The side whose leader has the lower world rank comes first, so its rank 0 is the owner.
    const auto there = members(fresh, true);
    if (is_foreign(there) || !session::all_recorded(there)) return nullptr;
    PMPI_Intercomm_merge(fresh, here.front() > there.front() ? 1 : 0, &both);
  }
  int rank = 0;
  PMPI_Comm_rank(both, &rank);
  int name[2] = {state().world_rank, 0};
  if (rank == 0) name[1] = state().next_number.fetch_add(1);
  PMPI_Bcast(name, 2, MPI_INT, 0, both);
  if (inter != 0) PMPI_Comm_free(&both);
  return define(fresh, id_of(parent), {name[0], name[1]}, inter != 0);
}

void begin_naming(MPI_Comm parent, CommName* name, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  const CommInfo* info = find(parent);
  if (info == nullptr || !session::all_recorded(members(parent, false))) return;
  if (info->rank == 0) *name = {state().world_rank, state().next_number.fetch_add(1)};
  PMPI_Ibcast(name, 2, MPI_INT, 0, parent, request);
}

const CommInfo* finish_naming(MPI_Comm fresh, record::CommId parent, const CommName& name) {
  if (!session::all_recorded(members(fresh, false))) return nullptr;
  return define(fresh, parent, name, false);
}

void remove(MPI_Comm comm) {
  const CommInfo* info = find(comm);
  if (info == nullptr) return;
  neighbors::forget(info->id);
  state().table.erase(info);
}

void restore(MPI_Comm comm, const CommInfo& info) {
  if (CommInfo* again = state().table.insert(key_of(comm)); again != nullptr) *again = info;
}

void set_name(MPI_Comm comm) {
  const CommInfo* info = find(comm);
  if (info == nullptr || info->rank != 0) return;
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  if (PMPI_Comm_get_name(comm, name, &length) == MPI_SUCCESS) {
    session::name_comm(info->id, std::string(name, static_cast<std::size_t>(length)));
  }
}

}  // namespace latecomer::mpi::communicators
