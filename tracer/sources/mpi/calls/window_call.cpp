// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes that make and free windows.
#include "tracer/sources/mpi/calls/window_call.hpp"

#include "tracer/sources/mpi/calls/left_out.hpp"
#include "tracer/sources/mpi/calls/pending_calls.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"
#include "tracer/sources/mpi/objects/volumes.hpp"

namespace latecomer::mpi {

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
  writer_->live_state().left(session::now());
  writer_->leave(region_, session::now());
  if (left_out(region_)) writer_->end_left_out(requests::several_threads(), session::now());
}

int WindowCall::end() {
  ended_ = true;
  if (writer_ != nullptr) {
    const record::Ticks t = session::now();
    writer_->live_state().left(t);
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

void WindowCall::begin(MPI_Comm comm) {
  comm_ = writer_ == nullptr ? nullptr : communicators::find_to_count(comm);
  if (comm_ == nullptr) return;
  note_collective(*writer_, region_, time_, *comm_, kCreateHandle, record::kRootNone);
}

void WindowCall::created(MPI_Comm comm, const MPI_Win* win) {
  if (result_ != MPI_SUCCESS) return;
  if (comm_ != nullptr) count_collective(*writer_, *comm_);
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
  if (info_ == nullptr) return;
  handle_ = *win;
  if (writer_ == nullptr) return;
  begin_pending(*writer_, region_, time_, record::Awaited::kWindow, info_->id);
  writer_->live_state().end();
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
