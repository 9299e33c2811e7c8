/* SPDX-License-Identifier: BSD-3-Clause */
/* Support for an MPI before 4.0: functions with int replace those with large counts, and tests
   that are left out print so. */
#ifndef LATECOMER_TESTS_BEFORE_MPI_4_H
#define LATECOMER_TESTS_BEFORE_MPI_4_H

#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4
typedef MPI_Count LargeCount;
typedef MPI_Aint LargeOffset;
#else
typedef int LargeCount;
typedef int LargeOffset;

#define MPI_Allgather_c MPI_Allgather
#define MPI_Allgatherv_c MPI_Allgatherv
#define MPI_Allreduce_c MPI_Allreduce
#define MPI_Alltoall_c MPI_Alltoall
#define MPI_Alltoallv_c MPI_Alltoallv
#define MPI_Alltoallw_c MPI_Alltoallw
#define MPI_Bcast_c MPI_Bcast
#define MPI_Bsend_c MPI_Bsend
#define MPI_Bsend_init_c MPI_Bsend_init
#define MPI_Exscan_c MPI_Exscan
#define MPI_Gather_c MPI_Gather
#define MPI_Gatherv_c MPI_Gatherv
#define MPI_Get_count_c MPI_Get_count
#define MPI_Ibcast_c MPI_Ibcast
#define MPI_Ibsend_c MPI_Ibsend
#define MPI_Imrecv_c MPI_Imrecv
#define MPI_Irecv_c MPI_Irecv
#define MPI_Irsend_c MPI_Irsend
#define MPI_Isend_c MPI_Isend
#define MPI_Issend_c MPI_Issend
#define MPI_Mrecv_c MPI_Mrecv
#define MPI_Neighbor_alltoall_c MPI_Neighbor_alltoall
#define MPI_Put_c MPI_Put
#define MPI_Recv_init_c MPI_Recv_init
#define MPI_Reduce_c MPI_Reduce
#define MPI_Reduce_scatter_c MPI_Reduce_scatter
#define MPI_Reduce_scatter_block_c MPI_Reduce_scatter_block
#define MPI_Rsend_c MPI_Rsend
#define MPI_Rsend_init_c MPI_Rsend_init
#define MPI_Scan_c MPI_Scan
#define MPI_Scatter_c MPI_Scatter
#define MPI_Scatterv_c MPI_Scatterv
#define MPI_Send_c MPI_Send
#define MPI_Send_init_c MPI_Send_init
#define MPI_Sendrecv_c MPI_Sendrecv
#define MPI_Sendrecv_replace_c MPI_Sendrecv_replace
#define MPI_Ssend_c MPI_Ssend
#define MPI_Ssend_init_c MPI_Ssend_init
#define MPI_Comm_idup_with_info(comm, info, copy, request) MPI_Comm_idup(comm, copy, request)

/* Replaces tests of functions that only MPI-4 has. */
static inline void skip_mpi_4(void) {
#if defined(OMPI_MAJOR_VERSION)
  printf("skipped: Open MPI %d.%d is MPI-%d.%d\n", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
         MPI_VERSION, MPI_SUBVERSION);
#else
  printf("skipped: this MPI is MPI-%d.%d\n", MPI_VERSION, MPI_SUBVERSION);
#endif
}
#endif

#endif
