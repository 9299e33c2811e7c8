/* SPDX-License-Identifier: BSD-3-Clause */
/* Lets MPICH (ch4:ucx) processes share cores: after some idle polls the core is given away.
 *
 * UCX polls without yielding. With more ranks than cores, a rank that waits keeps the core from the
 * rank that it waits for until the scheduler takes it away, so every message costs milliseconds.
 * Preloaded for runs like that (scan --yield); it changes nothing but time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

enum { kIdlePolls = 20 };

unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  static __thread int idle;
  if (next == 0) next = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (next == 0) return 0;
  const unsigned done = next(worker);
  if (done != 0) {
    idle = 0;
  } else if (++idle >= kIdlePolls) {
    idle = 0;
    sched_yield();
  }
  return done;
}
