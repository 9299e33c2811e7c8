// SPDX-License-Identifier: BSD-3-Clause
// Metrics of what the kernel did with the threads of a sampled run.
#include "patterns/metric/metric_tables.hpp"

namespace latecomer::patterns {

std::vector<Metric> kernel_metrics() {
  constexpr auto s = Unit::kSeconds;
  constexpr auto n = Unit::kOccurrences;
  return {
      {"comp_preempted", "Waiting for a core", "comp", s,
       "Part of the computing time in which a thread could run but had no core.",
       "Something else ran on the core meanwhile: another process or thread of the program, of "
       "another user, or of the system. Containers and batch systems that limit processor time "
       "stop threads, too.\n"
       "What to try: no more processes and threads than cores, one core for each of them "
       "(pinning), and nothing else on the machine.\n"},
      {"comp_blocked", "Blocked", "comp", s,
       "Part of the computing time in which a thread waited in the kernel.",
       "The thread slept, or waited for a file, a lock, a socket, a thread or a child. The time "
       "until it had "
       "a core again is in it. No samples are taken meanwhile, so it counts at the function that "
       "is known to be open.\n"
       "What to try: fewer and larger accesses to files, or MPI-IO; shorter locks.\n"},
      {"page_faults", "Page faults", "", n, "Number of page faults of computation, in steps of 64.",
       "The first touch of each page of new memory is a page fault. The kernel then clears the "
       "page "
       "or reads it from a file.\n"
       "What to try: memory that is used again instead of freed, and large pages.\n"},
      {"migrations", "Migrations", "", n,
       "Number of times that a thread went on on another core while it computed.",
       "On another core the caches are cold, and memory may be farther away.\n"
       "What to try: one core for each process and thread (pinning).\n"},
  };
}

}  // namespace latecomer::patterns
