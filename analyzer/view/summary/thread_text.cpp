// SPDX-License-Identifier: BSD-3-Clause
// Writes the table of waiting threads, and their cause in words.
#include "analyzer/view/summary/thread_text.hpp"

#include "analyzer/view/summary/wait_table.hpp"
#include "analyzer/view/text/call_path_text.hpp"
#include "analyzer/view/text/text.hpp"

namespace latecomer::view {
namespace {

// "cause:  main > loop (thread 1) made other threads wait 1.2 s, 98% of their waiting"
std::string cause_of_threads(const Summary& s) {
  constexpr std::size_t kThreads = 3;
  constexpr double kOnlyOne = 0.995;
  constexpr double kSmall = 0.05;
  const std::string head = "cause:  ";
  const auto share = [&](double seconds) { return percent(seconds, s.thread_waiting, 0) + "%"; };
  const bool lacks_causes = s.unknown_thread_cause > kSmall * s.thread_waiting;
  const std::string unknown =
      "not known for " + share(s.unknown_thread_cause) + " of their waiting\n";
  if (s.thread_causes.empty()) return lacks_causes ? head + unknown : "";
  const auto& cause = s.thread_causes.front();
  std::string who;
  if (!cause.spread.empty()) {
    who = " (" + cause.spread + ")";
  } else if (!cause.threads.empty()) {
    const auto& [rank, thread, seconds, name] = cause.threads.front();
    if (seconds >= kOnlyOne * cause.seconds) {
      who = " (thread " + std::to_string(thread) +
            (s.ranks > 1 ? " of rank " + std::to_string(rank) : "") +
            (name.empty() ? "" : ", " + name) + ")";
    } else {
      who = " (threads " + shares_of_threads(s, cause.threads, cause.seconds, kThreads) +
            (cause.threads.size() > kThreads ? ", ..." : "") + ")";
    }
  }
  const std::string rest = who + " made other threads wait " +
                           fixed(cause.seconds, decimals_for(cause.seconds)) + " s, " +
                           share(cause.seconds) + " of their waiting";
  const auto path = without_program(s, cause.call_path);
  const std::string many =
      cause.seconds < kSmall * s.thread_waiting ? "many small ones, the largest: " : "";
  const std::string before = head + many;
  const std::string after = lacks_causes ? std::string(width(head), ' ') + unknown : "";
  const std::size_t needed = width(before) + width(rest);
  if (needed + width(short_call_path(path, SIZE_MAX)) <= text_width() ||
      needed + 30 <= text_width()) {
    return before + short_call_path(path, text_width() - needed) + rest + "\n" + after;
  }
  // The call path gets a line of its own.
  return before + short_call_path(path, text_width() - width(before)) + "\n" +
         wrapped(rest.substr(1), std::string(width(head), ' '), text_width()) + after;
}

}  // namespace

std::string thread_waits(const Summary& s) {
  constexpr std::size_t kMost = 3;
  if (s.thread_waits.empty() || is_negligible(s, s.thread_waits.front().seconds)) return "";
  const std::string waiters = s.thread_waits.front().threads.empty() ? ""
                              : s.ranks > 1                          ? "rank.thread (share)"
                                                                     : "threads (share)";
  const auto drawn = draw(s, {"Waits of threads", waiters, s.thread_waits}, kMost + 1, kMost);
  const std::string more = drawn.left_out == 0
                               ? ""
                               : "  and " + counted(drawn.left_out, "smaller one") +
                                     ": latecomer show --by metric " + argument_for(s.file) + "\n";
  return drawn.text + more + cause_of_threads(s);
}

}  // namespace latecomer::view
