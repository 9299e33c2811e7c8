// SPDX-License-Identifier: BSD-3-Clause
// Metrics of the reasons of delays: delay costs, by what the delayer did longer than others.
#include "patterns/derived/derived_metrics.hpp"

namespace latecomer::patterns {

std::vector<Metric> delay_reason_metrics(const Paradigms& paradigms) {
  constexpr auto s = Unit::kSeconds;
  constexpr const char* root = "delay_reasons";
  std::vector<Metric> all = {
      {root, "Reasons of delays", "", s,
       "Delay costs, by what those who made others wait did longer than others.",
       "The sum is that of the short-term and long-term delay costs: the same time, divided "
       "further. Each delay is that of one stretch, from the moment at which the one who waits and "
       "the one who made it wait were last in step. Its reasons are what the latter did longer in "
       "that stretch. Time without a core is exact. Samples and instructions are added up over all "
       "delays of a call path, and have an error. Where they are fewer than ten, the call path is "
       "compared with its mean on all others that compute there, in the whole run.\n"},
      {"delay_computed", "Computed longer", root, s,
       "Delay costs of computing longer than others, on a core.",
       "More work, or the same work done more slowly, as on memory that is farther away. "
       "`latecomer "
       "show` names the lines.\n"
       "What to try: give all processes equal shares of the work of this call path.\n"},
      {"delay_preempted", "Had no core", root, s,
       "Delay costs of threads that could run but had no core.",
       "Something else ran on the core: another process or thread of the program, of another user, "
       "or of the system.\n"
       "What to try: no more processes and threads than cores, one core for each of them "
       "(pinning), and nothing else on the machine.\n"},
      {"delay_blocked", "Was blocked", root, s, "Delay costs of threads that waited in the kernel.",
       "The thread slept, or waited for a file, a lock, a socket, a thread or a child.\n"
       "What to try: look for sleep(), locks and input or output in this call path.\n"},
      {"delay_kernel", "Was in the kernel", root, s, "Delay costs of system calls and page faults.",
       "Much of it with many page faults is the first touch of new memory.\n"
       "What to try: memory that is used again instead of freed, large pages, fewer system "
       "calls.\n"},
      {"delay_off_core", "Without a core or in the kernel", root, s,
       "Delay costs of time without samples, of which the kernel tells no more.",
       "The kernel did not say when threads lost their cores, or only for a part of them. So the "
       "thread was blocked, had no core, or was in the kernel.\n"},
      {"delay_in_files", "In calls on files", root, s, "Delay costs of calls on files outside MPI.",
       "The summary names the file, with its bytes and times.\n"
       "What to try: fewer and larger accesses, MPI-IO, or one process that writes while the "
       "others compute.\n"},
      {"delay_in_mpi", "In MPI itself", root, s, "Delay costs of MPI calls, without their waiting.",
       "Transfer, copying, or a call that was left late. Times of 0.1 ms or more without a core "
       "are "
       "no part of it, if the trace tells them.\n"},
      {"delay_not_sampled", "Not sampled", root, s,
       "Delay costs of call paths without computing time, or of threads that were not sampled.",
       "Constructs of threads, and locations whose samples the kernel refused.\n"},
  };
  if (!paradigms.instructions) return all;
  constexpr const char* computed = "delay_computed";
  all.push_back({"delay_more", "Computed more", computed, s,
                 "Delay costs of more instructions than others execute.",
                 "The instructions that the call path has more than that of the one who waits, at "
                 "the latter's "
                 "time per instruction. Only where instructions were counted.\n"
                 "What to try: give all processes equal shares of the work of this call path.\n"});
  all.push_back(
      {"delay_slower", "Computed slower", computed, s,
       "Delay costs of instructions that took longer than those of others.",
       "The difference of the times per instruction, times the instructions. Only where "
       "instructions were counted.\n"
       "Typical causes: data that is not in the cache, or in the memory of another socket; a core "
       "with a lower clock rate, or one that is shared.\n"
       "What to try: count cache misses and cycles (`scan --counters`), first touch of memory by "
       "the threads that use it, pinning.\n"});
  return all;
}

}  // namespace latecomer::patterns
