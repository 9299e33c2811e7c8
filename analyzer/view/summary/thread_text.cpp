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
  if (s.thread_causes.empty()) return "";
  const auto& cause = s.thread_causes.front();
  std::string who;
  if (!cause.threads.empty()) {
    const auto& [rank, thread, seconds] = cause.threads.front();
    if (seconds >= kOnlyOne * cause.seconds) {
      who = " (thread " + std::to_string(thread) +
            (s.ranks > 1 ? " of rank " + std::to_string(rank) : "") + ")";
    } else {
      who = " (threads " + shares_of_threads(s, cause.threads, cause.seconds, kThreads) +
            (cause.threads.size() > kThreads ? ", ..." : "") + ")";
    }
  }
  const std::string head = "cause:  ";
  const std::string rest = who + " made other threads wait " +
                           fixed(cause.seconds, decimals_for(cause.seconds)) + " s, " +
                           percent(cause.seconds, s.thread_waiting, 0) + "% of their waiting";
  const auto path = without_program(s, cause.call_path);
  const std::size_t needed = width(head) + width(rest);
  if (needed + width(short_call_path(path, SIZE_MAX)) <= text_width() ||
      needed + 30 <= text_width()) {
    return head + short_call_path(path, text_width() - needed) + rest + "\n";
  }
  // The call path gets a line of its own.
  return head + short_call_path(path, text_width() - width(head)) + "\n" +
         wrapped(rest.substr(1), std::string(width(head), ' '), text_width());
}

}  // namespace

std::string thread_waits(const Summary& s) {
  constexpr std::size_t kMost = 3;
  if (s.thread_waits.empty() || is_negligible(s, s.thread_waits.front().seconds)) return "";
  const std::string waiters = s.ranks > 1 ? "rank.thread (share)" : "threads (share)";
  return draw(s, {"Waits of threads", waiters, s.thread_waits}, kMost, kMost).text +
         cause_of_threads(s);
}

}  // namespace latecomer::view
