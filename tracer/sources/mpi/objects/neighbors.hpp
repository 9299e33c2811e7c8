// SPDX-License-Identifier: BSD-3-Clause
// Neighbors of this process in the topology of a communicator, and the data exchanged with them.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "tracer/sources/mpi/objects/volumes.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::mpi {

namespace neighbors {

// Asks MPI and, the first time, logs the sources. The lists are empty for a communicator without
// topology and for one that is not tracked. MT: any thread.
std::shared_ptr<const Neighbors> of(MPI_Comm comm);

// Forgets a communicator that was freed.
void forget(record::CommId comm);

}  // namespace neighbors

// Sum of bytes over the neighbors; `all` becomes false if there are none with one of them.
// `bytes_of(i)` returns the bytes with the i-th neighbor.
template <typename BytesOf>
std::uint64_t sum_over(const std::vector<int>& ranks, BytesOf&& bytes_of, bool& all) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == MPI_PROC_NULL) continue;
    const std::uint64_t more = bytes_of(i);
    all = all && more > 0;
    sum += more;
  }
  return sum;
}

template <typename Sent, typename Received>
Volume with_neighbors(MPI_Comm comm, Sent&& sent, Received&& received) {
  const auto known = neighbors::of(comm);
  Volume v{.all_positive = true, .neighborhood = true};
  bool any = true;
  v.sent = sum_over(known->destinations, sent, any);
  v.received = sum_over(known->sources, received, v.all_positive);
  return v;
}

// Volume of Neighbor_allgather and Neighbor_alltoall.
template <typename Count>
Volume neighbor_each(MPI_Comm comm, Count sendcount, MPI_Datatype sendtype, Count recvcount,
                     MPI_Datatype recvtype) {
  return with_neighbors(
      comm, [&](std::size_t) { return bytes(sendcount, sendtype); },
      [&](std::size_t) { return bytes(recvcount, recvtype); });
}

template <typename Count>
Volume neighbor_allgatherv(MPI_Comm comm, Count sendcount, MPI_Datatype sendtype,
                           const Count* recvcounts, MPI_Datatype recvtype) {
  return with_neighbors(
      comm, [&](std::size_t) { return bytes(sendcount, sendtype); },
      [&](std::size_t i) { return bytes(recvcounts[i], recvtype); });
}

template <typename Count>
Volume neighbor_alltoallv(MPI_Comm comm, const Count* sendcounts, MPI_Datatype sendtype,
                          const Count* recvcounts, MPI_Datatype recvtype) {
  return with_neighbors(
      comm, [&](std::size_t i) { return bytes(sendcounts[i], sendtype); },
      [&](std::size_t i) { return bytes(recvcounts[i], recvtype); });
}

template <typename Count>
Volume neighbor_alltoallw(MPI_Comm comm, const Count* sendcounts, const MPI_Datatype* sendtypes,
                          const Count* recvcounts, const MPI_Datatype* recvtypes) {
  return with_neighbors(
      comm, [&](std::size_t i) { return bytes(sendcounts[i], sendtypes[i]); },
      [&](std::size_t i) { return bytes(recvcounts[i], recvtypes[i]); });
}

}  // namespace latecomer::mpi
