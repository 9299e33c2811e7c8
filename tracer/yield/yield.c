/* SPDX-License-Identifier: BSD-3-Clause */
/* Lets MPICH (ch4:ucx) processes share cores: yields the core after some idle polls.
 *
 * UCX polls without yielding. If there are more ranks than cores, a waiting rank keeps the core
 * from the rank that it waits for until the scheduler intervenes, so every message costs
 * milliseconds. This library is preloaded in such runs (scan --yield); it changes nothing but time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

enum { kIdlePolls = 20 };

typedef unsigned (*Progress)(void*);
unsigned ucp_worker_progress(void* worker);

/* UCX's function, even if UCX was loaded for one module only. */
static Progress find_next(void) {
  const char* name = "ucp_worker_progress";
  Progress found = (Progress)dlsym(RTLD_NEXT, name);
  void* ucp = found == 0 ? dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD) : 0;
  return ucp == 0 ? found : (Progress)dlsym(ucp, name);
}

unsigned ucp_worker_progress(void* worker) {
  static Progress next;
  static __thread int idle;
  if (next == 0) next = find_next();
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
