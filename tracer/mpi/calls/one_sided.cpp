// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes for one-sided communication: transfers and their completion.
#include <algorithm>

#include "tracer/mpi/calls/call.hpp"
#include "tracer/mpi/objects/requests.hpp"
#include "tracer/mpi/objects/windows.hpp"

namespace latecomer::mpi {
namespace {

// Targets with open transfers, sorted, because records must not depend on the order of a hash
// table.
std::vector<int> targets(const WindowInfo& window) {
  std::vector<int> out;
  for (const auto& [target, transfers] : window.transfers) out.push_back(target);
  std::ranges::sort(out);
  return out;
}

std::int32_t recorded(int target) { return target == kEveryTarget ? record::kEverybody : target; }

}  // namespace

// The window of a transfer, or null if nothing is recorded.
WindowInfo* Call::transfer(MPI_Win win, int target, const MPI_Request* request, bool distant,
                           record::RequestId& id) {
  WindowInfo* window = failed() || target < 0 ? nullptr : windows::find(win);
  if (window == nullptr || target >= window->size) return nullptr;
  const std::lock_guard lock(window->mutex);
  Transfers& transfers = window->transfers[target];
  if (request != nullptr) {
    id = requests::next_id();
    if (distant) transfers.distant.push_back(id);
    requests::keep(request, {.kind = Request::Kind::kOneSided, .id = id, .message = {window->id}});
  } else {
    if (transfers.open == 0) transfers.open = requests::next_id();
    id = transfers.open;
  }
  return window;
}

void Call::put(MPI_Win win, int target, std::uint64_t bytes, const MPI_Request* request) {
  record::RequestId id = 0;
  if (const auto* window = transfer(win, target, request, true, id); window != nullptr) {
    writer_->rma_put({window->id, target, bytes}, id, entry_);
  }
}

void Call::get(MPI_Win win, int target, std::uint64_t bytes, const MPI_Request* request) {
  record::RequestId id = 0;
  if (const auto* window = transfer(win, target, request, false, id); window != nullptr) {
    writer_->rma_get({window->id, target, bytes}, id, entry_);
  }
}

void Call::atomic(std::uint32_t type, MPI_Win win, int target, std::uint64_t sent,
                  std::uint64_t received, const MPI_Request* request) {
  record::RequestId id = 0;
  if (const auto* window = transfer(win, target, request, true, id); window != nullptr) {
    writer_->rma_atomic({window->id, target, sent}, type, received, id, entry_);
  }
}

// Completes the transfers to a target:
//
//   kHere    at the origin; they may still be under way (local flush)
//   kThere   at the target, too (flush, unlock)
//   kEpoch   by the end of the epoch, which completes them everywhere without further records
void Call::complete_transfers(WindowInfo& window, int target, Completion how) {
  const auto found = window.transfers.find(target);
  if (found == window.transfers.end()) return;
  Transfers& t = found->second;
  if (t.open != 0) writer_->rma_complete(window.id, t.open, time_);
  if (how == Completion::kHere) {
    if (t.open != 0) t.distant.push_back(std::exchange(t.open, 0));
    return;
  }
  if (how == Completion::kThere) {
    if (t.open != 0) writer_->rma_complete_remote(window.id, t.open, time_);
    for (const auto id : t.distant) writer_->rma_complete_remote(window.id, id, time_);
  }
  window.transfers.erase(found);
}

void Call::complete_all_transfers(WindowInfo& window, Completion how) {
  if (window.transfers.empty()) return;
  for (const int target : targets(window)) complete_transfers(window, target, how);
}

// A fence certainly ends no epoch if it is the first one, or if the program asserts it.
void Call::fence(int assertion, MPI_Win win) {
  WindowInfo* window = failed() ? nullptr : windows::find(win);
  if (window == nullptr) return;
  const bool ends = window->fenced && (assertion & MPI_MODE_NOPRECEDE) == 0;
  window->fenced = (assertion & MPI_MODE_NOSUCCEED) == 0;
  writer_->rma_collective_begin(entry_);
  {
    const std::lock_guard lock(window->mutex);
    complete_all_transfers(*window, Completion::kEpoch);
  }
  writer_->rma_collective_end(window->id, kBarrier,
                              ends ? record::kLevelProcess | record::kLevelMemory : 0, time_);
}

void Call::open_epoch(MPI_Group group, MPI_Win win, bool access) {
  WindowInfo* window = failed() ? nullptr : windows::find(win);
  if (window == nullptr) return;
  const std::uint32_t id = windows::group_of(group);
  (access ? window->access : window->exposure) = id;
  if (id != kNoGroup) writer_->rma_group_sync(window->id, record::kLevelProcess, access, id, time_);
}

void Call::close_epoch(MPI_Win win, bool access) {
  WindowInfo* window = failed() ? nullptr : windows::find(win);
  if (window == nullptr) return;
  if (access) {
    const std::lock_guard lock(window->mutex);
    complete_all_transfers(*window, Completion::kEpoch);
  }
  const std::uint32_t id = std::exchange(access ? window->access : window->exposure, kNoGroup);
  if (id == kNoGroup) return;
  writer_->rma_group_sync(window->id, record::kLevelProcess | record::kLevelMemory, access, id,
                          time_);
}

void Call::lock(int type, int target, MPI_Win win) {
  const WindowInfo* window = failed() || target == MPI_PROC_NULL ? nullptr : windows::find(win);
  if (window == nullptr) return;
  writer_->rma_request_lock(window->id, recorded(target), type == MPI_LOCK_SHARED, entry_);
}

void Call::unlock(int target, MPI_Win win) {
  WindowInfo* window = failed() || target == MPI_PROC_NULL ? nullptr : windows::find(win);
  if (window == nullptr) return;
  flush(target, win, true);
  writer_->rma_release_lock(window->id, recorded(target), time_);
}

void Call::flush(int target, MPI_Win win, bool there) {
  WindowInfo* window = failed() || target == MPI_PROC_NULL ? nullptr : windows::find(win);
  if (window == nullptr) return;
  const Completion how = there ? Completion::kThere : Completion::kHere;
  const std::lock_guard lock(window->mutex);
  if (target == kEveryTarget) {
    complete_all_transfers(*window, how);
  } else {
    complete_transfers(*window, target, how);
  }
}

void Call::sync(MPI_Win win) {
  const WindowInfo* window = failed() ? nullptr : windows::find(win);
  if (window != nullptr) writer_->rma_sync(window->id, window->rank, time_);
}

}  // namespace latecomer::mpi
