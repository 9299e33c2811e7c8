/* SPDX-License-Identifier: BSD-3-Clause */
/* conform AREA...: runs the checks of these areas, or all checks without arguments. */
#include "conform.h"

static const struct {
  const char* name;
  void (*run)(void);
} areas[] = {
    {"point_to_point", point_to_point},
    {"completion", completion},
    {"probes", probes},
    {"persistent", persistent},
    {"cancelling", cancelling},
    {"generalized", generalized},
    {"datatypes", datatypes},
    {"partitioned", partitioned},
    {"collectives", collectives},
    {"nonblocking", nonblocking},
    {"persistent_collectives", persistent_collectives},
    {"neighbors", neighbors},
    {"communicators", communicators},
    {"intercommunicators", intercommunicators},
    {"errors", errors},
    {"attributes", attributes},
    {"one_sided", one_sided},
    {"files", files},
};
enum { kAreas = sizeof areas / sizeof areas[0] };

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  /* MPI_Init and MPI_Finalize make records of world and self. */
  records("MPI_COLLECTIVE_END", 2);
  records("COMM_CREATE", 2);
  records("COMM_DESTROY", 2);
  int done = 0;
  for (int i = 0; i < kAreas; ++i) {
    int wanted = argc == 1;
    for (int k = 1; k < argc; ++k) wanted |= strcmp(argv[k], areas[i].name) == 0;
    if (wanted) areas[i].run();
    done += wanted;
  }
  CHECK(argc == 1 || done == argc - 1); /* all areas exist */
  write_expected();
  OK(MPI_Finalize());
  if (rank == 0) puts("ok");
  return 0;
}
