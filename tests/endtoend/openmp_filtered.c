// SPDX-License-Identifier: BSD-3-Clause
// openmp_filtered: teams in which a filter leaves constructs out. Each thread of a team makes one
// of its own, a parallel loop with a critical section. Then a loop, which has such a team as well,
// and a barrier follow.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

#include "delays.h"

static int inside, outside;
static long long arrived[2];

// GCC makes one construct of it, since the number of iterations is constant.
static void inner(void) {
#pragma omp parallel for num_threads(2) schedule(dynamic, 1)
  for (int i = 0; i < 4; ++i) {
    delay(2);
#pragma omp critical(first)
    inside += i;
  }
}

static void outer(int count) {
#pragma omp parallel num_threads(2)
  {
    inner();
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < count; ++i) {
      if (i == 0) inner();
#pragma omp critical(second)
      outside += 10;
    }
    if (omp_get_thread_num() == 1) delay(20);
    arrived[omp_get_thread_num()] = now();
#pragma omp barrier  // waits
    delay(1);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  outer(4);
  printf("sum %d\nbarrier %lld\n", inside + outside, arrived[1] - arrived[0]);
  MPI_Finalize();
  return 0;
}
