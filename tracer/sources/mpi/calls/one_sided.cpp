// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes for one-sided communication: transfers and their completion.
#include <algorithm>

#include "tracer/sources/mpi/calls/call.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"
#include "tracer/sources/mpi/objects/windows.hpp"

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
WindowInfo* OneSidedCalls::transfer(MPI_Win win, int target, const MPI_Request* request,
                                    bool distant, record::RequestId& id) {
  Call& call = call_of(this);
  WindowInfo* window = call.failed() || target < 0 ? nullptr : windows::find(win);
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

void OneSidedCalls::put(MPI_Win win, int target, std::uint64_t bytes, const MPI_Request* request) {
  Call& call = call_of(this);
  record::RequestId id = 0;
  if (const auto* window = transfer(win, target, request, true, id); window != nullptr) {
    call.writer().rma_put({window->id, target, bytes}, id, call.entry());
  }
}

void OneSidedCalls::get(MPI_Win win, int target, std::uint64_t bytes, const MPI_Request* request) {
  Call& call = call_of(this);
  record::RequestId id = 0;
  if (const auto* window = transfer(win, target, request, false, id); window != nullptr) {
    call.writer().rma_get({window->id, target, bytes}, id, call.entry());
  }
}

void OneSidedCalls::atomic(std::uint32_t type, MPI_Win win, int target, std::uint64_t sent,
                           std::uint64_t received, const MPI_Request* request) {
  Call& call = call_of(this);
  record::RequestId id = 0;
  if (const auto* window = transfer(win, target, request, true, id); window != nullptr) {
    call.writer().rma_atomic({window->id, target, sent}, type, received, id, call.entry());
  }
}

// Completes the transfers to a target:
//
//   kHere    at the origin; they may still be under way (local flush)
//   kThere   at the target, too (flush, unlock)
//   kEpoch   by the end of the epoch, which completes them everywhere without further records
void OneSidedCalls::complete_transfers(WindowInfo& window, int target, Completion how) {
  Call& call = call_of(this);
  const auto found = window.transfers.find(target);
  if (found == window.transfers.end()) return;
  Transfers& t = found->second;
  if (t.open != 0) call.writer().rma_complete(window.id, t.open, call.time());
  if (how == Completion::kHere) {
    if (t.open != 0) t.distant.push_back(std::exchange(t.open, 0));
    return;
  }
  if (how == Completion::kThere) {
    if (t.open != 0) call.writer().rma_complete_remote(window.id, t.open, call.time());
    for (const auto id : t.distant) call.writer().rma_complete_remote(window.id, id, call.time());
  }
  window.transfers.erase(found);
}

void OneSidedCalls::complete_all_transfers(WindowInfo& window, Completion how) {
  if (window.transfers.empty()) return;
  for (const int target : targets(window)) complete_transfers(window, target, how);
}

// A fence certainly ends no epoch if it is the first one, or if the program asserts it.
void OneSidedCalls::fence(int assertion, MPI_Win win) {
  Call& call = call_of(this);
  WindowInfo* window = call.failed() ? nullptr : windows::find(win);
  if (window == nullptr) return;
  const bool ends = window->fenced && (assertion & MPI_MODE_NOPRECEDE) == 0;
  window->fenced = (assertion & MPI_MODE_NOSUCCEED) == 0;
  call.writer().rma_collective_begin(call.entry());
  {
    const std::lock_guard lock(window->mutex);
    complete_all_transfers(*window, Completion::kEpoch);
  }
  call.writer().rma_collective_end(
      window->id, kBarrier, ends ? record::kLevelProcess | record::kLevelMemory : 0, call.time());
}

void OneSidedCalls::open_epoch(MPI_Group group, MPI_Win win, bool access) {
  Call& call = call_of(this);
  WindowInfo* window = call.failed() ? nullptr : windows::find(win);
  if (window == nullptr) return;
  const std::uint32_t id = windows::group_of(group);
  (access ? window->access : window->exposure) = id;
  if (id != kNoGroup)
    call.writer().rma_group_sync(window->id, record::kLevelProcess, access, id, call.time());
}

void OneSidedCalls::close_epoch(MPI_Win win, bool access) {
  Call& call = call_of(this);
  WindowInfo* window = call.failed() ? nullptr : windows::find(win);
  if (window == nullptr) return;
  if (access) {
    const std::lock_guard lock(window->mutex);
    complete_all_transfers(*window, Completion::kEpoch);
  }
  const std::uint32_t id = std::exchange(access ? window->access : window->exposure, kNoGroup);
  if (id == kNoGroup) return;
  call.writer().rma_group_sync(window->id, record::kLevelProcess | record::kLevelMemory, access, id,
                               call.time());
}

void OneSidedCalls::lock(int type, int target, MPI_Win win) {
  Call& call = call_of(this);
  const WindowInfo* window =
      call.failed() || target == MPI_PROC_NULL ? nullptr : windows::find(win);
  if (window == nullptr) return;
  call.writer().rma_request_lock(window->id, recorded(target), type == MPI_LOCK_SHARED,
                                 call.entry());
}

void OneSidedCalls::unlock(int target, MPI_Win win) {
  Call& call = call_of(this);
  WindowInfo* window = call.failed() || target == MPI_PROC_NULL ? nullptr : windows::find(win);
  if (window == nullptr) return;
  flush(target, win, true);
  call.writer().rma_release_lock(window->id, recorded(target), call.time());
}

void OneSidedCalls::flush(int target, MPI_Win win, bool there) {
  Call& call = call_of(this);
  WindowInfo* window = call.failed() || target == MPI_PROC_NULL ? nullptr : windows::find(win);
  if (window == nullptr) return;
  const Completion how = there ? Completion::kThere : Completion::kHere;
  const std::lock_guard lock(window->mutex);
  if (target == kEveryTarget) {
    complete_all_transfers(*window, how);
  } else {
    complete_transfers(*window, target, how);
  }
}

void OneSidedCalls::sync(MPI_Win win) {
  Call& call = call_of(this);
  const WindowInfo* window = call.failed() ? nullptr : windows::find(win);
  if (window != nullptr) call.writer().rma_sync(window->id, window->rank, call.time());
}

}  // namespace latecomer::mpi
