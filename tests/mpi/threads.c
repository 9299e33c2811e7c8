/* SPDX-License-Identifier: BSD-3-Clause */
/* threads [LEVEL]: MPI_Init_thread provides the level that was requested. With MPI_THREAD_MULTIPLE
   several threads send, receive and complete at the same time. */
#include <pthread.h>

#include "conform.h"

enum { kThreads = 4, kRounds = 60 };
static void* work(void* argument) {
  const int tag = (int)(long)argument, next = (rank + 1) % size,
            previous = (rank + size - 1) % size;
  for (int i = 0; i < kRounds; ++i) {
    int out[2] = {rank, i}, in[4] = {-1, -1, -1, -1};
    MPI_Request r[4];
    MPI_Status status;
    OK(MPI_Irecv(&in[0], 2, MPI_INT, previous, tag, MPI_COMM_WORLD, &r[0]));
    OK(MPI_Isend(out, 2, MPI_INT, next, tag, MPI_COMM_WORLD, &r[1]));
    OK(MPI_Irecv(&in[2], 2, MPI_INT, previous, tag + 100, MPI_COMM_WORLD, &r[2]));
    OK(MPI_Isend(out, 2, MPI_INT, next, tag + 100, MPI_COMM_WORLD, &r[3]));
    switch (i % 4) {
      case 0:
        OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
        break;
      case 1:
        for (int k = 0; k < 4; ++k) OK(MPI_Wait(&r[k], MPI_STATUS_IGNORE));
        break;
      case 2:
        for (int done = 0; done < 4; ++done) {
          int which = -1;
          OK(MPI_Waitany(4, r, &which, &status));
          CHECK(which >= 0 && (which % 2 == 1 || status.MPI_SOURCE == previous));
        }
        break;
      default:
        for (int flag = 0; !flag;) {
          OK(MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE));
          if (!flag) sched_yield();
        }
    }
    CHECK(in[0] == previous && in[1] == i && in[2] == previous && in[3] == i);
  }
  int main_thread = -1;
  OK(MPI_Is_thread_main(&main_thread));
  CHECK(main_thread == (tag == 0));
  return NULL;
}

int main(int argc, char** argv) {
  const int level = argc > 1 ? atoi(argv[1]) : MPI_THREAD_MULTIPLE;
  int provided = -1, again = -1;
  OK(MPI_Init_thread(&argc, &argv, level, &provided));
  OK(MPI_Query_thread(&again));
  CHECK(provided == level && again == level);
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  const int threads = level == MPI_THREAD_MULTIPLE ? kThreads : 1;
  pthread_t others[kThreads];
  for (long i = 1; i < threads; ++i) CHECK(pthread_create(&others[i], NULL, work, (void*)i) == 0);
  work(NULL);
  for (int i = 1; i < threads; ++i) pthread_join(others[i], NULL);
  records("MPI_ISEND", threads * kRounds * 2);
  records("MPI_ISEND_COMPLETE", threads * kRounds * 2);
  records("MPI_IRECV_REQUEST", threads * kRounds * 2);
  records("MPI_IRECV", threads * kRounds * 2);
  write_expected();
  OK(MPI_Finalize());
  if (rank == 0) puts("ok");
  return 0;
}
