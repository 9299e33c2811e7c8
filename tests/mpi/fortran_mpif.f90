! SPDX-License-Identifier: BSD-3-Clause
! A Fortran program with "include 'mpif.h'".
program fortran_mpif
  implicit none
  include 'mpif.h'
#include "fortran_old.inc"
end program
