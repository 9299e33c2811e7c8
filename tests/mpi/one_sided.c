/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of all kinds, all kinds of synchronization, and all operations. */
#include "conform.h"

enum { kRoom = 64 };
static int next, previous;

static void fence(void) {
  int memory[kRoom], out = 100 + rank, in = -1;
  MPI_Win win;
  for (int i = 0; i < kRoom; ++i) memory[i] = rank;
  OK(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  OK(MPI_Win_set_name(win, "latecomer"));
  OK(MPI_Win_fence(0, win));
  OK(MPI_Put(&out, 1, MPI_INT, next, 1, 1, MPI_INT, win));
  OK(MPI_Get(&in, 1, MPI_INT, next, 0, 1, MPI_INT, win));
  OK(MPI_Accumulate(&out, 1, MPI_INT, next, 2, 1, MPI_INT, MPI_SUM, win));
  OK(MPI_Put_c(&out, 1, MPI_INT, MPI_PROC_NULL, 1, 1, MPI_INT, win));
  OK(MPI_Win_fence(0, win));
  CHECK(in == next && memory[1] == 100 + previous && memory[2] == rank + 100 + previous);

  MPI_Group world, group;
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_incl(world, 1, &previous, &group));
  OK(MPI_Win_post(group, 0, win));
  OK(MPI_Group_free(&group));
  OK(MPI_Group_incl(world, 1, &next, &group));
  OK(MPI_Win_start(group, 0, win));
  OK(MPI_Put(&rank, 1, MPI_INT, next, 3, 1, MPI_INT, win));
  OK(MPI_Win_complete(win));
  for (int flag = 0; !flag;) OK(MPI_Win_test(win, &flag));
  CHECK(memory[3] == previous);
  OK(MPI_Group_free(&group));
  OK(MPI_Group_free(&world));
  OK(MPI_Win_free(&win));
  CHECK(win == MPI_WIN_NULL);
}

