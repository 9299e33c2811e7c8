// SPDX-License-Identifier: BSD-3-Clause
// Keeps requests whose handle many of them share.
#include "tracer/sources/mpi/objects/requests.hpp"

namespace latecomer::mpi {

bool requests::keep_shared(MPI_Request handle, Request::Kind kind, record::RequestId id,
                           record::CommId comm) {
  if (SharedRequests::of(handle).push(kind, id, comm)) return true;
  session::lost("requests");
  return false;
}

bool requests::keep_shared(MPI_Request handle, const Request& request) {
  if (SharedRequests::of(handle).push(request)) return true;
  session::lost("requests");
  return false;
}

}  // namespace latecomer::mpi
