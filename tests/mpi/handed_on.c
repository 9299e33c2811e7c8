/* SPDX-License-Identifier: BSD-3-Clause */
/* Short-lived threads, one after another: each completes, cancels or restarts what another one
   started. */
#include <pthread.h>
#include <unistd.h>

#include "conform.h"

enum { kRounds = 40, kRequests = 7 };
static MPI_Request requests[kRequests];
static int in[2], out[2], sum, to_write = 7;
static int next, previous;
static MPI_File file;

static void* make_persistent(void* unused) {
  OK(MPI_Recv_init(&in[0], 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]));
  OK(MPI_Send_init(&out[0], 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]));
  return unused;
}

static void* start(void* unused) {
  OK(MPI_Startall(2, requests));
  OK(MPI_Irecv(&in[1], 1, MPI_INT, previous, 2, MPI_COMM_WORLD, &requests[2]));
  OK(MPI_Isend(&out[1], 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[3]));
  OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[4]));
  OK(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[5]));
  OK(MPI_File_iwrite(file, &to_write, 1, MPI_INT, &requests[6]));
  return unused;
}

static void* complete(void* round) {
  if (*(int*)round % 2 == 0) {
    OK(MPI_Waitall(kRequests, requests, MPI_STATUSES_IGNORE));
    return NULL;
  }
  for (int i = kRequests - 1; i >= 0; --i) OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
  return NULL;
}

static void* wait_for_cancelled(void* request) {
  MPI_Status status;
  int cancelled = 0;
  OK(MPI_Wait(request, &status));
  OK(MPI_Test_cancelled(&status, &cancelled));
  CHECK(cancelled);
  return NULL;
}

static void* free_persistent(void* unused) {
  for (int i = 0; i < 2; ++i) OK(MPI_Request_free(&requests[i]));
  return unused;
}

static void in_a_thread(void* (*work)(void*), void* argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, work, argument) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}

static void cancel_while_waited_for(void) {
  pthread_t waits;
  MPI_Request never, same;
  OK(MPI_Irecv(&in[0], 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &never));
  same = never;
  CHECK(pthread_create(&waits, NULL, wait_for_cancelled, &never) == 0);
  usleep(50000); /* by then the thread is in its call; otherwise the test passes, too */
  OK(MPI_Cancel(&same));
  CHECK(pthread_join(waits, NULL) == 0);
}

int main(int argc, char** argv) {
  int provided = -1;
  char name[64];
  OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  CHECK(provided == MPI_THREAD_MULTIPLE);
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  snprintf(name, sizeof name, "handed_on.%d", rank);
  OK(MPI_File_open(MPI_COMM_SELF, name,
                   MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                   &file));
  in_a_thread(make_persistent, NULL);
  for (int i = 0; i < kRounds; ++i) {
    in[0] = in[1] = sum = -1;
    out[0] = i;
    out[1] = 100 + i;
    if (i % 4 < 2) {
      in_a_thread(start, NULL);
    } else {
      start(NULL);
    }
    if (i % 4 == 1) {
      complete(&i);
    } else {
      in_a_thread(complete, &i);
    }
    CHECK(in[0] == i && in[1] == 100 + i && sum == size * (size - 1) / 2);
  }
  in_a_thread(free_persistent, NULL);
  MPI_Request never;
  OK(MPI_Irecv(&in[0], 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &never));
  OK(MPI_Cancel(&never));
  in_a_thread(wait_for_cancelled, &never);
  if (size > 1) cancel_while_waited_for(); /* alone, MPICH 4.0 waits and blocks the cancellation */
  OK(MPI_File_close(&file));
  records("MPI_ISEND", 2 * kRounds);
  records("MPI_ISEND_COMPLETE", 2 * kRounds);
  records("MPI_IRECV_REQUEST", 2 * kRounds + 1 + (size > 1));
  records("MPI_IRECV", 2 * kRounds);
  records("MPI_REQUEST_CANCELLED", 1 + (size > 1));
  records("NON_BLOCKING_COLLECTIVE_REQUEST", 2 * kRounds);
  records("NON_BLOCKING_COLLECTIVE_COMPLETE", 2 * kRounds);
  records("IO_OPERATION_BEGIN", kRounds);
  records("IO_OPERATION_COMPLETE", kRounds);
  write_expected();
  OK(MPI_Finalize());
  if (rank == 0) puts("ok");
  return 0;
}
