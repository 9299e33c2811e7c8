! SPDX-License-Identifier: BSD-3-Clause
! ring.c through use mpi_f08.
program ring
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: stat, statuses(2)
  type(MPI_Comm) :: half
  integer :: rank, ranks, right, left, val, got, total, index, half_rank, i, ierror
  logical :: ok
  include 'ring_body.inc'
end program ring
