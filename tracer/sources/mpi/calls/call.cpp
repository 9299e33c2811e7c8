// SPDX-License-Identifier: BSD-3-Clause
// The rare ways through a call: refused arguments, and exceptions of the program.
#include "tracer/sources/mpi/calls/call.hpp"

namespace latecomer::mpi {

bool Call::is_refusal(int error) {
  int code = MPI_SUCCESS;
  PMPI_Error_class(error, &code);
  switch (code) {
    case MPI_ERR_BUFFER:
    case MPI_ERR_COUNT:
    case MPI_ERR_TYPE:
    case MPI_ERR_TAG:
    case MPI_ERR_COMM:
    case MPI_ERR_RANK:
    case MPI_ERR_REQUEST:
    case MPI_ERR_ROOT:
    case MPI_ERR_OP:
    case MPI_ERR_ARG:
      return true;
    default:
      return false;
  }
}

void Call::leave_early() {
  if (claimed_ != nullptr) release_claimed();
  time_ = session::now();
  writer_->live_state().left(time_);
  writer_->leave(region_, time_);
  if (is_left_out_) end_left_out();
}

}  // namespace latecomer::mpi
