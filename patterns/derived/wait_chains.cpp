// SPDX-License-Identifier: BSD-3-Clause
// Metrics of chains of waits: which waits begin a chain, and which result from other waits.
#include <string>

#include "patterns/derived/derived_metrics.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

// Adds the parts of all kinds below one parent.
void add_parts(std::vector<Metric>& to, const Paradigms& paradigms, const std::string& parent,
               std::string_view WaitKindNames::*suffix, const std::string& description,
               const std::string& explanation) {
  for (std::size_t k = 0; k < kWaitKindCount; ++k) {
    const auto& names = wait_kinds()[k];
    if ((names.*suffix).empty() || !paradigms.have(kFamilyOfKind[k])) continue;
    const std::string display(names.display);
    to.push_back({parent + "_" + std::string(names.*suffix), display, parent, Unit::kSeconds,
                  display + ": " + description, explanation});
  }
}

}  // namespace

std::vector<Metric> chain_metrics(const Paradigms& paradigms) {
  std::vector<Metric> out;
  out.push_back({"waitstates_propagating_vs_terminal", "MPI wait states (propagating vs. terminal)",
                 "", Unit::kSeconds, "Waiting time, by whether it led to more waiting.",
                 "All wait states, divided into those that made their process late for others and "
                 "those that ended with it.\n"});
  out.push_back({"mpi_wait_propagating", "Propagating wait states",
                 "waitstates_propagating_vs_terminal", Unit::kSeconds,
                 "Waiting time that made other processes wait later on.",
                 "The process that waited was late afterwards and let another one wait. Removing "
                 "the cause of such a wait removes the later ones, too.\n"});
  add_parts(out, paradigms, "mpi_wait_propagating", &WaitKindNames::chain,
            "the part that led to other waits.",
            "Of each wait the largest share that a later wait of another process is made of.\n"
            "What to try: follow the chain to its beginning (Delay costs, long-term).\n");
  out.push_back({"mpi_wait_terminal", "Terminal wait states", "waitstates_propagating_vs_terminal",
                 Unit::kSeconds, "Waiting time that made no other process wait.",
                 "The rest. Its effect stays where it is.\n"});
  add_parts(out, paradigms, "mpi_wait_terminal", &WaitKindNames::chain,
            "the part that made no other process wait.",
            "What is left of the wait state without its propagating part.\n");
  out.push_back({"waitstates_direct_vs_indirect", "MPI wait states (direct vs. indirect)", "",
                 Unit::kSeconds, "Waiting time, by whether work or other waits caused it.",
                 "All wait states, divided by what the process that ended them did before: it "
                 "worked longer (direct), or it had to wait itself (indirect).\n"});
  out.push_back({"mpi_wait_direct", "Direct wait states", "waitstates_direct_vs_indirect",
                 Unit::kSeconds, "Waiting time that work of another process caused.",
                 "What the process that ended the wait did longer than the one that waited. Waits "
                 "whose cause is not known count here.\n"});
  add_parts(out, paradigms, "mpi_wait_direct", &WaitKindNames::split, "the part that work caused.",
            "What is left of the wait state without its indirect part.\n"
            "What to try: even out the work of the processes; Delay costs tell where.\n");
  out.push_back({"mpi_wait_indirect", "Indirect wait states", "waitstates_direct_vs_indirect",
                 Unit::kSeconds, "Waiting time that waits of other processes caused.",
                 "The process that ended the wait was late because it had waited itself.\n"});
  add_parts(out, paradigms, "mpi_wait_indirect", &WaitKindNames::split,
            "the part that other waits caused.",
            "In proportion to what the process that ended the wait had waited before.\n"
            "What to try: nothing here; look for the beginning of the chain.\n");
  return out;
}

}  // namespace latecomer::patterns
