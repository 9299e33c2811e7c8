/* SPDX-License-Identifier: BSD-3-Clause */
/* With LIBRARY: a library that is named like that of another MPI and has addresses as handles.
   With PLUGIN: a plugin for a program that is not linked with that library. With LAYER: a
   profiling layer. Otherwise: a program that is linked with the library or, with LOADER, loads the
   plugin. The program ends with 7 if all arguments were passed on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct handle {
  int number;
};
extern struct handle other_world, other_int;
int MPI_Initialized(int* flag);
int MPI_Init(int* argc, char*** argv);
int MPI_Sendrecv(const void* to, int to_count, struct handle* to_type, int destination, int to_tag,
                 void* from, int from_count, struct handle* from_type, int source, int from_tag,
                 struct handle* comm, int* status);
int MPI_Finalize(void);

#if defined(LIBRARY)
struct handle other_world = {1}, other_int = {2};
static int initialized;
int MPI_Initialized(int* flag) { return *flag = initialized, 0; }
int MPI_Init(int* argc, char*** argv) {
  return initialized = 1, *argc > 0 && *argv != NULL ? 0 : 1;
}
int MPI_Sendrecv(const void* to, int to_count, struct handle* to_type, int destination, int to_tag,
                 void* from, int from_count, struct handle* from_type, int source, int from_tag,
                 struct handle* comm, int* status) {
  if (to_type != &other_int || from_type != &other_int || comm != &other_world) return 1;
  if (to_count != 1 || destination != 2 || to_tag != 3) return 2;
  if (from_count != 1 || source != 4 || from_tag != 5) return 3;
  memcpy(from, to, sizeof(int));
  *status = 6;
  return 0;
}
int MPI_Finalize(void) { return initialized = 0; }
#elif defined(LAYER)
int MPI_Finalize(void) {
  int (*next)(void) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "MPI_Finalize");
  puts("layer");
  return next != NULL ? next() : 1;
}
#elif defined(LOADER)
int main(int argc, char** argv) {
  void* const plugin = dlopen(PLUGIN_FILE, RTLD_NOW | RTLD_LOCAL);
  int (*run)(int*, char***) = NULL;
  if (plugin != NULL) *(void**)&run = dlsym(plugin, "run");
  return run != NULL ? run(&argc, &argv) : 1;
}
#else
int run(int* argc, char*** argv);
int run(int* argc, char*** argv) {
  int before = 1, after = 0, sent = 11, received = 0, status = 0;
  MPI_Initialized(&before);
  if (MPI_Init(argc, argv) != 0) return 2;
  MPI_Initialized(&after);
  const int error = MPI_Sendrecv(&sent, 1, &other_int, 2, 3, &received, 1, &other_int, 4, 5,
                                 &other_world, &status);
  printf("initialized %d %d, error %d, received %d, status %d\n", before, after, error, received,
         status);
  if (MPI_Finalize() != 0) return 3;
  return before == 0 && after == 1 && error == 0 && received == 11 && status == 6 ? 7 : 4;
}
#if !defined(PLUGIN)
int main(int argc, char** argv) { return run(&argc, &argv); }
#endif
#endif
