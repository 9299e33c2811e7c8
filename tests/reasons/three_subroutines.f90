! SPDX-License-Identifier: BSD-3-Clause
! Rank 0 has more work in one of three subroutines:
!
!   three_subroutines STEPS MILLISECONDS
module grid
  implicit none
  double precision :: cells(20000) = 0
contains
  ! Computes for so many seconds of processor time.
  subroutine work(time, factor)
    double precision, intent(in) :: time, factor
    double precision :: now, until
    integer :: i
    call cpu_time(until)
    until = until + time
    do
      do i = 2, size(cells)
        cells(i) = factor * (cells(i - 1) + 1)
      end do
      call cpu_time(now)
      if (now >= until) return
    end do
  end subroutine

  subroutine coarsen(time)
    double precision, intent(in) :: time
    call work(time, 0.5d0)
  end subroutine

  subroutine smooth(time)
    double precision, intent(in) :: time
    call work(time, 0.25d0)
  end subroutine

  subroutine refine(time)
    double precision, intent(in) :: time
    call work(time, 0.75d0)
  end subroutine
end module

program three_subroutines
  use grid
  implicit none
  include "mpif.h"
  integer :: rank, steps, step, failed
  double precision :: more
  character(len=32) :: word
  call MPI_Init(failed)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
  call get_command_argument(1, word)
  read (word, *) steps
  call get_command_argument(2, word)
  read (word, *) more
  more = merge(more / 1000, 0d0, rank == 0)
  do step = 1, steps
    call coarsen(0.002d0)
    call smooth(0.002d0 + more)
    call refine(0.002d0)
    call MPI_Barrier(MPI_COMM_WORLD, failed)
  end do
  if (rank == 0) print "(a, f0.6, a)", "late ", more * steps, " s"
  call MPI_Finalize(failed)
end program
