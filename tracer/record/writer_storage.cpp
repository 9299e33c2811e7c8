// SPDX-License-Identifier: BSD-3-Clause
// Where the writer's chunks are: full ones in memory, later in the file; the budget; losses.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "tracer/record/live_copy.hpp"
#include "tracer/record/quiet.hpp"
#include "tracer/record/writer.hpp"

namespace latecomer::record {
namespace {

constexpr std::size_t kWorthTrimming = std::size_t{32} << 10;

// Counts the records in a chunk of memory.
Losses count(const std::byte* chunk, std::size_t bytes) {
  Losses found;
  const auto* word = reinterpret_cast<const std::uint64_t*>(chunk);
  const auto* end = word + bytes / sizeof(std::uint64_t);
  std::array<ConstructKind, kConstructSlots> constructs{};
  while (word < end && *word != 0) {
    const Kind kind = kind_of(*word);
    const std::size_t words = 1 + payload_words_after(*word);
    if (kind == Kind::kExtended && extended_kind(*word) == kConstructDefined) {
      constructs[word[1] % kConstructSlots] = static_cast<ConstructKind>(word[1] >> 8);
    } else if (kind == Kind::kConstruct) {
      found.records += construct_fields(constructs[slot_in(*word)], stage_in(*word)).records;
      found.bytes += sizeof(std::uint64_t);
    } else if (is_event(kind)) {
      ++found.records;
      found.bytes += words * sizeof(std::uint64_t);
      if (has_enter(*word)) ++found.records;
      if (Repeats::begins(*word)) ++found.records;
      if (leaves(*word)) ++found.records;
    }
    word += words;
  }
  return found;
}

}  // namespace

ThreadWriter::~ThreadWriter() { close(); }

int ThreadWriter::flush() {
  const Ticks begin = clock_ != nullptr ? clock_() : 0;
  const int error = seal();
  if (error != 0 || clock_ == nullptr) return error;
  if (meanwhile_ != nullptr) meanwhile_();
  next_[3] = 0;
  next_[2] = clock_() - begin;
  next_[1] = begin;
  std::atomic_ref(*next_).store(static_cast<std::uint64_t>(Kind::kFlush),
                                std::memory_order_release);
  next_ += 3;
  return 0;
}

// Copies the live chunk and begins it anew. If the copy fails, its records stay where they are. The
// order of the stores makes a kill at any point harmless: as soon as the copy counts, the live
// chunk does not.
int ThreadWriter::seal() {
  if (budget_ != nullptr && ring_chunks_ == 0 && budget_->bytes.load() < budget_->limit &&
      budget_->bytes.fetch_add(chunk_bytes_) + chunk_bytes_ >= budget_->limit) {
    budget_->reached();
  }
  std::byte* chunk = chunk_in(mapping_);
  // The words from next_ on are still zero.
  const auto used = static_cast<std::size_t>(reinterpret_cast<std::byte*>(next_) - chunk);
  if (ring_chunks_ != 0) {
    keep_in_ring(chunk, used);
  } else if (in_memory()) {
    if ((sealed_.size() + 2) * chunk_bytes_ > kMaxMemoryBytes) return ENOBUFS;
    try {
      sealed_.emplace_back(chunk, chunk + chunk_bytes_);
    } catch (...) {
      return ENOMEM;
    }
  } else {
    const std::size_t offset = kHeaderBytes + (1 + header_->sealed) * chunk_bytes_;
    if (const int error = file_.write(offset, chunk, chunk_bytes_); error != 0) return error;
  }
  std::atomic_ref(header_->sealed).store(header_->sealed + 1, std::memory_order_release);
  // A reader in another process must not take old words for new records (settled_words.hpp).
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::memset(chunk, 0, used);
  if (ring_chunks_ != 0) {
    auto* const before = reinterpret_cast<std::uint64_t*>(mapping_.data() + kRingOffset);
    std::atomic_ref(before[header_->sealed % ring_chunks_])
        .store(header_->records, std::memory_order_relaxed);
  }
  std::atomic_thread_fence(std::memory_order_release);
  use_chunk(chunk);
  begin_chunk();
  return 0;
}

// Readers know that the chunk which was there before is being overwritten, since as many chunks
// have been sealed after it as there are places.
void ThreadWriter::keep_in_ring(const std::byte* chunk, std::size_t bytes) {
  const std::size_t place = header_->sealed % ring_chunks_;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::memcpy(chunk_in(mapping_) + (1 + place) * chunk_bytes_, chunk,
              bytes + sizeof(std::uint64_t));
  header_->records += count(chunk, bytes).records;
}

void ThreadWriter::begin_chunk() {
  put_helper(Kind::kTime, last_);
  if (call_path_ != 0) {
    if (call_path_ > kMaxId) put_helper(Kind::kWideId, call_path_);
    next_[1] = 0;
    std::atomic_ref(*next_).store(
        static_cast<std::uint64_t>(Kind::kCallPath) |
            std::uint64_t{call_path_ > kMaxId ? 0 : call_path_} << kKindBits,
        std::memory_order_release);
    ++next_;
  }
  std::atomic_ref(header_->live).store(header_->sealed, std::memory_order_release);
}

void ThreadWriter::use_chunk(std::byte* chunk) {
  next_ = reinterpret_cast<std::uint64_t*>(chunk);
  streak_.forget();
  entered_ = kNoRegion;
  enter_end_ = nullptr;
  leavable_ = nullptr;
  repeats_.clear();
  forget_constructs();
  limit_ = next_ + chunk_bytes_ / sizeof(std::uint64_t) - kLargest;
}

// Writes what is in memory to the file and counts the rest as lost. `mapping` becomes the mapped
// header and live chunk, or null if not even those fit.
int ThreadWriter::write_file(const std::string& path, std::uint32_t rank, MappedFile& file,
                             Mapping& mapping) {
  int error = file.create(path);
  if (error == 0) mapping = file.map(0, mapped_bytes(), error);
  FileHeader header = *header_;
  header.rank = rank;
  if (ring_chunks_ == 0) header.sealed = 0;
  for (std::size_t i = 0; i < sealed_.size(); ++i) {
    if (error == 0) {
      error = file.write(kHeaderBytes + (1 + i) * chunk_bytes_, sealed_[i].data(), chunk_bytes_);
    }
    if (error == 0) {
      ++header.sealed;
    } else {
      // After the first error nothing more is written, so all further chunks are lost.
      const Losses lost = count(sealed_[i].data(), chunk_bytes_);
      header.lost_records += lost.records;
      header.lost_bytes += lost.bytes;
    }
  }
  header.live = header.sealed;
  if (mapping_ && !mapping) {
    const Losses lost = count(chunk_in(mapping_), chunk_bytes_);
    header.lost_records += lost.records + header.records;
    header.lost_bytes += lost.bytes;
  }
  if (!mapping) {
    no_memory_ = header;
  } else {
    if (mapping_) {
      copy_live_chunk(chunk_in(mapping_), chunk_in(mapping), chunk_bytes_);
      if (header.sealed != 0) {
        std::memcpy(chunk_in(mapping) + chunk_bytes_, chunk_in(mapping_) + chunk_bytes_,
                    ring_chunks_ * chunk_bytes_);
      }
      std::memcpy(mapping.data() + kRingOffset, mapping_.data() + kRingOffset,
                  ring_chunks_ * sizeof(std::uint64_t));
    }
    // Who reads the file before it has the magic number takes it for one that was never begun.
    header.magic = 0;
    auto* const begun = new (mapping.data()) FileHeader(header);
    std::atomic_ref(begun->magic).store(kMagic, std::memory_order_release);
  }
  return error;
}

int ThreadWriter::move_to(const std::string& path, std::uint32_t rank) {
  return move(path, rank, false);
}

int ThreadWriter::try_move_to(const std::string& path, std::uint32_t rank) {
  return move(path, rank, true);
}

int ThreadWriter::move(const std::string& path, std::uint32_t rank, bool only_if_it_fits) {
  const Quiet quiet;
  const std::lock_guard lock(mutex_);
  Mapping mapping;
  MappedFile file;
  const FileHeader before = no_memory_;
  const int error = write_file(path, rank, file, mapping);
  if (error != 0 && only_if_it_fits) {
    no_memory_ = before;
    if (file.exists()) unlink(path.c_str());
    return error;
  }
  if (file.exists()) file_ = std::move(file);
  if (error != 0) stop(error);
  if (paused() && !stopped_) {
    // The position of a paused writer is in paused_next_; next_ points to the counting buffer.
    const auto used = reinterpret_cast<std::byte*>(paused_next_) - mapping_.data();
    use_chunk(chunk_in(mapping));
    paused_limit_ = limit_;
    paused_next_ = reinterpret_cast<std::uint64_t*>(mapping.data() + used);
    limit_ = nullptr;
  } else if (!stopped_) {
    const auto used = reinterpret_cast<std::byte*>(next_) - mapping_.data();
    use_chunk(chunk_in(mapping));
    next_ = reinterpret_cast<std::uint64_t*>(mapping.data() + used);
  }
  if (mapping_ && mapping) {
    std::memcpy(mapping.data() + kPendingOffset, mapping_.data() + kPendingOffset,
                kHeaderBytes - kPendingOffset);
  }
  mapping_ = std::move(mapping);
  header_ = mapping_ ? reinterpret_cast<FileHeader*>(mapping_.data()) : &no_memory_;
  mapping_ ? live_state_.use(mapping_.data()) : live_state_.use_nothing();
  sealed_.clear();
  return error;
}

int ThreadWriter::save_to(const std::string& path, std::uint32_t rank) {
  const Quiet quiet;
  const std::lock_guard lock(mutex_);
  if (closed_ || !in_memory()) return 0;
  MappedFile file;
  Mapping mapping;
  const int error = write_file(path, rank, file, mapping);
  if (error != 0) error_ = error;
  return error;
}

void ThreadWriter::close() {
  const Quiet quiet;
  const std::lock_guard lock(mutex_);
  if (closed_ || in_memory()) return;
  closed_ = true;
  if (paused() && !stopped_) leave_pause();
  if (mapping_) {
    const bool sealed = header_->sealed != 0;
    const auto used =
        static_cast<std::size_t>(reinterpret_cast<std::byte*>(next_) - mapping_.data());
    no_memory_ = *header_;
    header_ = &no_memory_;
    live_state_.use_nothing();
    mapping_.reset();
    // Giving blocks back takes file systems milliseconds, as long as recording 100,000 events.
    if (!sealed && !stopped_ && mapped_bytes() - used > kWorthTrimming) file_.trim(used);
  }
  next_ = &nowhere_;
  limit_ = nullptr;
}

Losses ThreadWriter::losses() const {
  const std::lock_guard lock(mutex_);
  return {std::atomic_ref(header_->lost_records).load(std::memory_order_relaxed),
          std::atomic_ref(header_->lost_bytes).load(std::memory_order_relaxed),
          header_->clamped_times, error_};
}

}  // namespace latecomer::record
