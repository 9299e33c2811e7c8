/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that communicates and then ends in one of many ways, named by its argument. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void limit(int resource, rlim_t most) {
  struct rlimit limit = {most, most};
  setrlimit(resource, &limit);
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "well";
  int rank, value;
  char line[64] = "";
  if (strcmp(way, "umask_first") == 0) umask(0077);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  value = rank;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  const int chosen = rank == 1;
  if (strcmp(way, "segfault") == 0 && chosen) raise(SIGSEGV);
  if (strcmp(way, "kill") == 0 && chosen) raise(SIGKILL);
  if (strcmp(way, "abort") == 0 && chosen) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(way, "stuck") == 0 && rank == 0) {
    sleep(2);
    raise(SIGKILL);
  }
  if (strcmp(way, "stuck") == 0 && rank == 1) {
    MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(way, "sleep") == 0) sleep(60);
  while (strcmp(way, "until") == 0 && access(argv[2], F_OK) != 0) usleep(10000);
  if (strcmp(way, "stubborn") == 0) {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sleep(60);
  }
  /* Each broadcast has another length, so that no record is a repeat: their size does not depend on
     speed. */
  static char bytes[4500];
  static int files[1000]; /* so that no further one can be opened */
  int opened = 0;
  const int no_files = strcmp(way, "files") == 0;
  for (int file = 0; no_files && file >= 0 && opened < 1000;) {
    file = open("/dev/null", O_RDONLY);
    if (file >= 0) files[opened++] = file;
  }
  for (int i = 0; (strcmp(way, "many") == 0 || no_files) && i < (int)sizeof bytes; ++i) {
    MPI_Bcast(bytes, i, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  while (opened > 0) close(files[--opened]);
  if (strcmp(way, "nested") == 0) {
    printf("the other one ended with %d\n", system(argv[2]));
    way = "well";
  }
  if (strcmp(way, "exit") == 0) exit(0);
  if (strcmp(way, "exit3") == 0) exit(3);
  if (strcmp(way, "unreceived") == 0) {
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  }
  if (strcmp(way, "echo") == 0 && rank == 0 && fgets(line, sizeof line, stdin) != NULL) {
    printf("%s", line);
    for (int i = 2; i < argc; ++i) printf("[%s]", argv[i]);
    printf("\n");
  }
  if (strcmp(way, "umask") == 0) umask(0777);
  if (strcmp(way, "no_long_files") == 0) limit(RLIMIT_FSIZE, 1000);
  if (strcmp(way, "no_more_files") == 0) limit(RLIMIT_NOFILE, 3);
  if (strcmp(way, "preloaded") == 0) printf("%s\n", getenv("LD_PRELOAD"));
  if (strcmp(way, "well") != 0 && strcmp(way, "echo") != 0 && strcmp(way, "status5") != 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return strcmp(way, "status5") == 0 ? 5 : 0;
}
