// SPDX-License-Identifier: BSD-3-Clause
// Opens the clock of a thread's processor time, and reads its samples.
#include "tracer/sources/samples/perf_ring.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace latecomer::samples {
namespace {

// Numbers of perf's registers on x86-64: ax to ip are 0 to 8, r8 to r15 are 16 to 23.
constexpr std::uint64_t kRegisterMask = 0x1ff | 0xff0000;

}  // namespace

int PerfRing::open(std::uint64_t period, std::size_t pages, clockid_t clock) {
  perf_event_attr a = software_event(PERF_COUNT_SW_TASK_CLOCK, clock);
  a.sample_period = period;
  a.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  a.sample_regs_user = kRegisterMask;
  a.sample_stack_user = kStackBytes;
  const int event = open_event(a);
  if (event < 0) return errno;
  without_kernel_ = a.exclude_kernel != 0;
  const int error = ring_.map(event, pages, kSampleBytes);
  close(event);  // the mapping keeps the event
  return error;
}

std::optional<RawSample> PerfRing::next() {
  while (const auto record = ring_.next()) {
    if (record->type == PERF_RECORD_LOST) lost_ += record->word(8);
    if (record->type != PERF_RECORD_SAMPLE) continue;
    // Without user registers (a thread of the kernel) there are none after the kind of process.
    constexpr std::size_t kStackAt = 16 + 8 * RawSample::kRegisters;
    const auto& bytes = record->bytes;
    if (bytes.size() < kStackAt + 8 || record->word(8) == PERF_SAMPLE_REGS_ABI_NONE) continue;
    RawSample sample;
    sample.time = record->word(0);
    sample.in_kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    std::memcpy(sample.registers.data(), &bytes[16], sizeof sample.registers);
    const std::uint64_t size = record->word(kStackAt);
    if (size != 0 && size <= bytes.size() && size + kStackAt + 16 <= bytes.size()) {
      const std::uint64_t copied = record->word(kStackAt + 8 + size);
      sample.stack = bytes.subspan(kStackAt + 8, std::min(size, copied));
    }
    return sample;
  }
  return std::nullopt;
}

}  // namespace latecomer::samples
