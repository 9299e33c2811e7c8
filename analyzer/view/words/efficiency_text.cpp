// SPDX-License-Identifier: BSD-3-Clause
// Prints the efficiencies of a run, and those of its longest phases.
#include "analyzer/view/words/efficiency_text.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

constexpr std::size_t kPhases = 4;  // phases that are named
constexpr double kSmallest = 0.01;  // smallest parallel efficiency of a phase that is named

// Breaks `text` into lines of the terminal. Further lines are indented below the text after its
// first `head` columns.
std::string with_hanging_lines(const std::string& text, std::size_t head) {
  return wrapped(text.substr(head), std::string(head, ' '), text_width())
      .replace(0, head, text.substr(0, head));
}

std::optional<std::string> percentage(std::optional<double> ratio) {
  if (!ratio) return {};
  return percent(*ratio, 1, 0) + " %";
}

// "  by phase: solve 45 % (in 11.00 s), setup 98 % (in 2.000 s)"; the longest ones first.
std::string phases_text(const report::Efficiency& efficiency) {
  struct Phase {
    std::string text;
    double seconds = 0;
  };
  std::vector<Phase> phases;
  for (const auto& phase : efficiency.phases) {
    const auto parallel = phase.ratios.parallel;
    // Functions that only communicate would say nothing here.
    if (!parallel || !phase.name || !phase.run_time || *parallel < kSmallest) continue;
    phases.push_back({short_name(*phase.name) + " " + *percentage(parallel) + " (in " +
                          duration_text(*phase.run_time) + ")",
                      *phase.run_time});
  }
  if (phases.size() < 2) return "";
  std::ranges::stable_sort(phases, std::ranges::greater(), &Phase::seconds);
  if (phases.size() > kPhases) phases.resize(kPhases);
  std::string text;
  for (const auto& phase : phases) text += (text.empty() ? "  by phase: " : ", ") + phase.text;
  return with_hanging_lines(text, 12);
}

// "  of processes 97 % = load balance 98 % x communication 99 %", and the same for threads: factors
// of the efficiency.
std::string hybrid_text(const report::Efficiency::Hybrid& hybrid) {
  const auto& [processes, threads] = hybrid;
  const auto line = [](const std::string& whose, std::optional<double> whole,
                       std::optional<double> balance, const char* other_name,
                       std::optional<double> other) -> std::string {
    if (!whole || !balance || !other) return "";
    return with_hanging_lines("  of " + whose + " " + *percentage(whole) + " = load balance " +
                                  *percentage(balance) + " x " + other_name + " " +
                                  *percentage(other),
                              5);
  };
  return line("processes", processes.parallel, processes.load_balance, "communication",
              processes.communication) +
         line("threads", threads.parallel, threads.load_balance, "synchronization",
              threads.synchronization);
}

}  // namespace

std::string efficiency_text(const report::Efficiency& efficiency) {
  const auto parallel = percentage(efficiency.ratios.parallel);
  const auto balance = percentage(efficiency.ratios.load_balance);
  const auto communication = percentage(efficiency.ratios.communication);
  if (!parallel || !balance || !communication) return "";
  std::string text = "efficiency: " + *parallel + " = load balance " + *balance +
                     " x communication " + *communication;
  const auto serialization = percentage(efficiency.ideal.serialization);
  const auto transfer = percentage(efficiency.ideal.transfer);
  if (serialization && transfer) {
    text += " (serialization " + *serialization + " x transfer " + *transfer + ")";
  }
  return with_hanging_lines(text, 12) + (efficiency.hybrid ? hybrid_text(*efficiency.hybrid) : "") +
         phases_text(efficiency);
}

}  // namespace latecomer::view
