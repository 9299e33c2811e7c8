// SPDX-License-Identifier: BSD-3-Clause
// Begins and ends the counters of threads, reads them, and makes records of them.
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "archive/counter_names.hpp"
#include "archive/layout.hpp"
#include "archive/settings.hpp"
#include "tracer/record/extended.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/sources/counters/event_group.hpp"
#include "tracer/sources/counters/stretch_counts.hpp"

namespace latecomer::counters {

// Everything that a thread needs for its counters.
struct ThreadCounters {
  std::vector<ChosenCounter> chosen;
  EventGroup events;
  StretchCounts counts;
  bool has_usage = false;            // some are of getrusage()
  session::Ticks between_reads = 0;  // at least
  session::Ticks between_records = 0;
  session::Ticks last_read = 0, last_record = 0;
  bool busy = false;  // a signal handler that comes meanwhile does nothing here
};

namespace {

using session::Ticks;
using session::detail::thread_state;
using session::detail::ThreadState;

// Reading hardware counters takes some 0.1 us, the system calls for the others some 0.5 us. Neither
// is to take more than some per cent of a program that calls MPI all the time.
constexpr double kBetweenEvents = 1e3, kBetweenUsage = 1e5;  // nanoseconds
constexpr double kBetweenRecords = 1e4;

// During its lifetime a signal handler leaves the counters alone.
class Busy {
 public:
  explicit Busy(ThreadCounters& own) : own_(own) {
    own_.busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~Busy() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    own_.busy = false;
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  ThreadCounters& own_;
};

double ticks_per_nanosecond() {
  if (session::timer_in_use() != session::Timer::kTsc) return 1;
  const session::Moment now = session::read_moment();
  const session::Moment& start = process().session.start;
  if (now.monotonic <= start.monotonic) return 1;
  return static_cast<double>(now.counter - start.counter) /
         static_cast<double>(now.monotonic - start.monotonic);
}

std::uint64_t usage_of(UsageCount what, const rusage& usage) {
  const auto number = [](long count) { return static_cast<std::uint64_t>(count); };
  switch (what) {
    case UsageCount::kPageFaults:
      return number(usage.ru_minflt) + number(usage.ru_majflt);
    case UsageCount::kMinorFaults:
      return number(usage.ru_minflt);
    case UsageCount::kMajorFaults:
      return number(usage.ru_majflt);
    case UsageCount::kSwitches:
      return number(usage.ru_nvcsw) + number(usage.ru_nivcsw);
    case UsageCount::kVoluntarySwitches:
      return number(usage.ru_nvcsw);
    case UsageCount::kTaskClock: {
      constexpr std::uint64_t kSecond = 1'000'000'000;
      timespec t{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
      return static_cast<std::uint64_t>(t.tv_sec) * kSecond + static_cast<std::uint64_t>(t.tv_nsec);
    }
    case UsageCount::kCount:
      break;
  }
  return 0;
}

StretchCounts::Values values_of(ThreadCounters& own) {
  StretchCounts::Values values{};
  std::array<std::uint64_t, kMostCounters> events{};
  own.events.read(events);
  rusage usage{};
  if (own.has_usage) getrusage(RUSAGE_THREAD, &usage);
  std::size_t next = 0;
  for (std::size_t i = 0; i < own.chosen.size(); ++i) {
    const ChosenCounter& one = own.chosen[i];
    values[i] =
        one.is_usage() ? usage_of(static_cast<UsageCount>(one.config), usage) : events[next++];
  }
  return values;
}

template <typename Use>
void read(Use&& use) {
  ThreadCounters& own = *thread_state.counting;
  if (own.busy) return;
  const Busy busy(own);
  const Ticks now = session::now();
  if (now - own.last_read < own.between_reads) return;
  own.last_read = now;
  use(own.counts, values_of(own));
}

void computation_ends() {
  read([](StretchCounts& counts, const StretchCounts::Values& now) {
    counts.computation_ends(now);
  });
}

void computation_goes_on() {
  read([](StretchCounts& counts, const StretchCounts::Values& now) {
    counts.computation_goes_on(now);
  });
}

void store(record::ThreadWriter& writer) {
  ThreadCounters& own = *thread_state.counting;
  if (own.busy || !own.counts.any()) return;
  const Busy busy(own);
  const Ticks now = session::now();
  if (now - own.last_record < own.between_records) return;
  own.last_record = now;
  const StretchCounts::Values counted = own.counts.take();
  // While recording is off this does nothing.
  writer.extended(record::kCounted, now, std::span(counted).first(own.chosen.size()));
}

void open(ThreadCounters& own) {
  const double ticks = ticks_per_nanosecond();
  own.has_usage = std::ranges::any_of(own.chosen, &ChosenCounter::is_usage);
  own.between_reads = static_cast<Ticks>((own.has_usage ? kBetweenUsage : kBetweenEvents) * ticks);
  own.between_records = static_cast<Ticks>(kBetweenRecords * ticks);
  own.counts.computation_goes_on(values_of(own));
  own.last_read = own.last_record = session::now();
}

void begin_thread() {
  session::CounterState& state = process().session.counters;
  auto chosen = parse_counters(setting_text(SettingId::kCounters));
  if (!chosen || chosen->empty() || setting_text(SettingId::kCompat) == "scalasca25") return;
  int error = ENOMEM;
  try {
    auto own = std::make_unique<ThreadCounters>();
    own->chosen = *std::move(chosen);
    error = own->events.open(own->chosen);
    if (error == 0) {
      if (!state.is_logged.exchange(true)) {
        session::define_property(layout::kLogCounters, counters_text(own->chosen));
      }
      open(*own);
      thread_state.counters = thread_state.counting = own.release();
      return;
    }
  } catch (const std::exception&) {
    error = ENOMEM;
  }
  // Later threads may find that all memory for pages of counters is used.
  if (thread_state.info->writer.thread() == 0) {
    state.refused.store(error);
  } else if (state.refused.load() == 0) {
    state.lost.fetch_add(1);
  }
}

void end_thread() {
  ThreadState& t = thread_state;
  if (t.counters == nullptr) return;
  if (t.counters->events.is_scaled()) process().session.counters.scaled.store(true);
  t.counting = nullptr;
  delete t.counters;
  t.counters = nullptr;
}

void go_on() { thread_state.counting = thread_state.counters; }

[[gnu::constructor]] void watch_counters() {
  process().session.counter_watch = {begin_thread,        end_thread, computation_ends,
                                     computation_goes_on, store,      go_on};
}

}  // namespace
}  // namespace latecomer::counters
