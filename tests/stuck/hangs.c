/* SPDX-License-Identifier: BSD-3-Clause
   hangs KIND [SECONDS]: a program that hangs in a known way, for latecomer stuck. The watchdog of
   the test ends it. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static int data[1 << 20]; /* too large to be sent before it is received */
enum { kLarge = 1 << 20, kTag = 5 };

/* Each function is one kind. It has at least one call that never returns. */
static void two_receives(void) {
  if (rank < 2) MPI_Recv(data, 1, MPI_INT, 1 - rank, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void ring_of_sends(void) {
  MPI_Ssend(data, 1, MPI_INT, (rank + 1) % size, kTag, MPI_COMM_WORLD);
  MPI_Recv(data, 1, MPI_INT, (rank + size - 1) % size, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void large_sends(void) {
  if (rank > 1) return;
  MPI_Send(data, kLarge, MPI_INT, 1 - rank, kTag, MPI_COMM_WORLD);
  MPI_Recv(data, kLarge, MPI_INT, 1 - rank, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void wrong_tag(void) {
  if (rank == 0) MPI_Recv(data, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Ssend(data, 1, MPI_INT, 0, kTag + 1, MPI_COMM_WORLD);
}
static void lost_tag(void) { /* the message is sent at once, and nobody wants it */
  if (rank == 0) MPI_Recv(data, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(data, 1, MPI_INT, 0, kTag + 1, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void missing_rank(void) {
  if (rank != 1) MPI_Allreduce(data, data + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(data, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void other_collective(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(data, data + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(data, 1, MPI_INT, (rank + 1) % size, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void other_root(void) {
  MPI_Bcast(data, kLarge, MPI_INT, rank == 0 ? 1 : 0, MPI_COMM_WORLD);
}
static void from_itself(void) {
  if (rank == 0) MPI_Recv(data, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void waitall(void) {
  MPI_Request requests[2];
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Irecv(data, 1, MPI_INT, left, kTag, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(data + 1, 1, MPI_INT, right, kTag + 1, MPI_COMM_WORLD, &requests[1]);
  if (rank != 0) MPI_Send(data, 1, MPI_INT, right, kTag, MPI_COMM_WORLD);
  if (rank != 0) MPI_Send(data, 1, MPI_INT, left, kTag + 1, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void any_source(void) {
  if (rank == 0)
    MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void exited(void) {
  if (rank == 1) _exit(0);
  if (rank == 0) MPI_Recv(data, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void probes(void) {
  if (rank < 2) MPI_Probe(1 - rank, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void polls(void) {
  MPI_Request request;
  int done = 0;
  if (rank > 1) return;
  MPI_Irecv(data, 1, MPI_INT, 1 - rank, kTag, MPI_COMM_WORLD, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}
static void two_communicators(void) { /* the same collective operations in another order */
  MPI_Comm first, second;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  MPI_Comm_set_name(first, "first");
  MPI_Comm_set_name(second, "second");
  MPI_Barrier(rank == 0 ? first : second);
  MPI_Barrier(rank == 0 ? second : first);
}
static void fence(void) {
  MPI_Win window;
  MPI_Win_create(data, sizeof data, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 1) MPI_Recv(data, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, window);
  MPI_Win_fence(0, window);
}
static void nonblocking_barrier(void) {
  MPI_Request request;
  if (rank == 1) MPI_Recv(data, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void half(void) { /* a communicator of the even ranks lacks rank 2 */
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank == 2) MPI_Recv(data, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(half);
}
static void finalized(void) {
  if (rank == 0) MPI_Recv(data, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
/* No deadlock: rank 1 computes for a long time, and the others wait for it. */
static void computes(void) {
  volatile double sum = 0;
  if (rank == 1) {
    for (;;) sum = sum + 1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}
/* No deadlock: messages all the time. */
static void moves(void) {
  for (;;)
    MPI_Sendrecv(data, 1, MPI_INT, (rank + 1) % size, kTag, data + 1, 1, MPI_INT,
                 (rank + size - 1) % size, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Two threads that lock two mutexes in different order. */
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void* lock_backwards(void* none) {
  pthread_mutex_lock(&second);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&first);
  return none;
}
static void locks(void) {
  if (rank == 0) {
    pthread_t other;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&other, NULL, lock_backwards, NULL);
    pthread_mutex_lock(&first);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&second);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}
/* A lock whose holder is in MPI, where it waits for a message that its rank would send later. */
static void* receive_with_lock(void* none) {
  pthread_mutex_lock(&first);
  pthread_barrier_wait(&both);
  MPI_Recv(data, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return none;
}
static void holder_in_mpi(void) {
  if (rank == 0) {
    pthread_t other;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&other, NULL, receive_with_lock, NULL);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&first);
  }
  while (1) sleep(1);
}

static const struct {
  const char* name;
  void (*run)(void);
} kinds[] = {{"two_receives", two_receives},
             {"ring_of_sends", ring_of_sends},
             {"large_sends", large_sends},
             {"wrong_tag", wrong_tag},
             {"lost_tag", lost_tag},
             {"missing_rank", missing_rank},
             {"other_collective", other_collective},
             {"other_root", other_root},
             {"from_itself", from_itself},
             {"waitall", waitall},
             {"any_source", any_source},
             {"exited", exited},
             {"probes", probes},
             {"polls", polls},
             {"two_communicators", two_communicators},
             {"fence", fence},
             {"nonblocking_barrier", nonblocking_barrier},
             {"half", half},
             {"finalized", finalized},
             {"computes", computes},
             {"locks", locks},
             {"holder_in_mpi", holder_in_mpi},
             {"moves", moves}};

int main(int argc, char** argv) {
  int provided;
  if (argc > 1 && strcmp(argv[1], "holder_in_mpi") == 0) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    if (argc > 1 && strcmp(argv[1], kinds[i].name) == 0) kinds[i].run();
  }
  MPI_Finalize();
  return 0;
}
