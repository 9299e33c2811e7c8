// SPDX-License-Identifier: BSD-3-Clause
// The writer while recording is off, or in calls that a filter leaves out: records are counted, and
// the counts written later.
#include <utility>

#include "tracer/record/writer.hpp"

namespace latecomer::record {

void ThreadWriter::pause(Ticks t) {
  if (paused() || stopped_ || closed_) return;
  settle(t);
  put(Kind::kMeasurement, 0, t);
  if (stopped_) return;
  paused_next_ = next_;
  paused_limit_ = limit_;
  paused_last_ = last_;
  pause_ = std::make_unique<Unrecorded>();
  limit_ = nullptr;
}

// Continues where recording stopped.
void ThreadWriter::leave_pause() {
  next_ = paused_next_;
  limit_ = paused_limit_;
  last_ = paused_last_;
  entered_ = kNoRegion;
}

// Writes a record that is late. The reader will remember its contents, put() does not; so the
// writer forgets all entries.
void ThreadWriter::rewrite(const Unrecorded::Late& late, Ticks t) {
  put_late(late, t);
  repeats_.clear();
}

void ThreadWriter::put_late(const Unrecorded::Late& late, Ticks t) {
  switch (payload_words(late.kind)) {
    case 0:
      return put(late.kind, late.id, t);
    case 1:
      return put(late.kind, late.id, t, late.words[0]);
    case 3:
      return put(late.kind, late.id, t, late.words[0], late.words[1], late.words[2]);
    default:
      return put(late.kind, late.id, t, late.words[0], late.words[1], late.words[2], late.words[3]);
  }
}

// The order matters: the leaves of regions that were open when recording was switched off come
// first (LocationWriter), then everything that keeps operations in order, then the switch.
void ThreadWriter::resume(Ticks t) {
  if (!paused()) return;
  const std::unique_ptr<Unrecorded> pause = std::move(pause_);
  if (stopped_ || closed_) return;
  pause->account();
  leave_pause();
  for (const auto& late : pause->leaves()) rewrite(late, t);
  write_counts(*pause, t);
  for (const auto& late : pause->requests()) rewrite(late, t);
  put(Kind::kMeasurement, 1, t);
  for (const std::uint64_t region : pause->entered()) put(Kind::kEnter, region, t);
  // call_path() has only noted its frame meanwhile; the file does not have it.
  if (const FrameId path = std::exchange(call_path_, 0); path != 0) {
    change_call_path(path);
  } else {
    put(Kind::kCallPath, 0, last_);
  }
}

// A signal handler of the program that records in between must not see half of the change.
[[gnu::noinline, gnu::cold]] void ThreadWriter::begin_left_out() {
  if (paused() || stopped_ || closed_) return;
  const bool before = std::exchange(busy_, true);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (left_out_ == nullptr) left_out_ = std::make_unique<Unrecorded>();
  paused_next_ = next_;
  paused_limit_ = limit_;
  paused_last_ = last_;
  limit_ = nullptr;
  leaving_out_ = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  busy_ = before;
}

[[gnu::noinline, gnu::cold]] void ThreadWriter::end_left_out(bool at_once, Ticks t) {
  if (!leaving_out_) return;
  const bool before = std::exchange(busy_, true);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  leaving_out_ = false;
  left_out_->account();
  if (!stopped_) leave_pause();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  busy_ = before;
  if (at_once) settle(t);
}

[[gnu::noinline, gnu::cold]] void ThreadWriter::settle_all_before(Kind kind, std::uint64_t id,
                                                                  std::uint64_t word, Ticks t) {
  if (leaving_out_ || paused() || !left_out_->stands_before(kind, id, word)) return;
  write_left_out(left_out_->take_before(kind, id, word), t);
}

void ThreadWriter::settle(Ticks t) {
  if (left_out_ == nullptr || leaving_out_ || paused()) return;
  const std::unique_ptr<Unrecorded> what = std::move(left_out_);
  write_left_out(*what, t);
}

void ThreadWriter::write_counts(const Unrecorded& what, Ticks t) {
  for (const UnrecordedCount& c : what.counts()) {
    put(Kind::kUnrecorded, c.comm, t, pack(c.peer, c.tag),
        static_cast<std::uint64_t>(c.operation) | c.count << kUnrecordedCountShift);
  }
}

void ThreadWriter::write_left_out(const Unrecorded& what, Ticks t) {
  write_counts(what, t);
  for (Unrecorded::Late late : what.requests()) {
    const unsigned payload = payload_words(late.kind);
    if (payload > 0) late.words[payload - 1] |= kLeftOut;
    rewrite(late, t);
  }
}

}  // namespace latecomer::record
