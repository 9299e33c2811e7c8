// SPDX-License-Identifier: BSD-3-Clause
// Recording less: sets of ranks, a window in time, a limit of size.
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <algorithm>

#include "archive/settings.hpp"
#include "tracer/session/iterations.hpp"
#include "tracer/session/job/rank_set.hpp"
#include "tracer/session/process/inside.hpp"
#include "tracer/session/run.hpp"

namespace latecomer::session {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Switches a cause. Threads follow at their next call. Unlike recording() it may be called where no
// events are recorded.
void set(Cause cause, bool off) {
  const auto bit = static_cast<unsigned>(cause);
  if (off) {
    process().session.off.fetch_or(bit);
  } else {
    process().session.off.fetch_and(~bit);
  }
  process().session.generation.fetch_add(1);
}

}  // namespace

// Opens and closes the window. It needs a thread of its own, since no other one watches the time.
struct TimeWindow {
  pthread_t thread{};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed{};
  timespec start{};
  std::int64_t from = 0, length = 0;  // nanoseconds after the start; length 0: no end
  bool running = false, over = false, opened = true;

  // Returns false if the run ended before that time.
  bool sleep_until(std::int64_t after_start) {
    timespec until = start;
    until.tv_sec += after_start / kSecond;
    until.tv_nsec += after_start % kSecond;
    if (until.tv_nsec >= kSecond) {
      until.tv_nsec -= kSecond;
      ++until.tv_sec;
    }
    pthread_mutex_lock(&mutex);
    while (!over && pthread_cond_timedwait(&changed, &mutex, &until) == 0) continue;
    const bool reached = !over;
    pthread_mutex_unlock(&mutex);
    return reached;
  }

  void work() {
    if (from > 0) {
      if (!sleep_until(from)) return;
      opened = true;
      set(Cause::kWindow, false);
    }
    if (length > 0 && sleep_until(from + length)) set(Cause::kWindow, true);
  }

  // If no thread can be created, the window is ignored and everything is recorded.
  void begin() {
    from = setting_time(SettingId::kFrom);
    length = setting_given(SettingId::kFor) ? setting_time(SettingId::kFor) : 0;
    if (from == 0 && length == 0) return;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    clock_gettime(CLOCK_MONOTONIC, &start);
    // Signals must go to the threads of the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const auto enter = [](void* window) -> void* {
      detail::thread_state.suspended = true;
      static_cast<TimeWindow*>(window)->work();
      return nullptr;
    };
    // Recording goes off before the thread exists, so that nothing before the window is recorded.
    opened = from == 0;
    if (!opened) set(Cause::kWindow, true);
    running = pthread_create(&thread, nullptr, enter, this) == 0;
    if (!running) set(Cause::kWindow, false);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void end() {
    if (!running) return;
    pthread_mutex_lock(&mutex);
    over = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, nullptr);
    running = false;
  }
};

namespace {

TimeWindow& window() { return process().less.window.get(); }

}  // namespace

void begin_recording_less() {
  const Inside inside;
  if (process().session.phase.load() != detail::Phase::kRunning) return;
  const auto ranks = RankSet::parse(setting_text(SettingId::kRanks));
  if (ranks && !ranks->contains(static_cast<int>(process().session.rank))) set(Cause::kRank, true);
  if (setting_given(SettingId::kMaxSize)) {
    record::Budget& budget = process().session.budget;
    budget.reached = [] { set(Cause::kSize, true); };
    budget.limit = std::max<std::uint64_t>(
        1, setting_bytes(SettingId::kMaxSize) / std::uint64_t{process().session.size});
    if (budget.bytes.load() >= budget.limit) budget.reached();
  }
  window().begin();
  begin_iterations();
}

void end_recording_less() {
  if (process().session.phase.load() != detail::Phase::kRunning) return;
  const Inside inside;
  window().end();
  process().less.was_full = !recording(Cause::kSize);
  if (process().session.off.exchange(0) != 0) process().session.generation.fetch_add(1);
}

void tell_recording_less(LastWord& word) {
  word.visits = iteration_visits();
  word.found_region = process().session.iteration_region.load() != 0;
  word.was_full = process().less.was_full;
  word.never_began = !window().opened;
}

Status check_recording_less(int size) {
  const std::string text = setting_text(SettingId::kRanks);
  const auto ranks = RankSet::parse(text);
  if (ranks && ranks->highest() >= size) {
    return Problem{
        "LATECOMER_RANKS=" + text + " names rank " + std::to_string(ranks->highest()) +
            ", the run has " + std::to_string(size) + " processes",
        "ranks count from 0: `scan --ranks 0-" + std::to_string(size - 1) + "` records all",
        Exit::kUsage};
  }
  if (setting_given(SettingId::kFor) && setting_time(SettingId::kFor) == 0) {
    return Problem{
        "LATECOMER_FOR=" + setting_text(SettingId::kFor) + " leaves nothing to be recorded",
        "give the time that is to be recorded, for instance `scan --for 10s`", Exit::kUsage};
  }
  return success();
}

}  // namespace latecomer::session
