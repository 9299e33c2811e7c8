// SPDX-License-Identifier: BSD-3-Clause
// Prints the summary of a difference of two reports. Its values have signs and are not shares of a
// whole, because neither report's waiting is known here.
#include <algorithm>
#include <cmath>

#include "analyzer/view/summary/show.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"
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

std::vector<std::string> without_program(const Summary& s, std::vector<std::string> call_path) {
  if (call_path.size() > 1 && call_path.front() == s.program) call_path.erase(call_path.begin());
  return call_path;
}

std::string wait_states(const Summary& s) {
  if (!s.knows_waits) return "These reports have no wait states: they were not made from traces.\n";
  if (s.wait_states.empty()) return "No wait state changed.\n";
  const int decimals = decimals_for(std::abs(s.wait_states.front().seconds));
  Table table("lrll");
  table.add({"Wait states that changed most", "seconds", "call path that changed most", "ranks"});
  const std::size_t shown = std::min(s.wait_states.size(), kWaitStates);
  for (std::size_t w = 0; w < shown; ++w) {
    const auto& wait = s.wait_states[w];
    std::string ranks, path;
    for (std::size_t i = 0; i < std::min(wait.ranks.size(), kRanks); ++i) {
      ranks += (i == 0 ? "" : ", ") + std::to_string(wait.ranks[i].rank) + ": " +
               with_sign(wait.ranks[i].seconds, decimals);
    }
    if (!wait.call_paths.empty()) {
      path = short_call_path(without_program(s, wait.call_paths.front().call_path), 36);
    }
    table.add({"  " + cut(wait.display, 28), with_sign(wait.seconds, decimals), path, ranks});
  }
  std::string text = table.text();
  if (shown < s.wait_states.size()) {
    text += "  and " + counted(s.wait_states.size() - shown, "smaller one") +
            ": latecomer show --metric waiting --by metric " + shell_word(s.file) + "\n";
  }
  return text;
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
  return head(s) + shares(s) + "\n" + wait_states(s) + cause(s) + "\nreport: " + s.file +
         "\nnext:   " + next + "\n";
}

}  // namespace latecomer::view
