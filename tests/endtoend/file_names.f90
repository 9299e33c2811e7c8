! SPDX-License-Identifier: BSD-3-Clause
! A file whose name is surrounded by blanks, which MPI removes.
program file_names
  use mpi_f08
  implicit none
  type(MPI_File) :: file
  call MPI_Init()
  call MPI_File_open(MPI_COMM_WORLD, '  two words.data  ', MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file)
  call MPI_File_close(file)
  call MPI_Finalize()
end program
