! SPDX-License-Identifier: BSD-3-Clause
! openmp_exact: openmp_exact.c in Fortran. It prints the same lines.
module exact
  use mpi
  use omp_lib
  use, intrinsic :: iso_fortran_env, only: int64
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_loc, c_null_ptr
  implicit none
  integer, parameter :: threads = 3, iterations = 8
  integer(int64) :: asked(0:threads - 1) = 0, got(0:threads - 1) = 0
  integer(omp_lock_kind) :: plain
  integer(omp_nest_lock_kind) :: twice
  ! Room for objects of POSIX threads.
  integer(int64), target :: mutex(16), condition(16)
  logical, volatile :: is_ready
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function
    integer(c_int) function mutex_init(object, attributes) bind(c, name='pthread_mutex_init')
      import :: c_int, c_ptr
      type(c_ptr), value :: object, attributes
    end function
    integer(c_int) function condition_init(object, attributes) bind(c, name='pthread_cond_init')
      import :: c_int, c_ptr
      type(c_ptr), value :: object, attributes
    end function
    integer(c_int) function mutex_lock(object) bind(c, name='pthread_mutex_lock')
      import :: c_int, c_ptr
      type(c_ptr), value :: object
    end function
    integer(c_int) function mutex_unlock(object) bind(c, name='pthread_mutex_unlock')
      import :: c_int, c_ptr
      type(c_ptr), value :: object
    end function
    integer(c_int) function condition_wait(object, lock) bind(c, name='pthread_cond_wait')
      import :: c_int, c_ptr
      type(c_ptr), value :: object, lock
    end function
    integer(c_int) function condition_broadcast(object) bind(c, name='pthread_cond_broadcast')
      import :: c_int, c_ptr
      type(c_ptr), value :: object
    end function
  end interface

