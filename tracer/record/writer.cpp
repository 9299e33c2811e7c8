// SPDX-License-Identifier: BSD-3-Clause
// The cold half of the writer: its begin, and records that do not fit.
#include "tracer/record/writer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "tracer/record/quiet.hpp"

namespace latecomer::record {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

ThreadWriter::ThreadWriter(std::uint32_t thread, std::size_t chunk_bytes, Ticks start,
                           std::uint32_t ring_chunks)
    : chunk_bytes_(std::max(kPage, (chunk_bytes + kPage - 1) / kPage * kPage)),
      ring_chunks_(std::min(ring_chunks, kMostRingChunks)) {
  const Quiet quiet;
  last_ = start;
  no_memory_.chunk_bytes = static_cast<std::uint32_t>(chunk_bytes_);
  no_memory_.ring_chunks = ring_chunks_;
  no_memory_.thread = thread;
  mapping_ = Mapping::of_memory(mapped_bytes(), PROT_READ | PROT_WRITE, MAP_POPULATE);
  if (!mapping_) {
    stop(ENOMEM);
    return;
  }
  header_ = new (mapping_.data()) FileHeader(no_memory_);
  live_state_.use(mapping_.data());
  use_chunk(chunk_in(mapping_));
  begin_chunk();
}

// Cold path: no room, a time or an id that does not fit its field, or recording is off. False if
// the record is not to be written. A signal handler that interrupted put() must not change the
// chunk.
[[gnu::noinline, gnu::cold]] bool ThreadWriter::prepare(std::size_t words, std::uint64_t& id,
                                                        Ticks& ticks, bool in_handler) {
  if (closed_ || stopped_ || in_handler) {
    if (!closed_) count_lost(words);
    busy_ = in_handler;
    return false;
  }
  if (pause_ != nullptr || leaving_out_) {
    next_ = (leaving_out_ ? left_out_ : pause_)->space(id);
    last_ = ticks;
    id = 0;
    return true;
  }
  const Quiet quiet;
  const std::lock_guard lock(mutex_);
  if (room_for(words) > limit_) {
    if (const int error = flush(); error != 0) {
      stop(error);
      count_lost(words);
      busy_ = false;
      return false;
    }
  }
  if (ticks < last_) {
    ++header_->clamped_times;
    ticks = last_;
  }
  if (ticks - last_ > kMaxDistance) {
    last_ = ticks;
    put_helper(Kind::kTime, ticks);
  }
  if (id > kMaxId) {
    put_helper(Kind::kWideId, id);
    id = 0;
  }
  return true;
}

void ThreadWriter::extended(ExtendedKind kind, Ticks t, std::span<const std::uint64_t> words) {
  const std::size_t length = std::min<std::size_t>(words.size(), kMostExtendedWords);
  std::uint64_t field = extended_field(kind, length);
  const bool in_handler = begin_put();
  if (in_handler || !is_plain(field, t) || room_for(1 + length) > limit_) {
    if (!prepare(1 + length, field, t, in_handler)) return;
  }
  std::uint64_t* const record = next_;
  const std::uint64_t distance = t - last_;
  record[1 + length] = 0;
  next_ = record + 1 + length;
  last_ = t;
  std::copy_n(words.begin(), length, record + 1);
  std::atomic_ref(*record).store(
      static_cast<std::uint64_t>(Kind::kExtended) | field << kKindBits | distance << kTimeShift,
      std::memory_order_release);
  end_put();
}

// Begins a row. The new record is looked for in the chunk, where a signal handler may have recorded
// something else meanwhile.
[[gnu::noinline]] void ThreadWriter::begin_streak(RegionId region, Ticks t) {
  const Ticks time = t > last_ ? t - last_ : 0;
  if (time > kMaxDistance) return leave(region, t);
  put(Kind::kLeaveUnsuccessful, region, t, time << kPollCountBits | 1);
  streak_.forget();
  // not written, or a signal handler has recorded after it
  if (limit_ == nullptr || last_ != t) return;
  const std::uint64_t head = next_[-2];
  if (kind_of(head) != Kind::kLeaveUnsuccessful) return;
  streak_.begin(next_, last_ - (head >> kTimeShift));
}

void ThreadWriter::count_lost(std::size_t words) {
  std::atomic_ref(header_->lost_records).fetch_add(1, std::memory_order_relaxed);
  std::atomic_ref(header_->lost_bytes)
      .fetch_add(words * sizeof(std::uint64_t), std::memory_order_relaxed);
}

void ThreadWriter::stop(int error) {
  if (!stopped_) error_ = error;
  stopped_ = true;
  next_ = &nowhere_;
  limit_ = nullptr;
}

}  // namespace latecomer::record
