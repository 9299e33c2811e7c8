! SPDX-License-Identifier: BSD-3-Clause
! A wave on a string, with points distributed over the ranks: halo exchange and energy, with use
! mpi_f08.
program wave
  use mpi_f08
  use iso_fortran_env, only: real64
  implicit none
  integer, parameter :: points = 1000, steps = 200
  integer :: rank, ranks, n, first, step, i, left, right
  real(real64), allocatable :: u(:), before(:), next(:)
  real(real64) :: biggest, all
  type(MPI_Request) :: requests(4)
  logical :: ok

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  first = points * rank / ranks
  n = points * (rank + 1) / ranks - first
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  allocate (u(0:n + 1), before(0:n + 1), next(0:n + 1), source=0.0_real64)
  do i = 1, n
    u(i) = sin(3.14159265358979_real64 * (first + i) / (points + 1))
  end do
  before = u
  do step = 1, steps
    call MPI_Irecv(u(0), 1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(u(n + 1), 1, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Isend(u(1), 1, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(u(n), 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(4))
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
    do i = 1, n
      next(i) = 2 * u(i) - before(i) + 0.25_real64 * (u(i - 1) - 2 * u(i) + u(i + 1))
    end do
    before = u
    u = next
    u(0) = 0
    u(n + 1) = 0
  end do
  biggest = maxval(abs(u(1:n)))
  call MPI_Allreduce(biggest, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  ok = all <= 1.001_real64 .and. all > 0.1_real64   ! a standing wave keeps its height
  if (rank == 0) print '(a)', merge('wave: ok          ', 'wave: WRONG RESULT', ok)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
  if (.not. ok) stop 1
end program wave
