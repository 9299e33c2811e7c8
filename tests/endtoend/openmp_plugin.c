// SPDX-License-Identifier: BSD-3-Clause
// Both halves of a program that loads its threads: the runtime is visible to a library only, as in
// modules of Python.
//
//   cc -DPLUGIN -fopenmp -shared     work()
//   cc                               loads the library that is its argument
#ifdef PLUGIN
#include <omp.h>

int work(void);
int work(void) {
  int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  {
#pragma omp critical
    sum += 1 + omp_get_thread_num();
#pragma omp barrier
  }
  return sum;
}
#else
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  int (*work)(void) = NULL;
  if (plugin != NULL) *(void**)&work = dlsym(plugin, "work");
  if (work == NULL) {
    printf("%s\n", dlerror());
    return 1;
  }
  int sum = 0;
  for (int i = 0; i < 100; ++i) sum += work();
  printf("%d\n", sum);
  MPI_Finalize();
  return 0;
}
#endif
