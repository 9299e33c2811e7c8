// SPDX-License-Identifier: BSD-3-Clause
// Processes that are still recording.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/result.hpp"

namespace latecomer {

// Name of this host, as records have it; empty if it has none.
[[nodiscard]] std::string own_host();

// Ids of processes of this host, except this one, that have mapped record files of this experiment.
// Processes of other hosts, containers and users cannot be seen.
[[nodiscard]] std::vector<pid_t> live_processes(const std::string& experiment);

// Result of a look at the processes that are recording.
struct ProcessLook {
  std::vector<pid_t> found;
  std::vector<std::uint32_t> ranks;  // those of them, as the names of their files say; ascending
  bool all_seen = true;  // false: there may be others, since the kernel did not show all of them
};
[[nodiscard]] ProcessLook look_for_processes(const std::string& experiment);

// What to tell a user who asks for the results of a run while these processes record. Without them
// it looks; none if there is no process.
[[nodiscard]] Problem still_going(const std::string& experiment,
                                  const std::vector<pid_t>& processes);
[[nodiscard]] std::optional<Problem> still_going(const std::string& experiment);

// Ids of those that remain after some seconds. mpiexec returns from MPI_Abort or a signal before
// the kernel has ended all processes.
[[nodiscard]] std::vector<pid_t> lasting_processes(const std::string& experiment);

}  // namespace latecomer
