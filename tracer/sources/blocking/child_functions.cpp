// SPDX-License-Identifier: BSD-3-Clause
// Replaces functions that wait for children.
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tracer/sources/blocking/replaced_blocking.hpp"

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED pid_t wait(int* status) { return LATECOMER_BLOCKING(wait, status); }

LATECOMER_REPLACED pid_t wait3(int* status, int options, rusage* use) {
  return LATECOMER_BLOCKING(wait3, status, options, use);
}

LATECOMER_REPLACED pid_t wait4(pid_t child, int* status, int options, rusage* use) {
  return LATECOMER_BLOCKING(wait4, child, status, options, use);
}

LATECOMER_REPLACED pid_t waitpid(pid_t child, int* status, int options) {
  return LATECOMER_BLOCKING(waitpid, child, status, options);
}

LATECOMER_REPLACED int waitid(idtype_t kind, id_t id, siginfo_t* about, int options) {
  return LATECOMER_BLOCKING(waitid, kind, id, about, options);
}

LATECOMER_REPLACED int system(const char* command) { return LATECOMER_BLOCKING(system, command); }

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
