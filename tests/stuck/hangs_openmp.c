/* SPDX-License-Identifier: BSD-3-Clause
   hangs_openmp KIND: two threads of rank 0 that take two locks in different order. The other ranks
   wait in a barrier. */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>

static omp_lock_t first, second;
static omp_nest_lock_t outer, inner;
static pthread_mutex_t front = PTHREAD_MUTEX_INITIALIZER, back = PTHREAD_MUTEX_INITIALIZER;
static int shared_sum; /* a region that uses nothing has the line of its function */

/* Each thread has its first lock here. */
static void both_have_one(void) {
#pragma omp atomic
  ++shared_sum;
#pragma omp barrier
}

static void both_come(void) {
  static volatile int here;
#pragma omp atomic
  ++here;
  while (here < 2) {
  }
}

static void locks(void) {
  omp_init_lock(&first);
  omp_init_lock(&second);
#pragma omp parallel num_threads(2)
  {
    const int swaps = omp_get_thread_num();
    omp_set_lock(swaps ? &second : &first);
    both_have_one();
    if (swaps) {
      omp_set_lock(&first); /* one */
    } else {
      omp_set_lock(&second); /* other */
    }
  }
}

static void nest_locks(void) {
  omp_init_nest_lock(&outer);
  omp_init_nest_lock(&inner);
#pragma omp parallel num_threads(2)
  {
    const int swaps = omp_get_thread_num();
    omp_set_nest_lock(swaps ? &inner : &outer);
    omp_set_nest_lock(swaps ? &inner : &outer);
    omp_unset_nest_lock(swaps ? &inner : &outer);
    both_have_one();
    if (swaps) {
      omp_set_nest_lock(&outer); /* one */
    } else {
      omp_set_nest_lock(&inner); /* other */
    }
  }
}

/* A critical section inside another one. */
static void criticals(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
#pragma omp critical(upper)
      {
        both_come();
#pragma omp critical(lower) /* one */
        ++shared_sum;
      }
    } else {
#pragma omp critical(lower)
      {
        both_come();
#pragma omp critical(upper) /* other */
        ++shared_sum;
      }
    }
  }
}

/* A mutex inside a critical section, and the other way round. */
static void mixed(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
      pthread_mutex_lock(&front);
      both_come();
#pragma omp critical(upper) /* one */
      ++shared_sum;
    } else {
#pragma omp critical(upper)
      {
        both_come();
        pthread_mutex_lock(&front); /* other */
      }
    }
  }
}

static void mutexes(void) {
#pragma omp parallel num_threads(2)
  {
    const int swaps = omp_get_thread_num();
    pthread_mutex_lock(swaps ? &back : &front);
    both_have_one();
    if (swaps) {
      pthread_mutex_lock(&front); /* one */
    } else {
      pthread_mutex_lock(&back); /* other */
    }
  }
}

int main(int argc, char** argv) {
  int rank;
  const char* kind = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    if (strcmp(kind, "locks") == 0) locks();
    if (strcmp(kind, "nest_locks") == 0) nest_locks();
    if (strcmp(kind, "criticals") == 0) criticals();
    if (strcmp(kind, "mixed") == 0) mixed();
    if (strcmp(kind, "mutexes") == 0) mutexes();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
