// SPDX-License-Identifier: BSD-3-Clause
// Metrics of delay costs: the waiting of others, charged to the place that made them wait.
#include <string>

#include "patterns/derived/derived_metrics.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

// Fields of the tables: unique name, display name, parent, unit, description, explanation.

std::string parent_of(WaitFamily family) {
  switch (family) {
    case WaitFamily::kPointToPoint:
      return "delay_p2p";
    case WaitFamily::kCollective:
      return "delay_collective";
    case WaitFamily::kOneSided:
      return "delay_rma";
    case WaitFamily::kOpenMp:
      return "delay_omp";
    case WaitFamily::kPthread:
      return "delay_pthread";
    case WaitFamily::kFiles:
    case WaitFamily::kInitExit:
      break;
  }
  return "delay_mpi";
}

// Texts for waits of threads; those of idle threads differ.
std::vector<Metric> of_threads(WaitKind kind, const std::string& delay, const std::string& display,
                               const std::string& aggregate) {
  const bool idle = kind == WaitKind::kIdleThread;
  const bool tasks = kind == WaitKind::kTaskStarvation || kind == WaitKind::kTaskWait;
  return {
      {aggregate, idle ? "Idleness delay costs" : display, parent_of(family_of(kind)),
       Unit::kSeconds,
       idle ? "Delays that led to idle threads: their time, at the place where their master was."
            : "Delays that led to " + display +
                  ": waiting of threads for others of their process, at the place that caused it.",
       idle ? "While the master works alone its threads idle, until it makes the next team. That "
              "time is charged to what the master did since both were last in a team, for each "
              "thread that idles.\n"
            : "The waiting time of this kind, charged to the call paths that made other threads "
              "wait. Before a wait the thread that ended it is compared with the thread that "
              "waited, since both were last in step. They are in step at a fork, a barrier or a "
              "lock. What it spent longer in a call path is a delay, and bears the costs of the "
              "wait in proportion.\n"},
      {delay, "Short-term", aggregate, Unit::kSeconds,
       "Costs of the waits that a delay caused directly.",
       idle
           ? "What the master did itself.\n"
             "What to try: put parallel constructs around the call paths with the largest values.\n"
       : tasks ? "The thread executed tasks of this call path while others had none.\n"
                 "What to try: divide these tasks, or begin with them.\n"
               : "The thread arrived late, or held the lock, because of this call path.\n"
                 "What to try: give the threads of a team equal shares of the work of this call "
                 "path.\n"},
      {delay + "_longterm", "Long-term", aggregate, Unit::kSeconds,
       "Costs of the waits that a delay caused through other waits.",
       idle ? "The master had to wait, for a message or another thread; what made it wait, on "
              "another process maybe, bears the costs of its idle threads as well.\n"
              "What to try: remove the delay at the beginning of the chain, or let the threads "
              "work while the master waits.\n"
            : "A thread that waits becomes late itself and lets others wait, later and elsewhere. "
              "Those waits are charged back along the chain to the delay at its beginning.\n"
              "What to try: remove the delay, and the whole chain goes.\n"},
  };
}

std::vector<Metric> of_kind(WaitKind kind) {
  const auto& names = wait_kinds()[index_of(kind)];
  const std::string delay(names.delay), display(names.display);
  const std::string aggregate = delay + "_aggregate";
  if (is_of_threads(kind)) return of_threads(kind, delay, display, aggregate);
  return {
      {aggregate, display, parent_of(family_of(kind)), Unit::kSeconds,
       "Delays that led to " + display +
           ": waiting of other processes, at the place that caused it.",
       "The waiting time of this kind, charged to the call paths that made the others wait. Before "
       "a wait the process that ended it is compared with the process that waited, since both were "
       "last in step: what it spent longer in a call path is a delay, and bears the costs of the "
       "wait in proportion.\n"},
      {delay, "Short-term", aggregate, Unit::kSeconds,
       "Costs of the waits that a delay caused directly.",
       "The wait follows the delay: its cause arrived late because of this call path.\n"
       "What to try: this is where time can be won twice, in the delay itself and in the waiting "
       "of others. Even out the work of this call path between the processes.\n"},
      {delay + "_longterm", "Long-term", aggregate, Unit::kSeconds,
       "Costs of the waits that a delay caused through other waits.",
       "A process that waits becomes late itself and lets others wait, later and elsewhere. Those "
       "waits are charged back along the chain to the delay at its beginning.\n"
       "What to try: large values show delays whose effect is seen far away from where it was "
       "caused. Remove the delay, and the whole chain goes.\n"},
  };
}

}  // namespace

std::vector<Metric> delay_metrics(const Paradigms& paradigms) {
  std::vector<Metric> out = {
      {"delay", "Delay costs", "", Unit::kSeconds,
       "Waiting time of all processes, at the call paths and processes that caused it.",
       "The sum over everything below is the sum of all wait states: the same time, seen from its "
       "cause. A wait state tells who waited, delay costs tell for what.\n"
       "What to try: begin here. The call path and process with the largest costs is the place "
       "where balancing work helps most.\n"},
      {"delay_mpi", "MPI", "delay", Unit::kSeconds, "Delays that led to waiting in MPI.",
       "All kinds of wait states in MPI for which a cause was found.\n"},
      {"delay_p2p", "Point-to-point", "delay_mpi", Unit::kSeconds,
       "Delays that led to waiting for messages.", "Late Sender and Late Receiver.\n"},
      {"delay_collective", "Collective", "delay_mpi", Unit::kSeconds,
       "Delays that led to waiting in collective operations.",
       "Barriers and all collective operations that move data.\n"},
      {"delay_rma", "One-sided", "delay_mpi", Unit::kSeconds,
       "Delays that led to waiting in one-sided communication.",
       "Creation and freeing of windows, fences, epochs with groups, and locks.\n"}};
  if (paradigms.openmp) {
    out.push_back(
        {"delay_omp", "OpenMP", "delay", Unit::kSeconds, "Delays that led to waiting of threads.",
         "Waits of OpenMP threads for others of their process, and threads without work.\n"});
  }
  if (paradigms.pthread) {
    out.push_back({"delay_pthread", "POSIX threads", "delay", Unit::kSeconds,
                   "Delays that led to waiting of POSIX threads.",
                   "Waits for other threads of the process: for locks that they hold, for their "
                   "signals, and for their end.\n"});
  }
  out.push_back({"delay_unknown", "Unknown cause", "delay", Unit::kSeconds,
                 "Waiting time that no delay explains, at the process that waited.",
                 "Waits whose cause is not in the trace: the process that ended them had been in a "
                 "call of which no other side was recorded, where it may have waited itself; or "
                 "both had never been in step before, as without MPI_Init in the trace. Little is "
                 "left of unsuccessful tests and of calls that wait for several others one after "
                 "the other. In a complete trace it is next to nothing: who is waited for spent "
                 "the time in some call path, and be it in a transfer, or without a core.\n"});
  for (std::size_t k = 0; k < kWaitKindCount; ++k) {
    if (!paradigms.have(kFamilyOfKind[k])) continue;
    for (auto& metric : of_kind(static_cast<WaitKind>(k))) out.push_back(std::move(metric));
  }
  return out;
}

}  // namespace latecomer::patterns
