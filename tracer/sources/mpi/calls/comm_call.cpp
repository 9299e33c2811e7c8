// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes that make, name and free communicators.
#include "tracer/sources/mpi/calls/comm_call.hpp"

#include "tracer/sources/mpi/calls/left_out.hpp"
#include "tracer/sources/mpi/calls/pending_calls.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"
#include "tracer/sources/mpi/objects/volumes.hpp"

namespace latecomer::mpi {

bool CommCall::wanted() { return communicators::known() || sessions_only(); }

void CommCall::begin_with_session(const MPI_Comm* fresh) {
  if (result_ != MPI_SUCCESS || !sessions_only()) return;
  const Ticks begin = session::now();
  if (!start_with_session(*fresh)) return;
  begins_ = true;
  if (writer_ == nullptr || (writer_ = session::writer()) == nullptr) return;
  const RegionId region = session::define_clock_measurement();
  const Ticks t = session::now();
  writer_->enter(region, begin);
  writer_->leave(region, t);
  writer_->comm_create(kWorld, t);
  writer_->comm_create(kSelf, t);
}

CommCall::CommCall(RegionId region) : writer_(session::writer()), region_(region) {
  if (writer_ == nullptr) return;
  time_ = session::now();
  if (left_out(region)) writer_->begin_left_out();
  writer_->enter(region, time_);
}

void CommCall::leave_early() {
  if (handle_ != MPI_COMM_NULL) communicators::restore(handle_, freed_);
  if (writer_ == nullptr) return;
  writer_->live_state().left(session::now());
  writer_->leave(region_, session::now());
  if (left_out(region_)) writer_->end_left_out(requests::several_threads(), session::now());
}

// Notes what the call waits for: the members of the communicator. Without one, the observer only
// learns which call it is.
void CommCall::note(MPI_Comm parent, std::uint32_t op) {
  noted_ = parent == MPI_COMM_NULL ? nullptr : communicators::find_to_count(parent);
  if (noted_ != nullptr) {
    note_collective(*writer_, region_, time_, *noted_, op, record::kRootNone);
  } else {
    begin_pending(*writer_, region_, time_, record::Awaited::kNothing, 0);
    writer_->live_state().end();
  }
}

int CommCall::end() {
  ended_ = true;
  if (writer_ != nullptr) {
    const Ticks t = session::now();
    writer_->live_state().left(t);
    if (fresh_ != communicators::kNone) writer_->comm_create(fresh_, t);
    if (op_ == kDestroyHandle) writer_->comm_destroy(comm_, t);
    if (op_ != 0) writer_->collective_end({comm_, op_, record::kRootNone, 0, 0}, t);
    writer_->leave(region_, t);
    if (left_out(region_)) writer_->end_left_out(requests::several_threads(), t);
  }
  return result_;
}

void CommCall::begin(MPI_Comm parent) {
  const CommInfo* info = parent == MPI_COMM_NULL ? nullptr : communicators::find(parent);
  if (info != nullptr) comm_ = info->id;
  if (writer_ != nullptr) note(parent, kCreateHandle);
  // Nothing may stand between begin and end, but something does if recording begins in this call.
  if (writer_ != nullptr && !sessions_only()) writer_->collective_begin(time_);
}

void CommCall::add(MPI_Comm parent, const MPI_Comm* fresh) {
  if (*fresh == MPI_COMM_NULL) return;
  const session::Suspend inside(writer_);
  const CommInfo* info = communicators::add(*fresh, parent);
  if (info != nullptr) fresh_ = info->id;
}

void CommCall::created(MPI_Comm parent, const MPI_Comm* fresh) {
  if (result_ != MPI_SUCCESS || comm_ == communicators::kNone) return;
  if (noted_ != nullptr) count_collective(*writer_, *noted_);
  add(parent, fresh);
  op_ = kCreateHandle;
}

void CommCall::created_alone(MPI_Comm parent, const MPI_Comm* fresh) {
  if (result_ != MPI_SUCCESS || !communicators::known()) return;
  add(parent, fresh);
  comm_ = fresh_ == communicators::kNone ? kSelf : fresh_;
  if (!begins_) op_ = kCreateHandle;
}

// All members broadcast the name beside the operation, whether they record or not.
void CommCall::duplicating(MPI_Comm parent, MPI_Comm* fresh, const MPI_Request* request) {
  const CommInfo* info = result_ == MPI_SUCCESS ? communicators::find(parent) : nullptr;
  if (info == nullptr) return;
  // Naming both sides of an intercommunicator needs a merge, which blocks.
  if (info->remote_size != 0) return session::lost("communicators");
  Request started{
      .kind = Request::Kind::kDuplication,
      .id = requests::next_id(),
      .collective = {info->id, kCreateHandle, record::kRootNone, 0, 0},
      .duplication = new Duplication{fresh, MPI_COMM_NULL, info->id, {}, MPI_REQUEST_NULL}};
#if defined(OPEN_MPI)
  started.duplication->known = *fresh;
  started.duplication->fresh = &started.duplication->known;
#endif
  if (writer_ != nullptr) {
    count_collective(*writer_, *communicators::find_to_count(parent));
    writer_->nonblocking_request(started.id, time_);
  }
  communicators::begin_naming(parent, &started.duplication->name, &started.duplication->naming);
  requests::keep(request, started);
}

void CommCall::begin_free(const MPI_Comm* comm) {
  const CommInfo* info = comm == nullptr ? nullptr : communicators::find(*comm);
  if (info != nullptr) {
    if (writer_ != nullptr) note(*comm, kDestroyHandle);
    handle_ = *comm;
    freed_ = *info;
    communicators::remove(handle_);  // before MPI can reuse the handle
  }
  if (writer_ != nullptr) writer_->collective_begin(time_);
}

void CommCall::freed() {
  if (handle_ == MPI_COMM_NULL) return;
  if (result_ != MPI_SUCCESS) return communicators::restore(handle_, freed_);
  comm_ = freed_.id;
  op_ = kDestroyHandle;
}

void CommCall::named(MPI_Comm comm) {
  if (result_ == MPI_SUCCESS) communicators::set_name(comm);
}

}  // namespace latecomer::mpi
