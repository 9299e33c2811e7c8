// SPDX-License-Identifier: BSD-3-Clause
// Defines windows and groups, and implements the calls that make and free windows.
#include "tracer/mpi/windows.hpp"

#include <string>

#include "tracer/mpi/call.hpp"
#include "tracer/mpi/requests.hpp"
#include "tracer/mpi/volumes.hpp"

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

WindowCall::WindowCall(record::RegionId region) : writer_(session::writer()), region_(region) {
  if (writer_ == nullptr) return;
  time_ = session::now();
  if (left_out(region)) writer_->begin_left_out();
  writer_->enter(region, time_);
}

WindowCall::~WindowCall() {
  if (ended_) [[likely]]
    return;
  if (handle_ != MPI_WIN_NULL) windows::restore(handle_, info_);
  if (writer_ == nullptr) return;
  writer_->leave(region_, session::now());
  if (left_out(region_)) writer_->end_left_out(requests::several_threads(), session::now());
}

int WindowCall::end() {
  ended_ = true;
  if (writer_ != nullptr) {
    const record::Ticks t = session::now();
    if (op_ != 0) {
      // The begin is recorded only now, when it is known that the call succeeded.
      const bool made = op_ == kCreateHandle || op_ == kCreateHandleAndAllocate;
      writer_->rma_collective_begin(time_);
      made ? writer_->window_create(info_->id, t) : writer_->window_destroy(info_->id, t);
      writer_->rma_collective_end(info_->id, op_, record::kLevelProcess, t);
    }
    writer_->leave(region_, t);
    if (left_out(region_)) writer_->end_left_out(requests::several_threads(), t);
  }
  if (op_ == kDestroyHandle) delete info_;
  return result_;
}

void WindowCall::created(MPI_Comm comm, const MPI_Win* win) {
  if (result_ != MPI_SUCCESS) return;
  const session::Suspend inside(writer_);
  info_ = windows::add(*win, comm);
  if (info_ != nullptr) op_ = kCreateHandle;
}

void WindowCall::allocated(MPI_Comm comm, const MPI_Win* win) {
  created(comm, win);
  if (op_ != 0) op_ = kCreateHandleAndAllocate;
}

void WindowCall::begin_free(const MPI_Win* win) {
  if (win == nullptr) return;
  info_ = windows::remove(*win);  // before MPI can reuse the handle
  if (info_ != nullptr) handle_ = *win;
}

void WindowCall::freed() {
  if (handle_ == MPI_WIN_NULL) return;
  if (result_ != MPI_SUCCESS) {
    windows::restore(handle_, info_);
  } else {
    op_ = kDestroyHandle;
  }
  handle_ = MPI_WIN_NULL;
}

}  // namespace latecomer::mpi
