/* SPDX-License-Identifier: BSD-3-Clause */
/* loads_mpi PLUGIN: a program that does not use MPI until it loads a plugin that does, as
   interpreters load extensions. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (plugin == NULL) {
    fprintf(stderr, "cannot load: %s\n", dlerror());
    return 1;
  }
  int (*run)(void) = (int (*)(void))dlsym(plugin, "run");
  return run == NULL ? 2 : run();
}
