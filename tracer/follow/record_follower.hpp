// SPDX-License-Identifier: BSD-3-Clause
// Follows the records of one thread from another process, while they are written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/result.hpp"
#include "tracer/follow/read_file.hpp"
#include "tracer/record/format.hpp"
#include "tracer/record/reader.hpp"

namespace latecomer::follow {

// Delivers what RecordReader delivers, in the same order and each record once, as soon as it cannot
// change any more:
//
//   auto follower = RecordFollower::open(path);      // a Problem: not yet there, or no records
//   for (;;) {
//     const auto batch = follower->poll([&](const record::Record& r) { ... });
//     if (!batch.more) ... wait, or stop if follower->ended()
//   }
//
// The payload of an extended record is valid until the next poll. Each poll takes bounded time and
// memory, whatever the file contains.
// MT: one thread at a time; the thread that records goes on meanwhile.
class RecordFollower {
 public:
  struct Batch {
    std::uint64_t records = 0;  // delivered
    // Number of records (is_event) directly before the first one of this batch that were written
    // and cannot be read any more: a ring has overwritten them, or they are damaged. The count is
    // exact. What the caller knows of open regions does not hold any more. Files that grow lose
    // nothing.
    std::uint64_t lost = 0;
    bool more = false;  // another poll would deliver more right now
  };

  static Result<RecordFollower> open(const std::string& path);

  // Delivers records that are new, about `most` of them.
  template <typename Each>
  Batch poll(Each&& each, std::uint64_t most = kMost) {
    Batch batch;
    batch.lost = std::exchange(lost_before_, 0);
    ended_ = false;
    for (int turn = 0; turn < kMostTurns; ++turn) {
      for (record::Record r; batch.records < most && reader_->next(r);) deliver(r, batch, each);
      if (batch.records >= most) {
        batch.more = true;
        return batch;
      }
      deliver_tail(batch, each);
      const Progress progress = read_on();
      if (progress == Progress::kNone) return batch;
      if (progress == Progress::kLoss) break;  // told before the records after it
    }
    batch.more = true;
    return batch;
  }

  // The process that writes is gone. What is left in the file is delivered to its end.
  void writer_is_gone() { gone_ = true; }

  // The thread has ended, or its process is gone, and the last poll delivered everything. Another
  // thread may go on in the same file (kThreadBegin); then this is false again.
  [[nodiscard]] bool ended() const { return ended_; }

  // The header as it was read last. Its losses are those of the writer, for lack of space.
  [[nodiscard]] const record::FileHeader& header() const { return header_; }
  // Sum of the records in Batch::lost. It includes those that the next batch will tell of.
  [[nodiscard]] std::uint64_t lost_records() const { return lost_; }
  // Number of records (is_event) that were delivered.
  [[nodiscard]] std::uint64_t seen_records() const { return position_ - lost_; }
  // Places at which the file was damaged. The rest of the chunk was left out there, unless only a
  // time was wrong.
  [[nodiscard]] std::uint64_t damages() const { return damages_; }
  [[nodiscard]] const char* first_damage() const { return first_damage_; }  // "": none

  static constexpr std::uint64_t kMost = 8192;

 private:
  enum class Progress : std::uint8_t { kNone, kSome, kLoss };

  RecordFollower(ReadFile file, const record::FileHeader& header);

  template <typename Each>
  void deliver(const record::Record& r, Batch& batch, Each& each) {
    if (tail_given_ != 0) {
      --tail_given_;  // while it was the tail
      return;
    }
    ++batch.records;
    if (record::is_event(r.kind)) ++position_;
    last_kind_ = r.kind;
    each(r);
  }
  // The parts so far of the last record, which may get more.
  template <typename Each>
  void deliver_tail(Batch& batch, Each& each) {
    if (tail_end_ == settled_) return;
    record::RecordReader copy = *reader_;
    copy.grow_chunk(tail_end_);
    const std::uint64_t given = tail_given_;
    tail_given_ = 0;
    std::uint64_t parts = 0;
    for (record::Record r; copy.next(r); ++parts) {
      if (parts >= given) deliver(r, batch, each);
    }
    tail_given_ = std::max(parts, given);
  }

  Progress read_on();
  Progress read_live();
  Progress read_sealed();
  Progress next_chunk(std::uint64_t number);
  [[nodiscard]] bool is_overwritten(std::uint64_t chunk) const;
  bool read_header();
  void see_end();
  void count_damages();
  void damaged(const char* what);
  Progress take(std::size_t settled, std::size_t end);

  // At most so many reads per poll, and tries to read a chunk before it changes.
  static constexpr int kMostTurns = 64;
  static constexpr int kTries = 4;

  ReadFile file_;
  record::FileHeader header_;
  std::uint32_t chunk_bytes_ = 0;
  std::unique_ptr<std::byte[]> bytes_;  // a header and the current chunk, as far as it is known
  std::optional<record::RecordReader> reader_;
  std::uint64_t chunk_ = 0;                    // number of the current chunk
  bool begun_ = false;                         // its first words are there
  bool whole_ = false;                         // it is sealed, and all of it is there
  std::size_t settled_ = 0;                    // bytes of it that will not change
  std::size_t tail_end_ = 0;                   // end of one more record, which may get more parts
  std::uint64_t tail_given_ = 0;               // parts of it that were delivered
  std::vector<std::uint64_t> first_, second_;  // copies of the end of the live chunk
  std::uint64_t position_ = 0;                 // records delivered or lost so far
  std::uint64_t lost_ = 0, lost_before_ = 0;
  std::uint64_t before_ = 0;  // of a ring: records before the current chunk
  std::uint64_t damages_ = 0;
  std::size_t damages_counted_ = 0;  // of the current chunk
  const char* first_damage_ = "";
  record::Kind last_kind_ = record::Kind::kEnd;  // of the last record
  bool gone_ = false;
  bool said_so_ = false;  // the thread said that it ended, when it was asked before
  bool ended_ = false;
  bool broken_ = false;  // the header is damaged: nothing can be read any more
};

}  // namespace latecomer::follow
