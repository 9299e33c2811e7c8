// SPDX-License-Identifier: BSD-3-Clause
// One event counts page faults, and also writes the switches of cores.
#include "tracer/sources/samples/kernel_ring.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace latecomer::samples {
namespace {

// Two words of each record: of a page fault they are all, of a switch they are the end.
constexpr std::size_t kTimeAt = 0, kCoreAt = 8;
constexpr std::size_t kRecordBytes = sizeof(perf_event_header) + 16;

}  // namespace

int KernelRing::open(std::size_t pages, clockid_t clock) {
  perf_event_attr a = software_event(PERF_COUNT_SW_PAGE_FAULTS, clock);
  a.sample_period = kFaults;
  a.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  a.sample_id_all = 1;
  a.context_switch = 1;
  const int event = open_event(a);
  if (event < 0) return errno;
  const int error = ring_.map(event, pages, kRecordBytes);
  close(event);  // the mapping keeps the event
  return error;
}

KernelUse KernelRing::take(std::uint64_t begin, const blocking::BlockedCalls* calls,
                           std::span<std::uint64_t> times) {
  KernelUse use;
  std::ranges::fill(times, 0);
  std::size_t call = 0;     // the first one that ends after the record
  bool in_call = false;     // the core was lost in it
  std::uint64_t since = 0;  // when the core was lost; 0: the thread has one
  std::uint64_t core = ~std::uint64_t{0};
  bool could_run = false;
  ring_.begin();
  use.is_cut = ring_.was_full(kRecordBytes);
  while (const auto record = ring_.next()) {
    const std::uint64_t time = record->word(kTimeAt);
    const std::uint64_t on = record->word(kCoreAt) & 0xffffffff;
    if (record->type == PERF_RECORD_SAMPLE && time >= begin) use.faults += kFaults;
    if (record->type != PERF_RECORD_SWITCH) continue;
    if ((record->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0) {
      since = time;
      core = on;
      could_run = (record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
      const std::uint64_t end = ring_.taken();  // of the record
      while (call < times.size() && (*calls)[call].end < end) ++call;
      in_call = call < times.size() && (*calls)[call].begin < end;
      continue;
    }
    if (since != 0 && time > begin) {
      const std::uint64_t span = time - std::max(since, begin);
      (could_run ? use.preempted : use.blocked) += span;
      if (!could_run && in_call) times[call] += span;
      if (on != core) ++use.migrations;
    }
    since = 0;
  }
  ring_.end();
  return use;
}

std::size_t KernelRing::take_preempted(std::uint64_t least, std::span<Preempted> to) {
  std::size_t number = 0;
  std::uint64_t since = 0;  // when the core was lost although it could run; 0: it was not
  ring_.begin();
  while (const auto record = ring_.next()) {
    if (record->type != PERF_RECORD_SWITCH) continue;
    const std::uint64_t time = record->word(kTimeAt);
    if ((record->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0) {
      since = (record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0 ? time : 0;
      continue;
    }
    if (since != 0 && time >= since + least) to[number++ % to.size()] = {time, time - since};
    since = 0;
  }
  ring_.end();
  if (number <= to.size()) return number;
  std::ranges::rotate(to, to.begin() + static_cast<std::ptrdiff_t>(number % to.size()));
  return to.size();
}

}  // namespace latecomer::samples
