// SPDX-License-Identifier: BSD-3-Clause
// The cold half of the writer: full chunks, the move from memory to the file, losses.
#include "tracer/record/writer.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "tracer/record/live_copy.hpp"

namespace latecomer::record {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kWorthTrimming = std::size_t{32} << 10;

// Guard for the cold paths: keeps the program's errno and blocks its signal handlers, which may
// record, too.
class Quiet {
 public:
  Quiet() : errno_(errno) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &signals_);
  }
  ~Quiet() {
    pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
    errno = errno_;
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  int errno_;
  sigset_t signals_;
};

// Records that do not count as losses, because they are no events.
constexpr bool is_helper(Kind kind) {
  return kind == Kind::kTime || kind == Kind::kWideId || kind == Kind::kCallPath ||
         kind == Kind::kFlush;
}

// Counts the records in a chunk of memory as losses.
Losses count(const std::byte* chunk, std::size_t bytes) {
  Losses found;
  const auto* word = reinterpret_cast<const std::uint64_t*>(chunk);
  const auto* end = word + bytes / sizeof(std::uint64_t);
  while (word < end && *word != 0) {
    const Kind kind = kind_of(*word);
    const std::size_t words = 1 + payload_words_after(*word);
    if (!is_helper(kind)) {
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

ThreadWriter::ThreadWriter(std::uint32_t thread, std::size_t chunk_bytes, Ticks start)
    : last_(start), chunk_bytes_(std::max(kPage, (chunk_bytes + kPage - 1) / kPage * kPage)) {
  const Quiet quiet;
  no_memory_.chunk_bytes = static_cast<std::uint32_t>(chunk_bytes_);
  no_memory_.thread = thread;
  mapping_ = Mapping::of_memory(mapped_bytes(), PROT_READ | PROT_WRITE, MAP_POPULATE);
  if (!mapping_) {
    stop(ENOMEM);
    return;
  }
  header_ = new (mapping_.data()) FileHeader(no_memory_);
  use_chunk(chunk_in(mapping_));
  begin_chunk();
}

ThreadWriter::~ThreadWriter() { close(); }

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
  streak_end_ = nullptr;
  // not written, or a signal handler has recorded after it
  if (limit_ == nullptr || last_ != t) return;
  const std::uint64_t head = next_[-2];
  if (kind_of(head) != Kind::kLeaveUnsuccessful) return;
  streak_begin_ = last_ - (head >> kTimeShift);
  streak_end_ = next_;
}

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

void ThreadWriter::count_lost(std::size_t words) {
  std::atomic_ref(header_->lost_records).fetch_add(1, std::memory_order_relaxed);
  std::atomic_ref(header_->lost_bytes)
      .fetch_add(words * sizeof(std::uint64_t), std::memory_order_relaxed);
}

void ThreadWriter::put_helper(Kind kind, std::uint64_t value) {
  next_[2] = 0;
  next_[1] = value;
  std::atomic_ref(*next_).store(static_cast<std::uint64_t>(kind), std::memory_order_release);
  next_ += 2;
}

int ThreadWriter::flush() {
  const Ticks begin = clock_ != nullptr ? clock_() : 0;
  const int error = seal();
  if (error != 0 || clock_ == nullptr) return error;
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
  if (budget_ != nullptr && budget_->bytes.load() < budget_->limit &&
      budget_->bytes.fetch_add(chunk_bytes_) + chunk_bytes_ >= budget_->limit) {
    budget_->reached();
  }
  std::byte* chunk = chunk_in(mapping_);
  if (in_memory()) {
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
  use_chunk(chunk);
  std::atomic_ref(*next_).store(0, std::memory_order_release);
  begin_chunk();
  return 0;
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
  streak_end_ = nullptr;
  entered_ = kNoRegion;
  enter_end_ = nullptr;
  leavable_ = nullptr;
  repeats_.clear();
  limit_ = next_ + chunk_bytes_ / sizeof(std::uint64_t) - kLargest;
}

void ThreadWriter::stop(int error) {
  if (!stopped_) error_ = error;
  stopped_ = true;
  next_ = &nowhere_;
  limit_ = nullptr;
}

// Writes what is in memory to the file and counts the rest as lost. `mapping` becomes the mapped
// header and live chunk, or null if not even those fit.
int ThreadWriter::write_file(const std::string& path, std::uint32_t rank, MappedFile& file,
                             Mapping& mapping) {
  int error = file.create(path);
  if (error == 0) mapping = file.map(0, mapped_bytes(), error);
  FileHeader header = *header_;
  header.rank = rank;
  header.sealed = 0;
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
    header.lost_records += lost.records;
    header.lost_bytes += lost.bytes;
  }
  if (!mapping) {
    no_memory_ = header;
  } else {
    if (mapping_) copy_live_chunk(chunk_in(mapping_), chunk_in(mapping), chunk_bytes_);
    new (mapping.data()) FileHeader(header);
  }
  return error;
}

int ThreadWriter::move_to(const std::string& path, std::uint32_t rank) {
  const Quiet quiet;
  const std::lock_guard lock(mutex_);
  Mapping mapping;
  const int error = write_file(path, rank, file_, mapping);
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
  mapping_ = std::move(mapping);
  header_ = mapping_ ? reinterpret_cast<FileHeader*>(mapping_.data()) : &no_memory_;
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
