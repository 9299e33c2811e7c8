// SPDX-License-Identifier: BSD-3-Clause
// Bytes that a process sends and receives in a collective operation, as if it consisted of
// point-to-point messages. A process's message to itself counts, except with MPI_IN_PLACE.
//
//   MPI_Allgather, 4 processes, 100 bytes each    sent 400    received 400
//   with MPI_IN_PLACE                             sent 300    received 300
#pragma once

#include <mpi.h>

#include <cstdint>

#include "tracer/sources/mpi/objects/communicators.hpp"

namespace latecomer::mpi {

// OTF2's codes of collective operations.
enum CollectiveOp : std::uint32_t {
  kBarrier,
  kBcast,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kAllreduce,
  kReduce,
  kReduceScatter,
  kScan,
  kExscan,
  kReduceScatterBlock,
  kCreateHandle,
  kDestroyHandle,
  kCreateHandleAndAllocate = 21,
  // Operations without a code, which are not recorded as collective ones (record/live_state.hpp).
  kOpenFile = 100,
  kJoinOthers = 101,
};
// OTF2's types of atomic operations.
enum AtomicType : std::uint32_t {
  kAccumulate = 0,
  kCompareAndSwap = 3,
  kSwap = 4,
  kFetchAndAdd = 5,
  kFetchAndAccumulate = 7,
};
inline AtomicType fetching(MPI_Op op) {
  return op == MPI_REPLACE ? kSwap : op == MPI_SUM ? kFetchAndAdd : kFetchAndAccumulate;
}
inline constexpr int kEveryTarget = -1000;  // for locks and flushes; MPI_PROC_NULL may be -1

inline constexpr int kNoRoot = -1000;  // no root in this operation

struct Volume {
  std::uint64_t sent = 0, received = 0;
  // Alltoallv, Alltoallw: data goes to and comes from every partner. Neighborhood operations: data
  // comes from every source.
  bool all_positive = false;
  bool neighborhood = false;
};

inline constexpr std::uint64_t kUnknownBytes = ~std::uint64_t{0};

// Size of a datatype if MPICH's handle contains it, otherwise kUnknownBytes. Bits 30..31 of a
// handle are its kind (1 = builtin), 26..29 the kind of its object (3 = datatype), 8..15 the size.
inline std::uint64_t builtin_size(MPI_Datatype type) {
#if defined(MPICH_VERSION)
  const auto handle = static_cast<std::uint32_t>(type);
  if (handle >> 30 == 1 && (handle >> 26 & 0xf) == 3) return handle >> 8 & 0xff;
#else
  static_cast<void>(type);
#endif
  return kUnknownBytes;
}

// Bytes of arguments that MPI has not checked yet. PMPI_Type_size would call the program's error
// handler for an invalid datatype.
template <typename Count>
std::uint64_t builtin_bytes(const void* data, Count count, MPI_Datatype type) {
  const std::uint64_t size = builtin_size(type);
  if (size == kUnknownBytes || count < 0 || (data == nullptr && count > 0)) return kUnknownBytes;
  return static_cast<std::uint64_t>(count) * size;
}

// Bytes of arguments that MPI has accepted. If there are no elements, the datatype may be invalid.
template <typename Count>
std::uint64_t bytes(Count count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return 0;
  const std::uint64_t known = builtin_size(type);
  if (known != kUnknownBytes) return static_cast<std::uint64_t>(count) * known;
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

// Bytes that an atomic operation sends. With MPI_NO_OP it only reads, and the arguments of the
// origin have no meaning.
template <typename Count>
std::uint64_t origin_bytes(MPI_Op op, Count count, MPI_Datatype type) {
  return op == MPI_NO_OP ? 0 : bytes(count, type);
}

// This process's view of the communicator of an operation.
struct Side {
  explicit Side(MPI_Comm comm) {
    const CommInfo* info = communicators::find(comm);
    if (info == nullptr || !is_still(*info, comm)) return;
    me = static_cast<std::uint64_t>(info->rank);
    n = static_cast<std::uint64_t>(info->remote_size != 0 ? info->remote_size : info->size);
    inter = info->remote_size != 0;
  }
  [[nodiscard]] bool is_root(int root) const {
    return inter ? root == MPI_ROOT : root == static_cast<int>(me);
  }
  [[nodiscard]] bool bystander(int root) const { return inter && root == MPI_PROC_NULL; }
  // Number of partners with which data is exchanged: all, or all others.
  [[nodiscard]] std::uint64_t partners(bool in_place) const {
    return in_place && n > 0 ? n - 1 : n;
  }

  std::uint64_t me = 0, n = 0;
  bool inter = false;

 private:
  // The recipes read as many counts as there are processes. The handle must therefore not belong to
  // another communicator: PMPI calls of the program may have freed it and made it anew.
  static bool is_still(const CommInfo& info, MPI_Comm comm) {
    int size = 0, remote = 0;
    PMPI_Comm_size(comm, &size);
    if (size != info.size || info.remote_size == 0) return size == info.size;
    PMPI_Comm_test_inter(comm, &remote);
    if (remote != 0) PMPI_Comm_remote_size(comm, &remote);
    return remote == info.remote_size;
  }
};

inline Volume broadcast(MPI_Comm comm, int root, std::uint64_t unit) {
  const Side s(comm);
  if (s.bystander(root)) return {};
  if (!s.is_root(root)) return {0, unit};
  return {s.n * unit, s.inter ? 0 : unit};
}

inline Volume reduce(MPI_Comm comm, int root, const void* sendbuf, std::uint64_t unit) {
  const Side s(comm);
  if (s.bystander(root)) return {};
  if (!s.is_root(root)) return {unit, 0};
  const bool in_place = sendbuf == MPI_IN_PLACE;
  return {in_place || s.inter ? 0 : unit, s.partners(in_place) * unit};
}

inline Volume allreduce(MPI_Comm comm, const void* sendbuf, std::uint64_t unit) {
  const std::uint64_t total = Side(comm).partners(sendbuf == MPI_IN_PLACE) * unit;
  return {total, total};
}

inline Volume scan(MPI_Comm comm, const void* sendbuf, std::uint64_t unit) {
  const Side s(comm);
  const std::uint64_t own = sendbuf == MPI_IN_PLACE ? 0 : 1;
  return {(s.n - s.me - 1 + own) * unit, (s.me + own) * unit};
}

inline Volume exscan(MPI_Comm comm, std::uint64_t unit) {
  const Side s(comm);
  return {(s.n - s.me - 1) * unit, s.me * unit};
}

template <typename Count>
Volume gather(MPI_Comm comm, int root, const void* sendbuf, Count sendcount, MPI_Datatype sendtype,
              Count recvcount, MPI_Datatype recvtype) {
  const Side s(comm);
  if (s.bystander(root)) return {};
  const bool root_here = s.is_root(root);
  const bool in_place = root_here && sendbuf == MPI_IN_PLACE;
  Volume v;
  if (!in_place && !(s.inter && root_here)) v.sent = bytes(sendcount, sendtype);
  if (root_here) v.received = s.partners(in_place) * bytes(recvcount, recvtype);
  return v;
}

template <typename Count>
Volume scatter(MPI_Comm comm, int root, Count sendcount, MPI_Datatype sendtype, const void* recvbuf,
               Count recvcount, MPI_Datatype recvtype) {
  const Side s(comm);
  if (s.bystander(root)) return {};
  const bool root_here = s.is_root(root);
  const bool in_place = root_here && recvbuf == MPI_IN_PLACE;
  Volume v;
  if (root_here) v.sent = s.partners(in_place) * bytes(sendcount, sendtype);
  if (!in_place && !(s.inter && root_here)) v.received = bytes(recvcount, recvtype);
  return v;
}

// Sum over the counts of all partners, without this process if `skip_own` (MPI_IN_PLACE).
template <typename Count>
std::uint64_t sum(const Side& s, const Count* counts, MPI_Datatype type, bool skip_own) {
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < s.n; ++i) {
    if (counts[i] > 0 && !(skip_own && i == s.me)) total += static_cast<std::uint64_t>(counts[i]);
  }
  return bytes(static_cast<MPI_Count>(total), type);
}

template <typename Count>
Volume gatherv(MPI_Comm comm, int root, const void* sendbuf, Count sendcount, MPI_Datatype sendtype,
               const Count* recvcounts, MPI_Datatype recvtype) {
  const Side s(comm);
  if (s.bystander(root)) return {};
  const bool root_here = s.is_root(root);
  const bool in_place = root_here && sendbuf == MPI_IN_PLACE;
  Volume v;
  if (!in_place && !(s.inter && root_here)) v.sent = bytes(sendcount, sendtype);
  if (root_here) v.received = sum(s, recvcounts, recvtype, in_place);
  return v;
}

template <typename Count>
Volume scatterv(MPI_Comm comm, int root, const Count* sendcounts, MPI_Datatype sendtype,
                const void* recvbuf, Count recvcount, MPI_Datatype recvtype) {
  const Side s(comm);
  if (s.bystander(root)) return {};
  const bool root_here = s.is_root(root);
  const bool in_place = root_here && recvbuf == MPI_IN_PLACE;
  Volume v;
  if (root_here) v.sent = sum(s, sendcounts, sendtype, in_place);
  if (!in_place && !(s.inter && root_here)) v.received = bytes(recvcount, recvtype);
  return v;
}

// Volume of Allgather and Alltoall.
template <typename Count>
Volume all_to_all(MPI_Comm comm, const void* sendbuf, Count sendcount, MPI_Datatype sendtype,
                  Count recvcount, MPI_Datatype recvtype) {
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const std::uint64_t n = Side(comm).partners(in_place);
  const std::uint64_t received = n * bytes(recvcount, recvtype);
  return {in_place ? received : n * bytes(sendcount, sendtype), received};
}

template <typename Count>
Volume allgatherv(MPI_Comm comm, const void* sendbuf, Count sendcount, MPI_Datatype sendtype,
                  const Count* recvcounts, MPI_Datatype recvtype) {
  const Side s(comm);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const std::uint64_t own =
      in_place ? bytes(recvcounts[s.me], recvtype) : bytes(sendcount, sendtype);
  return {s.partners(in_place) * own, sum(s, recvcounts, recvtype, in_place)};
}

// True if some data goes to, or comes from, every partner. `type` returns the datatype of a
// partner.
template <typename Count, typename Type>
bool all_positive(const Side& s, const Count* counts, Type&& type) {
  for (std::uint64_t i = 0; i < s.n; ++i) {
    if (bytes(counts[i], type(i)) == 0) return false;
  }
  return s.n > 0;
}

template <typename Count>
Volume alltoallv(MPI_Comm comm, const void* sendbuf, const Count* sendcounts, MPI_Datatype sendtype,
                 const Count* recvcounts, MPI_Datatype recvtype) {
  const Side s(comm);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const std::uint64_t received = sum(s, recvcounts, recvtype, in_place);
  const auto of = [](MPI_Datatype type) { return [type](std::uint64_t) { return type; }; };
  return {in_place ? received : sum(s, sendcounts, sendtype, false), received,
          all_positive(s, recvcounts, of(recvtype)) &&
              (in_place || all_positive(s, sendcounts, of(sendtype)))};
}

template <typename Count>
std::uint64_t sum(const Side& s, const Count* counts, const MPI_Datatype* types, bool skip_own) {
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < s.n; ++i) {
    if (!(skip_own && i == s.me)) total += bytes(counts[i], types[i]);
  }
  return total;
}

template <typename Count>
Volume alltoallw(MPI_Comm comm, const void* sendbuf, const Count* sendcounts,
                 const MPI_Datatype* sendtypes, const Count* recvcounts,
                 const MPI_Datatype* recvtypes) {
  const Side s(comm);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const std::uint64_t received = sum(s, recvcounts, recvtypes, in_place);
  const auto of = [](const MPI_Datatype* types) {
    return [types](std::uint64_t i) { return types[i]; };
  };
  return {in_place ? received : sum(s, sendcounts, sendtypes, false), received,
          all_positive(s, recvcounts, of(recvtypes)) &&
              (in_place || all_positive(s, sendcounts, of(sendtypes)))};
}

// The counts on an intercommunicator are those of the own group.
template <typename Count>
Volume reduce_scatter(MPI_Comm comm, const void* sendbuf, const Count* recvcounts,
                      MPI_Datatype type) {
  Side s(comm);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const std::uint64_t received = s.partners(in_place) * bytes(recvcounts[s.me], type);
  if (const CommInfo* info = communicators::find(comm); info != nullptr) {
    s.n = static_cast<std::uint64_t>(info->size);
  }
  return {sum(s, recvcounts, type, in_place), received};
}

}  // namespace latecomer::mpi
