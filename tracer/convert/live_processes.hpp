// SPDX-License-Identifier: BSD-3-Clause
// Processes that are still recording.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace latecomer::convert {

// Process ids of this host, but the own one, that have record files of this experiment in their
// memory. Those of other hosts, other containers and other users cannot be seen.
[[nodiscard]] std::vector<pid_t> live_processes(const std::string& experiment);

// The same, once those that are about to end had some seconds for it: mpiexec comes back from
// MPI_Abort or a signal before the kernel has ended all processes.
[[nodiscard]] std::vector<pid_t> lasting_processes(const std::string& experiment);

}  // namespace latecomer::convert
