! SPDX-License-Identifier: BSD-3-Clause
! A Fortran program with "use mpi".
program fortran_mpi
  use mpi
  implicit none
#include "fortran_old.inc"
end program
