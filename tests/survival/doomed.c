/* SPDX-License-Identifier: BSD-3-Clause */
/* A program to which something happens inside MPI_Init, in between, or inside MPI_Finalize.
 *
 * usage: doomed FAULT MOMENT POINT DIRECTORY EXPERIMENT
 *
 * The moments inside MPI_Init and MPI_Finalize are the PMPI calls made there, among them the
 * measurement's calls. They come through this program since its own functions are found first.
 * POINT is the number of the call, from 1; in between it is the number of the step. The program
 * leaves in DIRECTORY: steps.R, the number of steps that rank R has completed (8 bytes); points.R,
 * the number of calls inside MPI_Init and MPI_Finalize; happened.R. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kSteps = 600, kBefore = 0, kInInit, kBetween, kInFinalize };

static const char *fault, *moment, *directory, *experiment;
static int wanted, phase, calls[4], my_rank = -1;

static int launched_as(void) {
  const char* rank = getenv("PMI_RANK");
  if (rank == NULL) rank = getenv("OMPI_COMM_WORLD_RANK");
  return rank != NULL ? atoi(rank) : 0;
}

static void leave(const char* name, const char* text) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%d", directory, name, my_rank);
  FILE* file = fopen(path, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) _exit(90);
}

/* Fills the free space on the file system of the experiment. */
static void fill(void) {
  static char block[4096];
  char path[4096];
  snprintf(path, sizeof path, "%s/../filling", experiment);
  int file = open(path, O_CREAT | O_WRONLY, 0666);
  for (size_t size = sizeof block; size > 0;) {
    const ssize_t wrote = write(file, block, size);
    if (wrote < 0 && errno != ENOSPC) _exit(91);
    if (wrote <= 0) size /= 2;
  }
  close(file);
}

static void happen(void) {
  const int all = strcmp(fault, "kill_all") == 0;
  if (my_rank != 1 && !all) return;
  leave("happened", "");
  if (strncmp(fault, "kill", 4) == 0) raise(SIGKILL);
  if (strcmp(fault, "mpi_abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(fault, "abort") == 0) abort();
  if (strcmp(fault, "segfault") == 0) {
    volatile int* nowhere = NULL;
    *nowhere = 1;
  }
  if (strcmp(fault, "exit") == 0) exit(3);
  if (strncmp(fault, "sigterm", 7) == 0) sleep(60); /* the test sends the signal */
  if (strcmp(fault, "full") == 0) fill();
  if (strcmp(fault, "removed") == 0) {
    /* Repeats the removal if another process has created a file while its folder was being
       emptied. */
    char command[4400];
    snprintf(command, sizeof command,
             "for i in 1 2 3 4 5 6 7 8 9; do rm -rf '%s' 2>/dev/null && exit 0; done; exit 1",
             experiment);
    unsetenv("LD_PRELOAD");
    if (system(command) != 0) _exit(92);
  }
}

static void point(int now) {
  static const char* const kMoments[] = {"", "init", "between", "finalize"};
  if (phase != now || ++calls[now] != wanted) return;
  if (strcmp(moment, kMoments[now]) == 0) happen();
}

/* Defines a PMPI function that calls the real one. If `counts` holds, its calls inside MPI_Init and
   MPI_Finalize are numbered. */
#define THROUGH_IF(counts, name, parameters, arguments) \
  int P##name parameters {                              \
    static int(*real) parameters;                       \
    if (real == NULL) {                                 \
      *(void**)&real = dlsym(RTLD_NEXT, "P" #name);     \
      if (real == NULL) _exit(93);                      \
    }                                                   \
    if (phase != kBetween && (counts)) point(phase);    \
    return real arguments;                              \
  }
#define THROUGH(name, parameters, arguments) THROUGH_IF(1, name, parameters, arguments)
THROUGH(MPI_Init, (int* argc, char*** argv), (argc, argv))
THROUGH(MPI_Finalize, (void), ())
THROUGH(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* fresh), (comm, fresh))
THROUGH(MPI_Comm_free, (MPI_Comm * comm), (comm))
THROUGH(MPI_Barrier, (MPI_Comm comm), (comm))
THROUGH(MPI_Bcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm),
        (data, count, type, root, comm))
THROUGH(MPI_Allreduce,
        (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, count, type, op, comm))
THROUGH(MPI_Gather,
        (const void* from, int count, MPI_Datatype type, void* to, int to_count,
         MPI_Datatype to_type, int root, MPI_Comm comm),
        (from, count, type, to, to_count, to_type, root, comm))
THROUGH(MPI_Igather,
        (const void* from, int count, MPI_Datatype type, void* to, int to_count,
         MPI_Datatype to_type, int root, MPI_Comm comm, MPI_Request* request),
        (from, count, type, to, to_count, to_type, root, comm, request))
THROUGH(MPI_Igatherv,
        (const void* from, int count, MPI_Datatype type, void* to, const int* counts,
         const int* places, MPI_Datatype to_type, int root, MPI_Comm comm, MPI_Request* request),
        (from, count, type, to, counts, places, to_type, root, comm, request))
THROUGH(MPI_Iscatterv,
        (const void* from, const int* counts, const int* places, MPI_Datatype type, void* to,
         int count, MPI_Datatype to_type, int root, MPI_Comm comm, MPI_Request* request),
        (from, counts, places, type, to, count, to_type, root, comm, request))
/* If all processes are on one node, the measurement begins each operation with a probe for tag 1.
   The number of its other probes depends on time, so they are not counted. */
THROUGH_IF(tag == 1, MPI_Iprobe,
           (int source, int tag, MPI_Comm comm, int* found, MPI_Status* status),
           (source, tag, comm, found, status))
THROUGH(MPI_Ibcast,
        (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),
        (data, count, type, root, comm, request))

static volatile uint64_t* count_of_steps(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/steps.%d", directory, my_rank);
  const int file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0 || ftruncate(file, sizeof(uint64_t)) != 0) _exit(94);
  void* memory = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) _exit(95);
  close(file);
  return memory;
}

int main(int argc, char** argv) {
  if (argc != 6) return 96;
  fault = argv[1];
  moment = argv[2];
  wanted = atoi(argv[3]);
  directory = argv[4];
  experiment = argv[5];
  my_rank = launched_as();
  int rank = 0, size = 0, sum = 0;
  phase = kInInit;
  MPI_Init(&argc, &argv);
  phase = kBetween;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  volatile uint64_t* const steps = count_of_steps();
  for (int i = 0; i < kSteps; ++i) {
    int token = i, got = 0, all = 0;
    MPI_Sendrecv(&token, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&got, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sum = (sum + all) % 1000003;
    *steps = (uint64_t)i + 1;
    point(kBetween);
  }
  phase = kInFinalize;
  MPI_Finalize();
  phase = kBefore;
  char text[64];
  snprintf(text, sizeof text, "%d %d\n", calls[kInInit], calls[kInFinalize]);
  leave("points", text);
  if (rank == 0) printf("result %d\n", sum);
  return 0;
}
