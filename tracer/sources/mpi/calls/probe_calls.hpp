// SPDX-License-Identifier: BSD-3-Clause
// Part of a recorded call: matched probes.
#pragma once

#include <mpi.h>

#include "tracer/record/writer.hpp"

namespace latecomer::mpi {

// The probe matches the message, so the message takes its place in the order of receives there.
class ProbeCalls {
 public:
  void message_matched(MPI_Comm comm, const MPI_Message* message);
  void hold_message(const MPI_Message* message);
  void message_received(const MPI_Status* status);
  void keep_message(const MPI_Request* request);

 protected:
  ProbeCalls() = default;
  ~ProbeCalls() = default;

 private:
  record::RequestId message_ = 0;  // id of a matched message
  record::CommId message_comm_ = 0;
};

}  // namespace latecomer::mpi
