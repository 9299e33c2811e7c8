! SPDX-License-Identifier: BSD-3-Clause
! Instrumented Fortran: a module procedure, an internal procedure, named regions.
#include "latecomer_fortran.h"
module solver
  implicit none
contains
  subroutine step(n)
    integer, intent(inout) :: n
    n = n + 1
  end subroutine
end module

program modules
  use mpi
  use solver
  implicit none
  integer :: ierror, n
  character(len=8) :: how
  LATECOMER_REGION(sweep)
  n = 0
  call get_command_argument(1, how)
  call MPI_Init(ierror)
  LATECOMER_ENTER(sweep, 'sweep  ')
  call step(n)
  LATECOMER_LEAVE(sweep)
  LATECOMER_RECORDING(0)
  call step(n)
  LATECOMER_RECORDING(1)
  call inner
  if (how == 'kill') call kill_me
  call MPI_Finalize(ierror)
  if (n /= 2) error stop
contains
  subroutine inner
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine
  subroutine kill_me
    use iso_c_binding, only: c_int
    interface
      integer(c_int) function raise(number) bind(c)
        use iso_c_binding, only: c_int
        integer(c_int), value :: number
      end function
    end interface
    ierror = raise(9)
  end subroutine
end program
