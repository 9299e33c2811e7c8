! SPDX-License-Identifier: BSD-3-Clause
! sweep: calls of MPI from module procedures, internal procedures and functions, with use mpi.
module solver
  use mpi
  implicit none
contains
  subroutine exchange(value, rank, ranks)
    double precision, intent(inout) :: value
    integer, intent(in) :: rank, ranks
    double precision :: other
    integer :: error
    call MPI_Sendrecv(value, 1, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 1, other, 1, &
                      MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, error)
    value = 0.5d0 * (value + other)
  end subroutine exchange

  double precision function total(value)
    double precision, intent(in) :: value
    integer :: error
    call MPI_Allreduce(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    total = total + 1d0
  end function total
end module solver

program sweep
  use mpi
  use solver
  implicit none
  integer :: rank, ranks, step, error
  double precision :: value, all
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  value = rank
  do step = 1, 5
    call iterate()
  end do
  all = total(value)
  call MPI_Finalize(error)
  if (rank == 0) print '(a)', merge('sweep: ok          ', 'sweep: WRONG RESULT', all >= 1d0)
contains
  subroutine iterate()
    call exchange(value, rank, ranks)
    all = total(value)
  end subroutine iterate
end program sweep