contains

  integer(int64) function now()
    integer(int64) :: rate
    call system_clock(now, rate)
    now = now * (1000000000_int64 / rate)
  end function

  subroutine pause(milliseconds)
    integer, intent(in) :: milliseconds
    integer(c_int) :: ignored
    ignored = usleep(int(milliseconds * 1000, c_int))
  end subroutine

  subroutine ask()
    asked(omp_get_thread_num()) = now()
  end subroutine

  subroutine get()
    got(omp_get_thread_num()) = now()
  end subroutine

  ! Iterations of unequal length. A thread asks for the end of the loop after its last one.
  subroutine iterate(i)
    integer, intent(in) :: i
    call pause(4 + 3 * i)
    call ask()
  end subroutine

  ! Each thread waited from when it asked until it got what it asked for.
  subroutine report(name)
    character(*), intent(in) :: name
    integer :: i
    do i = 0, threads - 1
      if (got(i) > asked(i)) print '(a, 1x, i0, 1x, i0)', name, i, got(i) - asked(i)
    end do
    asked = 0
    got = 0
  end subroutine

  ! All waited for the last one that asked.
  subroutine report_barrier(name)
    character(*), intent(in) :: name
    got = maxval(asked)
    call report(name)
  end subroutine

  subroutine region()
    integer :: scale
    scale = 10
    !$omp parallel num_threads(threads)  ! waits
    call pause(5 + scale * omp_get_thread_num())
    call ask()
    !$omp end parallel
    call report_barrier('region')
  end subroutine

  subroutine barrier()
    !$omp parallel num_threads(threads)
    call pause(40 - 10 * omp_get_thread_num())
    call ask()
    !$omp barrier  ! waits
    call pause(1)
    !$omp end parallel
    call report_barrier('barrier')
  end subroutine

  subroutine static_loop()
    integer :: i
    !$omp parallel num_threads(threads)
    call ask()
    !$omp do schedule(static)  ! waits
    do i = 0, iterations - 1
      call iterate(i)
    end do
    !$omp end do
    call pause(1)
    !$omp end parallel
    call report_barrier('static_loop')
  end subroutine

  subroutine static_chunks()
    integer :: i
    !$omp parallel num_threads(threads)
    call ask()
    !$omp do schedule(static, 1)  ! waits
    do i = 0, iterations - 1
      call iterate(i)
    end do
    !$omp end do
    call pause(1)
    !$omp end parallel
    call report_barrier('static_chunks')
  end subroutine

  subroutine dynamic_loop()
    integer :: i
    !$omp parallel num_threads(threads)
    call ask()
    !$omp do schedule(dynamic, 1)  ! waits
    do i = 0, iterations - 1
      call iterate(i)
    end do
    !$omp end do
    call pause(1)
    !$omp end parallel
    call report_barrier('dynamic_loop')
  end subroutine

  subroutine guided_loop()
    integer :: i
    !$omp parallel num_threads(threads)
    call ask()
    !$omp do schedule(guided)  ! waits
    do i = 0, iterations - 1
      call iterate(i)
    end do
    !$omp end do
    call pause(1)
    !$omp end parallel
    call report_barrier('guided_loop')
  end subroutine

  subroutine guided_at_run_time()
    integer :: i
    call omp_set_schedule(omp_sched_guided, 1)
    !$omp parallel num_threads(threads)
    call ask()
    !$omp do schedule(runtime)  ! waits
    do i = 0, iterations - 1
      call iterate(i)
    end do
    !$omp end do
    call pause(1)
    !$omp end parallel
    call report_barrier('guided_at_run_time')
  end subroutine

  subroutine guided_region()
    integer :: i, count
    count = iterations
    !$omp parallel do num_threads(threads) schedule(guided)  ! waits
    do i = 0, count - 1
      call iterate(i)
    end do
    !$omp end parallel do
    call report_barrier('guided_region')
  end subroutine

  subroutine sections()
    !$omp parallel num_threads(threads)
    call ask()
    !$omp sections  ! waits
    !$omp section
    call iterate(9)
    !$omp section
    call iterate(1)
    !$omp end sections
    call pause(1)
    !$omp end parallel
    call report_barrier('sections')
  end subroutine

  subroutine single()
    !$omp parallel num_threads(threads)
    call ask()
    !$omp single  ! waits
    call iterate(8)
    !$omp end single
    call pause(1)
    !$omp end parallel
    call report_barrier('single')
  end subroutine

  subroutine critical()
    !$omp parallel num_threads(threads)
    !$omp barrier
    call ask()
    !$omp critical (one)  ! waits
    call get()
    call pause(20)
    !$omp end critical (one)
    !$omp end parallel
    call report('critical')
  end subroutine

  ! The two threads without a task have nothing to do from the last arrival until its end.
  subroutine tasks()
    integer(int64) :: end
    integer :: executes, i
    !$omp parallel num_threads(threads)  ! waits
    !$omp barrier
    !$omp master
    call pause(5)  ! all others are at the next barrier
    !$omp task shared(end, executes)
    call pause(40)
    executes = omp_get_thread_num()
    end = now()
    !$omp end task
    !$omp end master
    call ask()
    !$omp end parallel
    do i = 0, threads - 1
      asked(i) = asked(0)
      got(i) = merge(0_int64, end, i == executes)
    end do
    call report('tasks')
  end subroutine

  subroutine inner(first, arrival)
    logical, intent(in) :: first
    integer(int64), intent(inout) :: arrival(0:)
    !$omp parallel num_threads(2)  ! waits
    call pause(merge(5, 15, first))
    if (omp_get_thread_num() == 1) call pause(merge(10, 25, first))
    arrival(omp_get_thread_num()) = now()
    !$omp end parallel
  end subroutine

  ! Each of two threads makes a team of two.
  subroutine nested()
    !$omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) then
      call inner(.true., asked)
    else
      call inner(.false., got)
    end if
    !$omp end parallel
    print '(a, i0)', 'inner -1 ', asked(1) - asked(0)
    print '(a, i0)', 'inner -1 ', got(1) - got(0)
  end subroutine

  subroutine locks()
    call omp_init_lock(plain)
    !$omp parallel num_threads(threads)
    !$omp barrier
    call ask()
    call omp_set_lock(plain)  ! waits
    call get()
    call pause(20)
    call omp_unset_lock(plain)
    !$omp end parallel
    call omp_destroy_lock(plain)
    call report('locks')
  end subroutine

  subroutine nest_locks()
    call omp_init_nest_lock(twice)
    !$omp parallel num_threads(threads)
    !$omp barrier
    call ask()
    call omp_set_nest_lock(twice)  ! waits
    call get()
    call omp_set_nest_lock(twice)
    call pause(20)
    call omp_unset_nest_lock(twice)
    call omp_unset_nest_lock(twice)
    !$omp end parallel
    call omp_destroy_nest_lock(twice)
    call report('nest_locks')
  end subroutine

  subroutine mutexes()
    integer(c_int) :: ignored
    !$omp parallel num_threads(threads) private(ignored)
    !$omp barrier
    call ask()
    ignored = mutex_lock(c_loc(mutex))  ! waits
    call get()
    call pause(20)
    ignored = mutex_unlock(c_loc(mutex))
    !$omp end parallel
    call report('mutexes')
  end subroutine

  ! The first thread signals; all others wait for that.
  subroutine conditions()
    integer(c_int) :: ignored
    is_ready = .false.
    !$omp parallel num_threads(threads) private(ignored)
    !$omp barrier
    if (omp_get_thread_num() == 0) call pause(40)
    ignored = mutex_lock(c_loc(mutex))
    if (omp_get_thread_num() == 0) then
      is_ready = .true.
      got(1:) = now()
      ignored = condition_broadcast(c_loc(condition))
    else
      call ask()
      do while (.not. is_ready)
        ignored = condition_wait(c_loc(condition), c_loc(mutex))  ! waits
      end do
    end if
    ignored = mutex_unlock(c_loc(mutex))
    !$omp end parallel
    call report('conditions')
  end subroutine
end module

program openmp_exact
  use exact
  implicit none
  integer :: error, i
  integer(c_int) :: ignored
  call MPI_Init(error)
  call omp_set_dynamic(.false.)
  call omp_set_max_active_levels(2)
  ignored = mutex_init(c_loc(mutex), c_null_ptr)
  ignored = condition_init(c_loc(condition), c_null_ptr)
  ! Threads begin one after the other, so their numbers are those of their records.
  do i = 1, threads
    !$omp parallel num_threads(i)
    call pause(1)
    !$omp end parallel
  end do
  call region()
  call barrier()
  call static_loop()
  call static_chunks()
  call dynamic_loop()
  call guided_loop()
  call guided_at_run_time()
  call guided_region()
  call sections()
  call single()
  call critical()
  call tasks()
  call locks()
  call nest_locks()
  call mutexes()
  call conditions()
  call nested()
  call MPI_Finalize(error)
end program
