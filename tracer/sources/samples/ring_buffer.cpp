// SPDX-License-Identifier: BSD-3-Clause
// Maps ring buffers and takes records out of them.
#include "tracer/sources/samples/ring_buffer.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace latecomer::samples {

std::uint64_t RawRecord::word(std::size_t at) const {
  std::uint64_t word = 0;
  if (at + sizeof word <= bytes.size()) std::memcpy(&word, &bytes[at], sizeof word);
  return word;
}

perf_event_attr software_event(std::uint64_t event, clockid_t clock) {
  perf_event_attr a{};
  a.size = sizeof a;
  a.type = PERF_TYPE_SOFTWARE;
  a.config = event;
  a.use_clockid = 1;
  a.clockid = clock;
  a.exclude_hv = 1;
  a.watermark = 1;
  a.wakeup_watermark = ~0U;
  return a;
}

int open_event(perf_event_attr& a) {
  const auto open = [&a] {
    return static_cast<int>(syscall(SYS_perf_event_open, &a, 0, -1, -1,
                                    static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
  };
  const int event = open();
  if (event >= 0 || (errno != EACCES && errno != EPERM)) return event;
  a.exclude_kernel = 1;
  return open();
}

RingBuffer::~RingBuffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

int RingBuffer::map(int event, std::size_t pages, std::size_t least) {
  int error = ENOMEM;
  for (; pages * kPage > least; pages /= 2) {
    mapped_ = (1 + pages) * kPage;
    void* const place = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    error = errno;
    if (place == MAP_FAILED) continue;
    mapping_ = static_cast<std::byte*>(place);
    size_ = pages * kPage;
    return 0;
  }
  return error;
}

std::uint64_t* RingBuffer::head_and_tail() const {
  static_assert(offsetof(perf_event_mmap_page, data_tail) ==
                offsetof(perf_event_mmap_page, data_head) + sizeof(std::uint64_t));
  return reinterpret_cast<std::uint64_t*>(mapping_ + offsetof(perf_event_mmap_page, data_head));
}

void RingBuffer::begin() {
  std::uint64_t* const both = head_and_tail();
  until_ = std::atomic_ref(both[0]).load(std::memory_order_acquire);
  at_ = std::atomic_ref(both[1]).load(std::memory_order_relaxed);
  filled_ = until_ - at_;
}

void RingBuffer::end() {
  std::atomic_ref(head_and_tail()[1]).store(at_, std::memory_order_release);
}

// Bytes of the buffer as one piece.
std::span<const std::byte> RingBuffer::bytes_at(std::uint64_t at, std::size_t size) {
  const std::byte* const data = mapping_ + kPage;
  const std::size_t offset = at % size_;
  if (offset + size <= size_) return {data + offset, size};
  whole_.resize(std::max(whole_.size(), size));
  std::memcpy(whole_.data(), data + offset, size_ - offset);
  std::memcpy(whole_.data() + (size_ - offset), data, size - (size_ - offset));
  return {whole_.data(), size};
}

std::optional<RawRecord> RingBuffer::next() {
  if (until_ - at_ >= sizeof(perf_event_header)) {
    perf_event_header header;
    std::memcpy(&header, bytes_at(at_, sizeof header).data(), sizeof header);
    if (header.size >= sizeof header && header.size <= until_ - at_) {
      const auto bytes = bytes_at(at_, header.size).subspan(sizeof header);
      at_ += header.size;
      return RawRecord{header.type, header.misc, bytes};
    }
  }
  at_ = until_;
  return std::nullopt;
}

}  // namespace latecomer::samples