static void locks(void) {
  int *memory = NULL, out = 1, in = -1, expected = 0;
  MPI_Win win;
  MPI_Request r[3];
  OK(MPI_Win_allocate(kRoom * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                      &win));
  for (int i = 0; i < kRoom; ++i) memory[i] = 0;
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
  OK(MPI_Accumulate(&out, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
  OK(MPI_Win_unlock(0, win));

  OK(MPI_Win_lock_all(0, win));
  OK(MPI_Fetch_and_op(&out, &in, MPI_INT, 0, 1, MPI_SUM, win));
  OK(MPI_Win_flush(0, win));
  CHECK(in >= 0 && in < size);
  OK(MPI_Compare_and_swap(&out, &expected, &in, MPI_INT, next, 2, win));
  OK(MPI_Win_flush_local(next, win));
  OK(MPI_Get_accumulate(&out, 1, MPI_INT, &in, 1, MPI_INT, next, 3, 1, MPI_INT, MPI_REPLACE, win));
  OK(MPI_Win_flush_all(win));
  CHECK(in == 0);
  OK(MPI_Rput(&rank, 1, MPI_INT, next, 4, 1, MPI_INT, win, &r[0]));
  OK(MPI_Rget(&in, 1, MPI_INT, rank, 5, 1, MPI_INT, win, &r[1]));
  OK(MPI_Raccumulate(&out, 1, MPI_INT, 0, 6, 1, MPI_INT, MPI_SUM, win, &r[2]));
  OK(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
  CHECK(in == 0);
  /* MPI ignores the arguments of the origin in atomic reads. */
  in = -1;
  OK(MPI_Get_accumulate(NULL, 7, MPI_DATATYPE_NULL, &in, 1, MPI_INT, next, 7, 1, MPI_INT, MPI_NO_OP,
                        win));
  OK(MPI_Win_flush(next, win));
  CHECK(in == 0);
  in = -1;
  OK(MPI_Rget_accumulate(NULL, 7, MPI_DATATYPE_NULL, &in, 1, MPI_INT, next, 7, 1, MPI_INT,
                         MPI_NO_OP, win, &r[0]));
  OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
  CHECK(in == 0);
  OK(MPI_Fetch_and_op(NULL, &in, MPI_INT, next, 7, MPI_NO_OP, win));
  OK(MPI_Win_flush_local_all(win));
  OK(MPI_Win_sync(win));
  OK(MPI_Win_unlock_all(win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  if (rank == 0) CHECK(memory[0] == size && memory[1] == size && memory[6] == size);
  CHECK(memory[2] == 1 && memory[3] == 1 && memory[4] == previous);
  OK(MPI_Win_unlock(rank, win));

  /* Checks of attributes and errors. */
  int flag = 0, *unit = NULL;
  OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag));
  CHECK(flag && *unit == (int)sizeof(int));
  OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
  FAILS(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win));
  OK(MPI_Win_free(&win));
}

static void shared(void) {
  MPI_Comm node;
  int *mine = NULL, *first = NULL, me = -1, n = -1, unit = -1;
  MPI_Aint bytes = -1;
  MPI_Win win;
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  OK(MPI_Comm_rank(node, &me));
  OK(MPI_Comm_size(node, &n));
  OK(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win));
  OK(MPI_Win_shared_query(win, 0, &bytes, &unit, &first));
  CHECK(bytes == sizeof(int) && first + me == mine);
  OK(MPI_Win_fence(0, win));
  *mine = me;
  OK(MPI_Win_fence(0, win));
  CHECK(first[n - 1] == n - 1);
  OK(MPI_Win_fence(0, win));
  OK(MPI_Win_free(&win));
  OK(MPI_Comm_free(&node));
}

static void dynamic(void) {
  int memory[4] = {-1, -1, -1, -1};
  MPI_Aint here, there;
  MPI_Win win;
  OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  OK(MPI_Win_attach(win, memory, sizeof memory));
  OK(MPI_Get_address(memory, &here));
  OK(MPI_Sendrecv(&here, 1, MPI_AINT, previous, 95, &there, 1, MPI_AINT, next, 95, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE));
  OK(MPI_Win_fence(0, win));
  OK(MPI_Put(&rank, 1, MPI_INT, next, MPI_Aint_add(there, sizeof(int)), 1, MPI_INT, win));
  OK(MPI_Win_fence(0, win));
  CHECK(memory[0] == -1 && memory[1] == previous);
  OK(MPI_Win_detach(win, memory));
  OK(MPI_Win_free(&win));
}

#if defined(OPEN_MPI)
/* Without a network Open MPI has no window for the memory of a single process. */
static int has_windows(void) {
  int memory = 0;
  MPI_Win win;
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = PMPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (code == MPI_SUCCESS) PMPI_Win_free(&win);
  return code == MPI_SUCCESS;
}
#endif

void one_sided(void) {
#if defined(OPEN_MPI)
  if (size == 1 && !has_windows()) {
    puts("skipped: MPI_Win_create of Open MPI fails here with one process");
    return;
  }
#endif
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  fence();
  locks();
  shared();
  dynamic();
  records("MPI_SEND", 1);
  records("MPI_RECV", 1);
  records("MPI_COLLECTIVE_END", 4);
  records("RMA_WIN_CREATE", 4);
  records("RMA_WIN_DESTROY", 4);
  records("RMA_COLLECTIVE_BEGIN", 8 + 7);
  records("RMA_COLLECTIVE_END", 8 + 7);
  records("RMA_PUT", 4);
  records("RMA_GET", 2);
  records("RMA_ATOMIC", 9);
  records("RMA_GROUP_SYNC", 4);
  records("RMA_REQUEST_LOCK", 3);
  records("RMA_RELEASE_LOCK", 3);
  records("RMA_SYNC", 1);
  records("COMM_CREATE", 1);
  records("COMM_DESTROY", 1);
}
