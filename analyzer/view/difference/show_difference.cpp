// SPDX-License-Identifier: BSD-3-Clause
// Prints the summary of a difference of two reports. Its values have signs and are not shares of a
// whole, because neither report's waiting is known here.
#include <algorithm>
#include <cmath>

#include "analyzer/view/summary/show.hpp"
#include "analyzer/view/summary/wait_table.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/printable.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::view {
namespace {

constexpr std::size_t kWaitStates = 8, kRanks = 3;

std::string with_sign(double value, int decimals) {
  return (value > 0 ? "+" : "") + fixed(value, decimals);
}

std::string head(const Summary& s) {
  std::string text = cut(s.command, text_width() - 50) + ": difference of two reports" +
                     (s.partial ? " (partial result)" : "") + "\n";
  if (s.inputs.size() == 2) text += "  " + s.inputs[1] + "\n  less " + s.inputs[0] + "\n";
  return text + "\n";
}

std::string shares(const Summary& s) {
  if (!s.knows_time) return "  These reports tell no times: they have no metric named time.\n";
  const int decimals = decimals_for(
      std::max({std::abs(s.time), std::abs(s.computation), std::abs(s.mpi), std::abs(s.waiting)}));
  Table table("lr");
  table.add({"All ranks together", "change in seconds"});
  const auto row = [&](const std::string& name, double seconds) {
    table.add({name, with_sign(seconds, decimals)});
  };
  row("  time", s.time);
  row(s.knows_computation ? "    computation" : "    outside MPI", s.computation);
  row("    MPI", s.mpi);
  if (s.knows_waits) row("      waiting", s.waiting);
  return table.text();
}

// The wait states that changed most. `waiters`: heading of the column with ranks or threads.
std::string table_of(const Summary& s, const std::vector<Summary::WaitState>& states,
                     const std::string& heading, const std::string& waiters) {
  const int decimals = decimals_for(std::abs(states.front().seconds));
  Table table("lrll");
  table.add({heading, "seconds", "call path that changed most", waiters});
  for (std::size_t w = 0; w < std::min(states.size(), kWaitStates); ++w) {
    const auto& wait = states[w];
    std::string who, path;
    const auto name = [&](const std::string& one, double seconds) {
      who += (who.empty() ? "" : ", ") + one + ": " + with_sign(seconds, decimals);
    };
    for (std::size_t i = 0; i < std::min(wait.threads.size(), kRanks); ++i) {
      const auto& [rank, thread, seconds, given] = wait.threads[i];
      name((s.ranks > 1 ? std::to_string(rank) + "." : "") + std::to_string(thread), seconds);
    }
    for (std::size_t i = 0; wait.threads.empty() && i < std::min(wait.ranks.size(), kRanks); ++i) {
      name(std::to_string(wait.ranks[i].rank), wait.ranks[i].seconds);
    }
    if (!wait.call_paths.empty()) {
      path = short_call_path(without_program(s, wait.call_paths.front().call_path), 36);
    }
    table.add({"  " + cut(wait.display, 28), with_sign(wait.seconds, decimals), path, who});
  }
  return table.text();
}

std::string wait_states(const Summary& s) {
  if (!s.knows_waits && s.thread_waits.empty()) {
    return "These reports have no wait states: they were not made from traces.\n";
  }
  if (s.wait_states.empty() && s.thread_waits.empty()) return "No wait state changed.\n";
  if (s.wait_states.empty()) return "No wait state of MPI changed.\n";
  std::string text = table_of(s, s.wait_states, "Wait states that changed most", "ranks");
  if (s.wait_states.size() > kWaitStates) {
    text += "  and " + counted(s.wait_states.size() - kWaitStates, "smaller one") +
            ": latecomer show --metric waiting --by metric " + shell_word(s.file) + "\n";
  }
  return text;
}

std::string thread_waits_that_changed(const Summary& s) {
  if (s.thread_waits.empty()) return "";
  return "\n" + table_of(s, s.thread_waits, "Waits of threads that changed most",
                         s.ranks > 1 ? "rank.thread" : "threads");
}

std::string cause(const Summary& s) {
  if (s.causes.empty()) return "";
  const auto& most = s.causes.front();
  std::string text = "cause:  " + short_call_path(without_program(s, most.call_path), 50);
  if (!most.ranks.empty()) {
    text += " (rank " + std::to_string(most.ranks.front().rank) +
            (most.ranks.size() > 1 ? " most" : "") + ")";
  }
  return text + " made others wait " + duration_text(std::abs(most.seconds)) +
         (most.seconds > 0 ? " longer\n" : " less\n");
}

}  // namespace

std::string difference_text(const Summary& s) {
  std::string next = "latecomer html " + shell_word(s.file);
  if (!s.wait_states.empty()) {
    next += "; latecomer show --metric " + s.wait_states.front().metric + " " + shell_word(s.file);
  }
  return head(s) + shares(s) + "\n" + wait_states(s) + cause(s) + thread_waits_that_changed(s) +
         "\nreport: " + printable(s.file) + "\nnext:   " + next + "\n";
}

}  // namespace latecomer::view
