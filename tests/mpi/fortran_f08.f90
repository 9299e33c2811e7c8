! SPDX-License-Identifier: BSD-3-Clause
! use mpi_f08: arguments that the wrappers get by reference must come back unchanged: indices from
! 1, logicals, strings, statuses, ignored statuses, and absent error arguments.
module callbacks
  use mpi_f08
  implicit none
  integer :: copied = 0, deleted = 0, handled = 0, last_code = 0
contains
  subroutine copy_it(old, keyval, extra, value_in, value_out, flag, ierror)
    type(MPI_Comm) :: old
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra, value_in, value_out
    logical :: flag
    copied = copied + 1
    value_out = value_in + extra
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete_it(comm, keyval, value, extra, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: value, extra
    deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine
  subroutine handle(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    handled = handled + 1
    last_code = code
  end subroutine
end module

program fortran_f08
  use mpi_f08
  use callbacks
  implicit none
  integer, parameter :: n = 4
  integer :: rank, size, next, previous
  integer, asynchronous :: in(n), out(n)
  integer :: sends = 0, isends = 0, recvs = 0, irecvs = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)
  call completion(.true.)
  call completion(.false.)
  call messages
  call communicators
  call attributes
  call errors
  call collectives
  call write_expected
  call MPI_Finalize()
  if (rank == 0) print '(a)', 'ok'
contains
  subroutine check(condition, line)
    logical, intent(in) :: condition
    integer, intent(in) :: line
    integer :: ierror
    if (condition) return
    write (0, '(a,i0,a,i0)') 'fortran_f08.f90:', line, ': rank ', rank
    call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
  end subroutine

  subroutine start(requests)
    type(MPI_Request), intent(out) :: requests(2 * n)
    integer :: i
    in = -1
    do i = 1, n
      out(i) = 10 * rank + i
      call MPI_Irecv(in(i), 1, MPI_INTEGER, previous, i, MPI_COMM_WORLD, requests(i))
    end do
    do i = 1, n
      call MPI_Isend(out(i), 1, MPI_INTEGER, next, i, MPI_COMM_WORLD, requests(n + i))
    end do
    isends = isends + n
    irecvs = irecvs + n
  end subroutine

  subroutine finished(requests, line)
    type(MPI_Request), intent(in) :: requests(2 * n)
    integer, intent(in) :: line
    integer :: i
    do i = 1, n
      call check(in(i) == 10 * previous + i, line)
      call check(requests(i) == MPI_REQUEST_NULL .and. requests(n + i) == MPI_REQUEST_NULL, line)
    end do
  end subroutine

  subroutine completion(with)
    logical, intent(in) :: with
    type(MPI_Request) :: r(2 * n)
    type(MPI_Status) :: one, statuses(2 * n)
    integer :: i, done, count, indices(2 * n), ierror
    logical :: flag
    call start(r)
    if (with) then
      call MPI_Waitall(2 * n, r, statuses, ierror)
      call check(ierror == MPI_SUCCESS, __LINE__)
      call check(statuses(2)%MPI_SOURCE == previous .and. statuses(2)%MPI_TAG == 2, __LINE__)
    else
      call MPI_Waitall(2 * n, r, MPI_STATUSES_IGNORE)
    end if
    call finished(r, __LINE__)

    call start(r)
    do i = 1, 2 * n
      if (with) then
        flag = .false.
        do while (.not. flag)
          call MPI_Test(r(i), flag, one)
        end do
        if (i <= n) call check(one%MPI_TAG == i, __LINE__)
      else
        call MPI_Wait(r(i), MPI_STATUS_IGNORE)
      end if
    end do
    call finished(r, __LINE__)

    call start(r)
    done = 0
    do while (done < 2 * n)
      if (with) then
        call MPI_Waitsome(2 * n, r, count, indices, statuses)
      else
        call MPI_Testsome(2 * n, r, count, indices, MPI_STATUSES_IGNORE)
      end if
      call check(count >= 0, __LINE__)
      done = done + count
    end do
    call finished(r, __LINE__)

    ! Indices are not checked: the module of MPICH 4.0 counts them from 0.
    call start(r)
    do i = 1, 2 * n
      call MPI_Waitany(2 * n, r, done, MPI_STATUS_IGNORE)
    end do
    call finished(r, __LINE__)

    call start(r)
    flag = .false.
    do while (.not. flag)
      if (with) then
        call MPI_Testall(2 * n, r, flag, statuses)
      else
        call MPI_Testall(2 * n, r, flag, MPI_STATUSES_IGNORE)
      end if
    end do
    call finished(r, __LINE__)
  end subroutine

  subroutine messages
    type(MPI_Status) :: status
    type(MPI_Message) :: message
    type(MPI_Request) :: request, pair(2)
    type(MPI_Datatype) :: column
    integer, asynchronous :: got
    integer :: i
    logical :: flag
    integer :: matrix(3, 3)
    call MPI_Isend(rank, 1, MPI_INTEGER, next, 20, MPI_COMM_WORLD, request)
    call MPI_Probe(MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, status)
    call check(status%MPI_SOURCE == previous, __LINE__)
    call MPI_Iprobe(previous, 20, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE)
    call check(flag, __LINE__)
    call MPI_Mprobe(previous, 20, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
    call MPI_Mrecv(got, 1, MPI_INTEGER, message, status)
    call check(got == previous .and. status%MPI_TAG == 20, __LINE__)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    isends = isends + 1
    irecvs = irecvs + 1

    call MPI_Send_init(rank, 1, MPI_INTEGER, next, 21, MPI_COMM_WORLD, pair(1))
    call MPI_Recv_init(got, 1, MPI_INTEGER, previous, 21, MPI_COMM_WORLD, pair(2))
    do i = 1, 2
      got = -1
      call MPI_Startall(2, pair)
      call MPI_Waitall(2, pair, MPI_STATUSES_IGNORE)
      call check(got == previous, __LINE__)
    end do
    call MPI_Request_free(pair(1))
    call MPI_Request_free(pair(2))
    isends = isends + 2
    irecvs = irecvs + 2

    call MPI_Type_vector(3, 1, 3, MPI_INTEGER, column)
    call MPI_Type_commit(column)
    matrix = rank
    call MPI_Sendrecv_replace(matrix, 1, column, next, 22, previous, 22, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, column, got)
    call check(got == 1 .and. matrix(1, 2) == previous .and. matrix(2, 2) == rank, __LINE__)
    call MPI_Type_free(column)
    sends = sends + 1
    recvs = recvs + 1

    call MPI_Irecv(got, 1, MPI_INTEGER, previous, 23, MPI_COMM_WORLD, request)
    call MPI_Cancel(request)
    call MPI_Wait(request, status)
    call MPI_Test_cancelled(status, flag)
    call check(flag, __LINE__)
  end subroutine

  subroutine communicators
    type(MPI_Comm) :: comm, other
    type(MPI_Request) :: request
    type(MPI_Info) :: info
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=16) :: value
    integer :: length, dims(1), coords(1)
    logical :: periodic(1), flag
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_set_name(comm, 'late comers')
    call MPI_Comm_get_name(comm, name, length)
    call check(length == 11 .and. name == 'late comers', __LINE__)
    call MPI_Comm_split(comm, mod(rank, 2), -rank, other)
    call MPI_Comm_size(other, length)
    call check(length == (size + 1 - mod(rank, 2)) / 2, __LINE__)
    call MPI_Comm_free(other)
    call check(other == MPI_COMM_NULL, __LINE__)
    call MPI_Comm_idup(comm, other, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Barrier(other)
    call MPI_Comm_free(other)
    dims = size
    call MPI_Cart_create(comm, 1, dims, [.true.], .false., other)
    call MPI_Cart_get(other, 1, dims, periodic, coords)
    call check(periodic(1) .and. coords(1) == rank, __LINE__)
    call MPI_Comm_free(other)
    call MPI_Comm_free(comm)
    call MPI_Info_create(info)
    call MPI_Info_set(info, 'key', 'value of it')
#if MPI_VERSION_C >= 4
    call MPI_Info_get_string(info, 'key', length, value, flag)
    length = len(value)
    call MPI_Info_get_string(info, 'key', length, value, flag)
#else
    length = len(value)
    call MPI_Info_get(info, 'key', length, value, flag)
#endif
    call check(flag .and. value == 'value of it', __LINE__)
    call MPI_Info_free(info)
  end subroutine

  subroutine attributes
    type(MPI_Comm) :: comm, other
    integer :: keyval
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_create_keyval(copy_it, delete_it, keyval, 5_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_set_attr(comm, keyval, 100_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(comm, other)
    call MPI_Comm_get_attr(other, keyval, value, flag)
    call check(flag .and. value == 105 .and. copied == 1, __LINE__)
    call MPI_Comm_free(other)
    call MPI_Comm_free(comm)
    call check(deleted == 2, __LINE__)
    call MPI_Comm_free_keyval(keyval)
  end subroutine

  subroutine errors
    type(MPI_Comm) :: comm
    type(MPI_Errhandler) :: handler
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: ierror, class, length
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
    call MPI_Send(rank, 1, MPI_INTEGER, size, 0, comm, ierror)
    call MPI_Error_class(ierror, class)
    call check(class == MPI_ERR_RANK, __LINE__)
    call MPI_Error_string(ierror, text, length)
    call check(length > 0, __LINE__)
    call MPI_Comm_create_errhandler(handle, handler)
    call MPI_Comm_set_errhandler(comm, handler)
    call MPI_Probe(size, 0, comm, MPI_STATUS_IGNORE, ierror)
    call check(handled == 1 .and. last_code == ierror, __LINE__)
    call MPI_Errhandler_free(handler)
    call MPI_Comm_free(comm)
  end subroutine

  subroutine collectives
    type(MPI_Request) :: request
    integer, asynchronous :: total, all(64)
    total = rank
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(total == size * (size - 1) / 2, __LINE__)
    all = -1
    all(rank + 1) = rank
    call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(1) == 0 .and. all(size) == size - 1, __LINE__)
  end subroutine

  subroutine write_expected
    character(len=256) :: path
    integer :: length
    call get_environment_variable('CONFORM_RECORDS', path, length)
    if (rank /= 0 .or. length == 0) return
    open (7, file=path(1:length))
    ! All processes made the same calls.
    write (7, '(a,i0)') 'MPI_SEND ', sends * size
    write (7, '(a,i0)') 'MPI_RECV ', recvs * size
    write (7, '(a,i0)') 'MPI_ISEND ', isends * size
    write (7, '(a,i0)') 'MPI_ISEND_COMPLETE ', isends * size
    write (7, '(a,i0)') 'MPI_IRECV ', irecvs * size
    write (7, '(a,i0)') 'MPI_IRECV_REQUEST ', (irecvs + 1) * size
    write (7, '(a,i0)') 'MPI_REQUEST_CANCELLED ', size
    write (7, '(a,i0)') 'COMM_CREATE ', 9 * size
    write (7, '(a,i0)') 'COMM_DESTROY ', 9 * size
    write (7, '(a,i0)') 'NON_BLOCKING_COLLECTIVE_COMPLETE ', 2 * size
    close (7)
  end subroutine
end program
