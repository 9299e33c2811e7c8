// SPDX-License-Identifier: BSD-3-Clause
// Chooses which call paths, ranks and threads fit beside the wait states.
#include "analyzer/view/summary/wait_table.hpp"

#include <algorithm>
#include <filesystem>

#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/layout.hpp"
#include "archive/shell_word.hpp"

namespace latecomer::view {
namespace {

// "3: 40%, 0: 27%, 1: 17%"
std::string most_waiting(const Summary& s, const Summary::WaitState& wait, std::size_t most) {
  if (!wait.spread.empty() && most > 0) return wait.spread;
  if (!wait.threads.empty()) return shares_of_threads(s, wait.threads, wait.seconds, most);
  std::string text;
  for (std::size_t i = 0; i < wait.ranks.size() && i < most; ++i) {
    if (i > 0 && wait.ranks[i].seconds < 0.005 * wait.seconds) break;
    text += (i == 0 ? "" : ", ") + std::to_string(wait.ranks[i].rank) + ": " +
            percent(wait.ranks[i].seconds, wait.seconds, 0) + "%";
  }
  return text;
}

// Number of call paths to show for each of the first wait states: one, and more where lines are
// left.
std::vector<std::size_t> call_paths_shown(const Summary& s,
                                          const std::vector<Summary::WaitState>& states,
                                          std::size_t lines) {
  std::size_t large = 0;  // number of wait states that are worth a line
  while (large < states.size() && !is_negligible(s, states[large].seconds)) ++large;
  std::vector<std::size_t> counts(std::min({states.size(), lines, large}), 1);
  for (std::size_t spare = lines - counts.size(); spare > 0; --spare) {
    // The largest call path that is not yet shown and is more than a tenth of its wait state.
    std::size_t* best = nullptr;
    double seconds = 0;
    for (std::size_t w = 0; w < counts.size(); ++w) {
      const auto& wait = states[w];
      if (counts[w] >= wait.call_paths.size()) continue;
      const double next = wait.call_paths[counts[w]].seconds;
      if (next <= 0.1 * wait.seconds || next <= seconds) continue;
      best = &counts[w];
      seconds = next;
    }
    if (best == nullptr) break;
    ++*best;
  }
  return counts;
}

// The table of wait states, with call paths of at most `columns` columns and `waiters` ranks or
// threads.
std::string with_columns(const Summary& s, const WaitTable& t,
                         const std::vector<std::size_t>& call_paths, std::size_t columns,
                         std::size_t waiters) {
  const int decimals = decimals_for(t.states.front().seconds);
  Table table("lrrll");
  table.add({t.heading, "seconds", "% time", "call path (share)", waiters > 0 ? t.waiters : ""});
  // Call paths of all lines together, so that no two of them have the same text.
  std::vector<std::vector<std::string>> paths;
  std::vector<std::string> shares;  // shares of the wait state, if it has several call paths
  std::vector<std::size_t> room;
  for (std::size_t w = 0; w < call_paths.size(); ++w) {
    const auto& wait = t.states[w];
    for (std::size_t p = 0; p < call_paths[w]; ++p) {
      const auto& path = wait.call_paths[p];
      paths.push_back(without_program(s, path.call_path));
      shares.push_back(
          wait.call_paths.size() > 1 ? " (" + percent(path.seconds, wait.seconds, 0) + "%)" : "");
      room.push_back(columns - width(shares.back()));
    }
  }
  const auto texts = short_call_paths(paths, room);
  for (std::size_t w = 0, line = 0; w < call_paths.size(); ++w) {
    const auto& wait = t.states[w];
    for (std::size_t p = 0; p < call_paths[w]; ++p, ++line) {
      const auto text = texts[line] + shares[line];
      if (p == 0) {
        table.add({"  " + cut(wait.display, 28), fixed(wait.seconds, decimals),
                   percent(wait.seconds, s.time, 1), text, most_waiting(s, wait, waiters)});
      } else {
        table.add({"", "", "", text});
      }
    }
  }
  return table.text();
}

}  // namespace

bool is_negligible(const Summary& s, double seconds) {
  return s.knows_time && seconds < 0.001 * s.time;
}

std::vector<std::string> without_program(const Summary& s, std::vector<std::string> call_path) {
  if (call_path.size() > 1 && (call_path.front() == s.program || call_path.front() == s.root)) {
    call_path.erase(call_path.begin());
  }
  return call_path;
}

std::string argument_for(const std::string& file) {
  const std::filesystem::path path(file);
  const bool usual = path.filename() == layout::kReport && path.has_parent_path();
  return shell_word(usual ? path.parent_path().string() : file);
}

std::string shares_of_threads(const Summary& s, const std::vector<Summary::ThreadShare>& threads,
                              double seconds, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < threads.size() && i < most; ++i) {
    const auto& [rank, thread, own, name] = threads[i];
    if (i > 0 && own < 0.005 * seconds) break;
    text += (i == 0 ? "" : ", ") + (s.ranks > 1 ? std::to_string(rank) + "." : "") +
            std::to_string(thread) + ": " + percent(own, seconds, 0) + "%";
  }
  return text;
}

DrawnWaits draw(const Summary& s, const WaitTable& table, std::size_t lines, std::size_t most) {
  auto call_paths = call_paths_shown(s, table.states, std::min(lines, most));
  if (call_paths.size() < table.states.size()) {
    call_paths =
        call_paths_shown(s, table.states, std::max<std::size_t>(std::min(lines - 1, most), 1));
  }
  DrawnWaits drawn{"", table.states.size() - call_paths.size()};
  // The call path gets the columns that the others leave; if these are too few, fewer ranks are
  // shown.
  for (const std::size_t waiters : {3, 2, 1, 0}) {
    for (std::size_t columns = 70; columns >= (waiters > 0 ? 30 : 16); --columns) {
      drawn.text = with_columns(s, table, call_paths, columns, waiters);
      if (widest_line(drawn.text) <= text_width()) return drawn;
    }
  }
  return drawn;
}

}  // namespace latecomer::view
