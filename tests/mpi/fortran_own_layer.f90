! SPDX-License-Identifier: BSD-3-Clause
! A profiling layer in Fortran, in the program itself: MPI_BARRIER and MPI_FINALIZE call PMPI.
module counts
  integer :: barriers = 0, ends = 0
end module

subroutine mpi_barrier(comm, ierror)
  use counts
  integer :: comm, ierror
  barriers = barriers + 1
  call pmpi_barrier(comm, ierror)
end subroutine

subroutine mpi_finalize(ierror)
  use counts
  integer :: ierror
  ends = ends + 1
  call pmpi_finalize(ierror)
end subroutine

program own_layer
  use counts
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, size
  character(len=1024) :: path
  call mpi_init(ierror)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
  call mpi_comm_size(MPI_COMM_WORLD, size, ierror)
  call mpi_barrier(MPI_COMM_WORLD, ierror)
  call mpi_barrier(MPI_COMM_WORLD, ierror)
  call get_environment_variable('CONFORM_RECORDS', path)
  if (rank == 0 .and. path /= '') then
    open(unit=9, file=path)
    write(9, '(a,i0)') 'MPI_COLLECTIVE_END ', 4 * size  ! with MPI_Init and MPI_Finalize
    write(9, '(a,i0)') 'PROGRAM_END ', size
    close(9)
  end if
  call mpi_finalize(ierror)
  if (rank == 0 .and. barriers == 2 .and. ends == 1) print '(a)', 'ok'
end program
