! SPDX-License-Identifier: BSD-3-Clause
! ring.c through use mpi.
program ring
  use mpi
  implicit none
  integer :: requests(2), stat(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), half
  integer :: rank, ranks, right, left, val, got, total, index, half_rank, i, ierror
  logical :: ok
  include 'ring_body.inc'
end program ring
