! SPDX-License-Identifier: BSD-3-Clause
! openmp_fortran: threads that wait for a lock, at the end of a loop, and at the end of a single. It prints
! what they waited for the lock, in nanoseconds, as they measured it.
program openmp_fortran
  use mpi
  use omp_lib
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer :: error, i, total
  integer(int64) :: waited, asked
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nested

  call MPI_Init(error)
  call omp_init_lock(lock)
  call omp_init_nest_lock(nested)
  waited = 0
  total = 0
  !$omp parallel num_threads(3) private(asked) reduction(+:waited)
  !$omp barrier
  asked = now()
  call omp_set_lock(lock)
  waited = waited + now() - asked
  call pause(15)
  call omp_unset_lock(lock)
  call omp_set_nest_lock(nested)
  call omp_set_nest_lock(nested)
  call omp_unset_nest_lock(nested)
  call omp_unset_nest_lock(nested)
  !$omp do schedule(dynamic, 1) reduction(+:total)
  do i = 1, 6
    if (i == 6) call pause(10)
    total = total + i
  end do
  !$omp end do
  !$omp single
  call pause(5)
  !$omp end single
  !$omp sections
  !$omp section
  call pause(1)
  !$omp end sections
  !$omp end parallel
  print '(a, i0)', 'lock ', waited
  print '(a, i0)', 'total ', total
  call MPI_Finalize(error)

contains

  integer(int64) function now()
    integer(int64) :: rate
    call system_clock(now, rate)
    now = now * (1000000000_int64 / rate)
  end function

  subroutine pause(milliseconds)
    use, intrinsic :: iso_c_binding, only: c_int
    integer, intent(in) :: milliseconds
    interface
      integer(c_int) function usleep(microseconds) bind(c)
        import :: c_int
        integer(c_int), value :: microseconds
      end function
    end interface
    integer(c_int) :: ignored
    ignored = usleep(int(milliseconds * 1000, c_int))
  end subroutine
end program
