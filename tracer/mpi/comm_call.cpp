// SPDX-License-Identifier: BSD-3-Clause
// The words of the recipes that make, name and free communicators.
#include "tracer/mpi/call.hpp"
#include "tracer/mpi/requests.hpp"

namespace latecomer::mpi {

bool CommCall::wanted() {
  if (session::detail::thread_state.suspended) return false;
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0 && communicators::find(MPI_COMM_WORLD) != nullptr;
}

CommCall::CommCall(RegionId region) : writer_(session::writer()), region_(region) {
  if (writer_ == nullptr) return;
  time_ = session::now();
  writer_->enter(region, time_);
}

int CommCall::end() {
  if (writer_ != nullptr) {
    const Ticks t = session::now();
    if (fresh_ != communicators::kNone) writer_->comm_create(fresh_, t);
    if (op_ == kDestroyHandle) writer_->comm_destroy(comm_, t);
    if (op_ != 0) writer_->collective_end({comm_, op_, record::kRootNone, 0, 0}, t);
    writer_->leave(region_, t);
  }
  return result_;
}

void CommCall::begin(MPI_Comm parent) {
  const CommInfo* info = parent == MPI_COMM_NULL ? nullptr : communicators::find(parent);
  if (info != nullptr) comm_ = info->id;
  if (writer_ != nullptr) writer_->collective_begin(time_);
}

void CommCall::finish(record::CommId on, std::uint32_t op) {
  comm_ = on;
  op_ = op;
}

void CommCall::created(MPI_Comm parent, MPI_Comm fresh) {
  if (result_ == MPI_SUCCESS && fresh != MPI_COMM_NULL && comm_ != communicators::kNone) {
    const session::Suspend inside(writer_);
    const CommInfo* info = communicators::add(fresh, parent);
    if (info != nullptr) fresh_ = info->id;
  }
  finish(comm_ == communicators::kNone ? kSelf : comm_, kCreateHandle);
}

void CommCall::created_alone(MPI_Comm parent, MPI_Comm fresh) {
  if (result_ == MPI_SUCCESS && fresh != MPI_COMM_NULL) {
    const session::Suspend inside(writer_);
    const CommInfo* info = communicators::add(fresh, parent);
    if (info != nullptr) fresh_ = info->id;
  }
  finish(fresh_ == communicators::kNone ? kSelf : fresh_, kCreateHandle);
}

void CommCall::begin_idup(MPI_Comm parent) {
  const CommInfo* info = communicators::find(parent);
  if (info == nullptr) return;
  comm_ = info->id;
  request_ = requests::next_id();
  if (writer_ != nullptr) writer_->nonblocking_request(request_, time_);
}

void CommCall::keep_idup(MPI_Comm parent, MPI_Comm* fresh, const MPI_Request* request) {
  if (comm_ == communicators::kNone || result_ != MPI_SUCCESS) return;
  Request* slot = requests::table().insert(key_of(*request));
  if (slot == nullptr) return;
  *slot = Request{};
  slot->kind = Request::Kind::kDuplication;
  slot->active = true;
  slot->id = request_;
  slot->collective = {comm_, kCreateHandle, record::kRootNone, 0, 0};
  slot->duplication = new Duplication{fresh, comm_, {}, MPI_REQUEST_NULL};
  const session::Suspend inside(writer_);
  communicators::begin_naming(parent, &slot->duplication->name, &slot->duplication->naming);
}

void CommCall::begin_free(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  comm_ = communicators::remove(comm);
  if (writer_ != nullptr) writer_->collective_begin(time_);
}

void CommCall::freed() {
  if (comm_ != communicators::kNone) op_ = kDestroyHandle;
}

void CommCall::named(MPI_Comm comm) {
  if (result_ == MPI_SUCCESS) communicators::set_name(comm);
}

}  // namespace latecomer::mpi
