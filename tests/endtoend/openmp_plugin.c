// SPDX-License-Identifier: BSD-3-Clause
// Parts of a program that loads its threads: the runtime is visible to a library only, as in
// modules of Python.
//
//   cc -DPLUGIN -fopenmp -shared     work()
//   cc -DTOOL -shared                a tool of LLVM's runtime
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
#elif defined(TOOL)
#include <stdio.h>

struct result {
  int (*initialize)(void*, int, void*);
  void (*finalize)(void*);
  void* data;
};
static int initialize(void* lookup, int device, void* data) {
  (void)lookup, (void)device, (void)data;
  printf("another tool\n");
  return 1;
}
static void finalize(void* data) { (void)data; }

struct result* ompt_start_tool(unsigned version, const char* runtime);
struct result* ompt_start_tool(unsigned version, const char* runtime) {
  static struct result result = {initialize, finalize, 0};
  (void)version, (void)runtime;
  return &result;
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
