/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded in the testbed: lets MPI_Finalize of MPICH 4.0 (ch4:ucx) end when messages go by TCP.
 *
 * MPI_Finalize closes the connections and then waits in a barrier of the process manager, where it
 * no longer answers others. If another process comes a little later and has sent long messages, it
 * waits forever for our acknowledgment (MPICH pull request 6596, in later releases). With this
 * library a process that waits for the process manager after it has closed connections continues to
 * answer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <sys/types.h>

enum { kMostWorkers = 64 };

static void* workers[kMostWorkers];
static int number_of_workers;
static int closing;

/* Types of the functions that this library wraps. */
typedef int (*CreateFunction)(void* context, const void* parameters, void** worker);
typedef void (*DestroyFunction)(void* worker);
typedef void* (*DisconnectFunction)(void* endpoint);
typedef unsigned (*ProgressFunction)(void* worker);
typedef ssize_t (*ReadFunction)(int file, void* buffer, size_t size);

int ucp_worker_create(void* context, const void* parameters, void** worker);
void ucp_worker_destroy(void* worker);
void* ucp_disconnect_nb(void* endpoint);

int ucp_worker_create(void* context, const void* parameters, void** worker) {
  const int status =
      ((CreateFunction)dlsym(RTLD_NEXT, "ucp_worker_create"))(context, parameters, worker);
  if (status == 0 && number_of_workers < kMostWorkers) workers[number_of_workers++] = *worker;
  return status;
}

void ucp_worker_destroy(void* worker) {
  for (int i = 0; i < number_of_workers; ++i) {
    if (workers[i] == worker) workers[i--] = workers[--number_of_workers];
  }
  ((DestroyFunction)dlsym(RTLD_NEXT, "ucp_worker_destroy"))(worker);
}

void* ucp_disconnect_nb(void* endpoint) {
  closing = 1;
  return ((DisconnectFunction)dlsym(RTLD_NEXT, "ucp_disconnect_nb"))(endpoint);
}

static int can_be_read(int file) {
  struct pollfd wait = {file, POLLIN, 0};
  return poll(&wait, 1, 0) != 0;
}

ssize_t read(int file, void* buffer, size_t size) {
  static ReadFunction next;
  if (next == NULL) next = (ReadFunction)dlsym(RTLD_NEXT, "read");
  if (closing && number_of_workers > 0) {
    const ProgressFunction progress = (ProgressFunction)dlsym(RTLD_NEXT, "ucp_worker_progress");
    while (progress != NULL && !can_be_read(file)) {
      for (int i = 0; i < number_of_workers; ++i) progress(workers[i]);
      sched_yield();
    }
  }
  return next(file, buffer, size);
}
