// SPDX-License-Identifier: BSD-3-Clause
// Part of a recorded call: blocking and nonblocking messages.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace latecomer::mpi {

// Records messages of the call (call.hpp).
class MessageCalls {
 public:
  // Blocking point-to-point. A send of known size is recorded before the call, so that a process
  // that was killed in it shows the receiver; otherwise after the call.
  void send(int dest, int tag, MPI_Comm comm, std::uint64_t bytes);
  // Records the send if send() did not know its size; only then calls `bytes`.
  template <typename Bytes>
  void sent(int dest, int tag, MPI_Comm comm, Bytes&& bytes) {
    if (!sent_) [[unlikely]]
      send(dest, tag, comm, bytes());
  }
  // A buffered send is local. It is recorded after the call, since MPI refuses it if there is no
  // room.
  void buffered(int dest, int tag, MPI_Comm comm, std::uint64_t bytes);
  void received(MPI_Comm comm, const MPI_Status* status);

  // Nonblocking: the request is known after the call.
  void isend(int dest, int tag, MPI_Comm comm, std::uint64_t bytes, const MPI_Request* request);
  void irecv(int source, int tag, MPI_Comm comm, const MPI_Request* request);
  void isendrecv(int dest, int send_tag, std::uint64_t sent, int source, int receive_tag,
                 std::uint64_t room, MPI_Comm comm, const MPI_Request* request);

 protected:
  MessageCalls() = default;
  ~MessageCalls() = default;

 private:
  bool sent_ = false;  // the send is recorded, if there was anything to send
};

}  // namespace latecomer::mpi
