// SPDX-License-Identifier: BSD-3-Clause
// Follows each thread that waits to the holder of its lock, and on to the lock that this one wants.
#include "tracer/stuck/thread_locks.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace latecomer::stuck {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};
using Path = std::vector<std::size_t>;

std::string name(const LockThread& thread) { return "thread " + std::to_string(thread.number); }

std::string where(const LockThread& thread) {
  return thread.call.empty() ? "in no recorded call" : "in " + thread.call;
}

std::string circle_text(const std::vector<LockThread>& threads, const Path& circle) {
  const LockThread& first = threads[circle.front()];
  if (circle.size() == 1) {
    return name(first) + " waits for a lock that it holds itself: it is " + where(first);
  }
  std::string text;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const LockThread& holder = threads[circle[(i + 1) % circle.size()]];
    text += (i == 0 ? "" : "; ") + name(threads[circle[i]]) + " is " + where(threads[circle[i]]) +
            ", whose lock " + name(holder) + " holds";
  }
  std::string list;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const bool is_last = i + 1 == circle.size();
    list += (i == 0 ? "" : is_last ? " and " : ", ") + std::to_string(threads[circle[i]].number);
  }
  return "threads " + list + " wait for locks of each other: " + text;
}

}  // namespace

LockWaits find_lock_waits(const std::vector<LockThread>& threads) {
  LockWaits found;
  std::vector<std::size_t> next(threads.size(), kNone);  // the holder of the wanted lock
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (threads[i].wanted == 0) continue;
    for (std::size_t holder = 0; holder < threads.size() && next[i] == kNone; ++holder) {
      if (std::ranges::find(threads[holder].held, threads[i].wanted) != threads[holder].held.end())
        next[i] = holder;
    }
  }
  std::set<std::size_t> stuck, told;
  for (std::size_t start = 0; start < threads.size(); ++start) {
    if (next[start] == kNone) continue;
    Path path;
    std::size_t at = start;
    while (at != kNone && std::ranges::find(path, at) == path.end()) {
      path.push_back(at);
      at = next[at];
    }
    if (at == kNone) continue;
    stuck.insert(path.begin(), path.end());
    const Path circle(std::ranges::find(path, at), path.end());
    if (!told.insert(*std::ranges::min_element(circle)).second) continue;
    found.sentences.push_back({true, circle_text(threads, circle)});
  }
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (next[i] == kNone || told.contains(i)) continue;
    // Threads in a circle are named there.
    const bool in_circle = [&] {
      std::size_t at = next[i];
      for (std::size_t steps = 0; at != kNone && steps < threads.size(); ++steps) {
        if (at == i) return true;
        at = next[at];
      }
      return false;
    }();
    if (in_circle) continue;
    const LockThread& holder = threads[next[i]];
    found.sentences.push_back({false, name(threads[i]) + " is " + where(threads[i]) +
                                          ", whose lock " + name(holder) + " holds, which is " +
                                          where(holder)});
  }
  for (const std::size_t i : stuck) found.stuck.push_back(threads[i].number);
  return found;
}

}  // namespace latecomer::stuck
