// SPDX-License-Identifier: BSD-3-Clause
// Defines windows and groups.
#include "tracer/sources/mpi/objects/windows.hpp"

#include <string>

#include "tracer/session/process/session.hpp"

namespace latecomer::mpi {
namespace {

WindowState& state() { return process().mpi.windows; }

}  // namespace

namespace windows {

WindowInfo* add(MPI_Win win, MPI_Comm comm) {
  const CommInfo* in = communicators::find(comm);
  if (in == nullptr) return nullptr;
  WindowInfo** slot = state().table.insert(key_of(win));
  if (slot == nullptr) return nullptr;
  *slot = new WindowInfo;
  (*slot)->id = state().next_id.fetch_add(1);
  (*slot)->rank = in->rank;
  (*slot)->size = in->size;
  session::define_window({(*slot)->id, in->id, communicators::next_window(comm)});
  return *slot;
}

WindowInfo* find(MPI_Win win) {
  WindowInfo** slot = state().table.find(key_of(win));
  return slot == nullptr ? nullptr : *slot;
}

WindowInfo* remove(MPI_Win win) {
  WindowInfo** slot = state().table.find(key_of(win));
  if (slot == nullptr) return nullptr;
  WindowInfo* const info = *slot;
  state().table.erase(slot);
  return info;
}

void restore(MPI_Win win, WindowInfo* info) {
  if (WindowInfo** slot = state().table.insert(key_of(win)); slot != nullptr) *slot = info;
}

void set_name(MPI_Win win) {
  const WindowInfo* info = find(win);
  if (info == nullptr || info->rank != 0) return;
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  if (PMPI_Win_get_name(win, name, &length) == MPI_SUCCESS) {
    session::name_window(info->id, std::string(name, static_cast<std::size_t>(length)));
  }
}

std::uint32_t group_of(MPI_Group group) {
  std::vector<std::uint32_t> members = communicators::world_ranks(group);
  for (const auto member : members) {
    if (member == static_cast<std::uint32_t>(MPI_UNDEFINED)) return kNoGroup;
  }
  const std::lock_guard lock(state().groups_mutex);
  auto& groups = state().groups.get();
  const auto [known, fresh] =
      groups.try_emplace(std::move(members), static_cast<std::uint32_t>(groups.size()));
  if (fresh) session::define_group({known->second, known->first});
  return known->second;
}

}  // namespace windows

}  // namespace latecomer::mpi
