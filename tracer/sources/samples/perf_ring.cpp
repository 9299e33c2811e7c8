// SPDX-License-Identifier: BSD-3-Clause
// Opens software events and reads their records (perf_event_open(2)).
#include "tracer/sources/samples/perf_ring.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace latecomer::samples {
namespace {

constexpr std::size_t kPage = 4096;
// Numbers of perf's registers on x86-64: ax to ip are 0 to 8, r8 to r15 are 16 to 23.
constexpr std::uint64_t kRegisterMask = 0x1ff | 0xff0000;

// Bytes of a sample: header, time, registers with the kind of process, stack with its sizes.
constexpr std::size_t kSampleBytes =
    sizeof(perf_event_header) + 8 + 8 + 8 * RawSample::kRegisters + 8 + PerfRing::kStackBytes + 8;

perf_event_attr attributes(std::uint64_t period, clockid_t clock) {
  perf_event_attr a{};
  a.size = sizeof a;
  a.type = PERF_TYPE_SOFTWARE;
  a.config = PERF_COUNT_SW_TASK_CLOCK;
  a.sample_period = period;
  a.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  a.sample_regs_user = kRegisterMask;
  a.sample_stack_user = PerfRing::kStackBytes;
  a.use_clockid = 1;
  a.clockid = clock;
  a.exclude_hv = 1;
  // Nobody waits for the buffer, so the kernel need not wake anybody up.
  a.watermark = 1;
  a.wakeup_watermark = ~0U;
  return a;
}

int open_event(perf_event_attr& a) {
  return static_cast<int>(syscall(SYS_perf_event_open, &a, 0, -1, -1,
                                  static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
}

std::uint64_t word_at(const std::byte* place) {
  std::uint64_t word;
  std::memcpy(&word, place, sizeof word);
  return word;
}

}  // namespace

PerfRing::~PerfRing() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

int PerfRing::open(std::uint64_t period, std::size_t pages, clockid_t clock) {
  perf_event_attr a = attributes(period, clock);
  // Time in system calls counts where users may see it. Otherwise only samples outside are taken.
  int event = open_event(a);
  if (event < 0 && (errno == EACCES || errno == EPERM)) {
    a.exclude_kernel = 1;
    event = open_event(a);
  }
  if (event < 0) return errno;
  int error = ENOMEM;
  for (; pages * kPage > kSampleBytes; pages /= 2) {
    mapped_ = (1 + pages) * kPage;
    void* const place = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    error = errno;
    if (place == MAP_FAILED) continue;
    mapping_ = static_cast<std::byte*>(place);
    size_ = pages * kPage;
    whole_.resize(kSampleBytes);
    break;
  }
  close(event);  // the mapping keeps the event
  return mapping_ != nullptr ? 0 : error;
}

const std::uint64_t* PerfRing::written() const {
  return reinterpret_cast<const std::uint64_t*>(mapping_ +
                                                offsetof(perf_event_mmap_page, data_head));
}

void PerfRing::begin() {
  until_ = std::atomic_ref(*const_cast<std::uint64_t*>(written())).load(std::memory_order_acquire);
  was_full_ = until_ - at_ >= size_ - kSampleBytes;
}

void PerfRing::end() {
  auto* const tail =
      reinterpret_cast<std::uint64_t*>(mapping_ + offsetof(perf_event_mmap_page, data_tail));
  std::atomic_ref(*tail).store(at_, std::memory_order_release);
}

// Bytes of the buffer as one piece.
std::span<const std::byte> PerfRing::bytes_at(std::uint64_t at, std::size_t size) {
  const std::byte* const data = mapping_ + kPage;
  const std::size_t offset = at % size_;
  if (offset + size <= size_) return {data + offset, size};
  whole_.resize(std::max(whole_.size(), size));
  std::memcpy(whole_.data(), data + offset, size_ - offset);
  std::memcpy(whole_.data() + (size_ - offset), data, size - (size_ - offset));
  return {whole_.data(), size};
}

std::optional<RawSample> PerfRing::next() {
  while (until_ - at_ >= sizeof(perf_event_header)) {
    perf_event_header header;
    std::memcpy(&header, bytes_at(at_, sizeof header).data(), sizeof header);
    if (header.size < sizeof header || header.size > until_ - at_) break;
    const auto record = bytes_at(at_, header.size).subspan(sizeof header);
    at_ += header.size;
    if (header.type == PERF_RECORD_LOST && record.size() >= 16) lost_ += word_at(&record[8]);
    if (header.type != PERF_RECORD_SAMPLE) continue;
    // Without user registers (a thread of the kernel) there are none after the kind of process.
    constexpr std::size_t kStackAt = 16 + 8 * RawSample::kRegisters;
    if (record.size() < kStackAt + 8 || word_at(&record[8]) == PERF_SAMPLE_REGS_ABI_NONE) continue;
    RawSample sample;
    sample.time = word_at(record.data());
    std::memcpy(sample.registers.data(), &record[16], sizeof sample.registers);
    const std::uint64_t size = word_at(&record[kStackAt]);
    if (size != 0 && size <= record.size() && size + kStackAt + 16 <= record.size()) {
      const std::uint64_t copied = word_at(&record[kStackAt + 8 + size]);
      sample.stack = record.subspan(kStackAt + 8, std::min(size, copied));
    }
    return sample;
  }
  at_ = until_;
  return std::nullopt;
}

}  // namespace latecomer::samples
