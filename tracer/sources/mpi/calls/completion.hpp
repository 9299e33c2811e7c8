// SPDX-License-Identifier: BSD-3-Clause
// Part of a recorded call: completion of requests.
#pragma once

#include <mpi.h>

#include "tracer/state/request.hpp"

namespace latecomer::mpi {

// Knows the requests of the call, which it holds while MPI completes them, and their statuses.
class CompletionCalls {
 public:
  void fortran();  // indices of requests count as in mpi_f08

  // Statuses that the tracer needs, even if the program ignores them.
  MPI_Status* own(MPI_Status* status) {
    return status != MPI_STATUS_IGNORE ? status : &own_status_;
  }
  MPI_Status* own(MPI_Status* statuses, int count) {
    const bool wanted = statuses != MPI_STATUS_IGNORE && statuses != MPI_STATUSES_IGNORE;
    return wanted ? statuses : replace(statuses, count);
  }

  // Completion: hold() copies the handles, which MPI overwrites.
  void hold(int count, const MPI_Request* requests);
  void completed(const MPI_Status* status);
  void completed_all(const MPI_Status* statuses);
  void completed_any(const int* index, const MPI_Status* status);
  void completed_some(const int* count, const int* indices, const MPI_Status* statuses);
  void completed_but_kept(const MPI_Status* status);
  void cancelled(const MPI_Request* request);
  void forget(const MPI_Request* request);

  // Records a receive that a request, or a matched message, has completed.
  void receive_complete(record::CommId comm, record::RequestId id, const MPI_Status& status,
                        int error);

 protected:
  CompletionCalls() = default;
  ~CompletionCalls() = default;

 private:
  friend class Call;
  static MPI_Status* replace(MPI_Status* statuses, int count);
  void claim();
  void release_claimed();
  void complete(int index, const MPI_Status& status, int error);
  void keep_place(const Request& request);
  void write_completion(const Request& request, const MPI_Status& status, int error);

  int index_base_ = 0;
  int held_ = 0;
  // entries of the requests that are held; null: only one thread calls MPI
  Request** claimed_ = nullptr;
  MPI_Status own_status_;
};

}  // namespace latecomer::mpi
