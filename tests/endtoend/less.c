/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and collective operations of all kinds; each process records a different part of them.
 *
 * usage: less MODE     pcontrol: every process switches recording off and on at steps of its own
 *                      requests: in the middle of operations that are under way
 *                      one-sided: the same with epochs and locks
 *                      files: writes of all to one file, and split ones
 *                      all: 100 steps, recording stays on
 *                      many: 4000 steps, for limits of size
 *                      long: 3 s of steps, for windows in time */
#include <latecomer.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

LATECOMER_REGION(time_step, "time step");

static void check(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "wrong: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Rank r has recording off from step 20 + r to before 60 + 3 r. Rank 0 is late at 40 (unseen) and
   90. */
static void step(int i) {
  int out = i, in = -1, sum = 0;
  MPI_Request receive;
  MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &receive);
  if ((i == 40 || i == 90) && rank == 0) usleep(150000);
  MPI_Send(&out, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  check(in == i, "message");
  if (i % 5 == 0) MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void pcontrol(void) {
  for (int i = 0; i < 100; ++i) {
    if (i == 20 + rank) MPI_Pcontrol(0);
    if (i == 60 + 3 * rank) MPI_Pcontrol(1);
    step(i);
  }
}

static MPI_Group one(int who) {
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &who, &group);
  MPI_Group_free(&world);
  return group;
}

/* Recording is off as in step(). Rank 0 posts late at 40 (unseen) and 90. The number of ranks must
   be even: a rank is either origin or target of each window. MPICH 4.0 does not synchronize ranks
   that are both. */
static void one_sided(void) {
  const int next = (rank + 1) % size;
  MPI_Group to = one(next), from = one((rank + size - 1) % size);
  int* memory;
  MPI_Win windows[2], locks;
  for (int w = 0; w < 2; ++w) {
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &windows[w]);
  }
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &locks);
  for (int i = 0; i < 100; ++i) {
    if (i == 20 + rank) MPI_Pcontrol(0);
    if (i == 60 + 3 * rank) MPI_Pcontrol(1);
    if ((i == 40 || i == 90) && rank == 0) usleep(150000);
    MPI_Win_post(from, 0, windows[1 - rank % 2]);
    MPI_Win_start(to, 0, windows[rank % 2]);
    MPI_Put(&i, 1, MPI_INT, next, 0, 1, MPI_INT, windows[rank % 2]);
    MPI_Win_complete(windows[rank % 2]);
    MPI_Win_wait(windows[1 - rank % 2]);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, locks);
    MPI_Put(&i, 1, MPI_INT, next, 0, 1, MPI_INT, locks);
    MPI_Win_unlock(next, locks);
    if (i % 5 == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&windows[0]);
  MPI_Win_free(&windows[1]);
  MPI_Win_free(&locks);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
}

/* Recording is off as in step(). Rank 0 writes late at 40 (unseen) and 90. */
static void files(void) {
  MPI_File file, other;
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  MPI_File_open(MPI_COMM_WORLD, "less.data", mode, MPI_INFO_NULL, &file);
  for (int i = 0; i < 100; ++i) {
    if (i == 20 + rank) MPI_Pcontrol(0);
    if (i == 60 + 3 * rank) MPI_Pcontrol(1);
    if ((i == 40 || i == 90) && rank == 0) usleep(150000);
    MPI_File_write_at_all(file, rank, "x", 1, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, rank, "x", 1, MPI_CHAR);
    MPI_File_write_at_all_end(file, "x", MPI_STATUS_IGNORE);
    if (i != 40) continue;
    MPI_File_open(MPI_COMM_WORLD, "other.data", mode, MPI_INFO_NULL, &other);
    MPI_File_close(&other);
  }
  MPI_File_close(&file);
}

/* Recording is switched at position `i % 6` of the step, so every kind of operation is cut. */
static void requests(void) {
  MPI_Request fixed[2], sum_request = MPI_REQUEST_NULL, each[2];
  MPI_Comm other;
  int to = (rank + 1) % size, from = (rank + size - 1) % size, out = 0, in = 0, on = 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Send_init(&out, 1, MPI_INT, to, 8, other, &fixed[0]);
  MPI_Recv_init(&in, 1, MPI_INT, from, 8, other, &fixed[1]);
  for (int i = 0; i < 240; ++i) {
    const int here = i % 6, now = (i + rank) % 7 < 2;
    int a = i, b = -1, c = -1, sum = 0;
#define SWITCH(place) \
  if (now && here == place) MPI_Pcontrol(on = !on)
    SWITCH(0);
    out = i;
    MPI_Startall(2, fixed);
    SWITCH(1);
    MPI_Irecv(&b, 1, MPI_INT, MPI_ANY_SOURCE, 5, other, &each[0]);
    MPI_Isend(&a, 1, MPI_INT, to, 5, other, &each[1]);
    SWITCH(2);
    MPI_Iallreduce(&a, &sum, 1, MPI_INT, MPI_MAX, other, &sum_request);
    SWITCH(3);
    MPI_Waitall(2, each, MPI_STATUSES_IGNORE);
    SWITCH(4);
    MPI_Waitall(2, fixed, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&a, 1, MPI_INT, from, 6, &c, 1, MPI_INT, to, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SWITCH(5);
    MPI_Wait(&sum_request, MPI_STATUS_IGNORE);
    check(in == i && b == i && c == i && sum == i, "values");
    if (i % 50 == 49) {
      MPI_Comm_free(&other);
      MPI_Request_free(&fixed[0]);
      MPI_Request_free(&fixed[1]);
      MPI_Comm_dup(MPI_COMM_WORLD, &other);
      MPI_Send_init(&out, 1, MPI_INT, to, 8, other, &fixed[0]);
      MPI_Recv_init(&in, 1, MPI_INT, from, 8, other, &fixed[1]);
    }
  }
  MPI_Comm_free(&other);
  MPI_Request_free(&fixed[0]);
  MPI_Request_free(&fixed[1]);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "pcontrol";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(mode, "pcontrol") == 0) pcontrol();
  if (strcmp(mode, "requests") == 0) requests();
  if (strcmp(mode, "one-sided") == 0) one_sided();
  if (strcmp(mode, "files") == 0) files();
  for (int i = 0; i < 100 && strcmp(mode, "all") == 0; ++i) {
    LATECOMER_ENTER(time_step);
    step(i);
    LATECOMER_LEAVE(time_step);
  }
  for (int i = 0; i < 4000 && strcmp(mode, "many") == 0; ++i) step(100 + i);
  if (strcmp(mode, "long") == 0) {
    const double start = MPI_Wtime();
    for (int i = 0, go = 1; go; ++i) {
      usleep(2000);
      step(100 + i);
      go = MPI_Wtime() < start + 3;
      MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  if (rank == 0) printf("done\n");
  return 0;
}
