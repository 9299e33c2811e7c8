// SPDX-License-Identifier: BSD-3-Clause
// Appends the records of one thread; a record costs a few stores.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tracer/record/arguments.hpp"
#include "tracer/record/construct_words.hpp"
#include "tracer/record/extended.hpp"
#include "tracer/record/format.hpp"
#include "tracer/record/limits.hpp"
#include "tracer/record/live_chunk.hpp"
#include "tracer/record/live_state.hpp"
#include "tracer/record/mapped_file.hpp"
#include "tracer/record/poll_streak.hpp"
#include "tracer/record/repeats.hpp"
#include "tracer/record/unrecorded.hpp"

namespace latecomer::record {

// Records go to a live chunk, which is mapped and used again and again. Full chunks are copied to
// memory until move_to() names a file, then to that file (format.hpp).
// If there is no space or the disk fails, this thread stops recording and losses are counted.
// Times never decrease: an earlier time is replaced by the last one and counted.
// MT: recording, move_to() and close() by the owner; save_to() and losses() by any thread. A signal
// handler may record at any time; a record that would fall inside another one is lost.
class ThreadWriter : ConstructChunk {
 public:
  // With `ring_chunks` the file is a ring that keeps only the last so many full chunks
  // (format.hpp).
  ThreadWriter(std::uint32_t thread, std::size_t chunk_bytes, Ticks start,
               std::uint32_t ring_chunks = 0);
  ~ThreadWriter();
  ThreadWriter(const ThreadWriter&) = delete;
  ThreadWriter& operator=(const ThreadWriter&) = delete;

  // entered_ and leavable_ are read and changed only where a signal handler cannot record.
  void enter(RegionId region, Ticks t) {
    const bool in_handler = begin_put();
    if (in_handler || !is_plain(region, t)) [[unlikely]] {
      if (!in_handler) entered_ = kNoRegion;
      return put_prepared(Kind::kEnter, in_handler, region, t);
    }
    entered_ = region;
    store(Kind::kEnter, region, t);
    enter_end_ = next_;
    end_put();
  }
  [[gnu::always_inline]] void leave(RegionId region, Ticks t) {
    const bool in_handler = begin_put();
    if (next_ == leavable_ && t == last_ && region == entered_ && !in_handler) {
      std::atomic_ref(next_[-1]).store(next_[-1] | kLeaves, std::memory_order_release);
      leavable_ = nullptr;
    } else if (in_handler || !is_plain(region, t)) [[unlikely]] {
      return put_prepared(Kind::kLeave, in_handler, region, t);
    } else if (next_ == enter_end_ && region == entered_ &&
               can_visit(next_[-1] >> kTimeShift, t - last_)) {
      std::atomic_ref(next_[-1]).store(visit(region, next_[-1] >> kTimeShift, t - last_),
                                       std::memory_order_release);
      last_ = t;
      enter_end_ = nullptr;
    } else {
      store(Kind::kLeave, region, t);
    }
    end_put();
  }
  // End of an unsuccessful poll; enter() was the last record. Directly after an unsuccessful poll
  // of the same function it becomes part of that record.
  void leave_unsuccessful(RegionId region, Ticks t) {
    const bool in_handler = busy_;
    busy_ = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const bool extended = !in_handler && streak_.extend(*this, region, t);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    busy_ = in_handler;
    if (!extended) begin_streak(region, t);
  }

  void send(const Message& m, Ticks t) {
    settle_before(Kind::kSend, m.comm, pack(m), t);
    put_contents(Kind::kSend, Kind::kSendAgain, m.comm, t, pack(m), m.bytes);
  }
  void recv(const Message& m, Ticks t) {
    settle_before(Kind::kRecv, m.comm, pack(m), t);
    put_contents(Kind::kRecv, Kind::kRecvAgain, m.comm, t, pack(m), m.bytes);
  }
  void isend(const Message& m, RequestId request, Ticks t) {
    settle_before(Kind::kIsend, m.comm, pack(m), t);
    put_started(Kind::kIsend, Kind::kIsendAgain, m, request, t);
  }
  void isend_complete(RequestId request, Ticks t) {
    put_request(Kind::kIsendComplete, Kind::kIsendCompleteNear, request, t);
  }
  void irecv_request(RequestId request, Ticks t) {
    settle_before(Kind::kIrecvRequest, 0, 0, t);
    put_request(Kind::kIrecvRequest, Kind::kIrecvRequestNear, request, t);
  }
  void irecv(const Message& m, RequestId request, Ticks t) {
    settle_before(Kind::kIrecv, 0, request, t);
    put_started(Kind::kIrecv, Kind::kIrecvAgain, m, request, t);
  }
  void request_test(RequestId request, Ticks t) { put(Kind::kRequestTest, 0, t, request); }
  void request_cancelled(RequestId request, Ticks t) {
    settle_before(Kind::kRequestCancelled, 0, request, t);
    put(Kind::kRequestCancelled, 0, t, request);
  }

  void collective_begin(Ticks t) {
    settle_before(Kind::kCollectiveBegin, 0, 0, t);
    put(Kind::kCollectiveBegin, 0, t);
  }
  void collective_end(const Collective& c, Ticks t) {
    put_contents(Kind::kCollectiveEnd, Kind::kCollectiveEndAgain, c.comm, t, pack(c), c.sent,
                 c.received);
  }
  // Begin and end of a blocking operation. Both take one word together if this chunk has seen the
  // operation and nothing was recorded since it began.
  [[gnu::always_inline]] void collective(const Collective& c, Ticks begin, Ticks t) {
    settle_before(Kind::kCollectiveBegin, 0, 0, begin);
    const Contents contents{c.comm, pack(c), c.sent, c.received};
    const unsigned slot = Repeats::slot_of(contents);
    const bool in_handler = begin_put();
    const bool again =
        !in_handler && is_plain(c.comm, t) && last_ == begin && repeats_.at(slot) == contents;
    if (again) store_again(Kind::kCollectiveEndAgain, slot | Repeats::kBegins, t);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    busy_ = in_handler;
    if (again) return;
    put(Kind::kCollectiveBegin, 0, begin);
    collective_end(c, t);
  }
  void nonblocking_request(RequestId request, Ticks t) {
    settle_before(Kind::kNonblockingRequest, 0, 0, t);
    put(Kind::kNonblockingRequest, 0, t, request);
  }
  void nonblocking_complete(const Collective& c, RequestId request, Ticks t) {
    settle_before(Kind::kNonblockingComplete, 0, request, t);
    put(Kind::kNonblockingComplete, c.comm, t, pack(c), c.sent, c.received, request);
  }
  void comm_create(CommId comm, Ticks t) { put(Kind::kCommCreate, comm, t); }
  void comm_destroy(CommId comm, Ticks t) { put(Kind::kCommDestroy, comm, t); }

  void window_create(WindowId window, Ticks t) { put(Kind::kWindowCreate, window, t); }
  void window_destroy(WindowId window, Ticks t) { put(Kind::kWindowDestroy, window, t); }
  void rma_collective_begin(Ticks t) {
    settle_before(Kind::kRmaCollectiveBegin, 0, 0, t);
    put(Kind::kRmaCollectiveBegin, 0, t);
  }
  void rma_collective_end(WindowId window, std::uint32_t op, std::uint32_t level, Ticks t) {
    put(Kind::kRmaCollectiveEnd, window, t, pack(op, level));
  }
  void rma_group_sync(WindowId window, std::uint32_t level, bool access, std::uint32_t group,
                      Ticks t) {
    settle_before(Kind::kRmaGroupSync, 0, 0, t);
    put(Kind::kRmaGroupSync, window, t, pack(group, level | (access ? kAccess : 0)));
  }
  // `target` may be kEverybody.
  void rma_request_lock(WindowId window, std::int32_t target, bool shared, Ticks t) {
    settle_before(Kind::kRmaRequestLock, 0, 0, t);
    put(Kind::kRmaRequestLock, window, t, pack(static_cast<std::uint32_t>(target), shared ? 1 : 0));
  }
  void rma_release_lock(WindowId window, std::int32_t target, Ticks t) {
    settle_before(Kind::kRmaReleaseLock, 0, 0, t);
    put(Kind::kRmaReleaseLock, window, t, pack(static_cast<std::uint32_t>(target), 0));
  }
  void rma_sync(WindowId window, std::int32_t target, Ticks t) {
    put(Kind::kRmaSync, window, t, pack(static_cast<std::uint32_t>(target), 0));
  }
  void rma_put(const Transfer& x, RequestId id, Ticks t) {
    put(Kind::kRmaPut, x.window, t, pack(static_cast<std::uint32_t>(x.target), 0), x.bytes, id);
  }
  void rma_get(const Transfer& x, RequestId id, Ticks t) {
    put(Kind::kRmaGet, x.window, t, pack(static_cast<std::uint32_t>(x.target), 0), x.bytes, id);
  }
  // x.bytes is the number of bytes sent.
  void rma_atomic(const Transfer& x, std::uint32_t type, std::uint64_t received, RequestId id,
                  Ticks t) {
    put(Kind::kRmaAtomic, x.window, t, pack(static_cast<std::uint32_t>(x.target), type), x.bytes,
        received, id);
  }
  void rma_complete(WindowId window, RequestId id, Ticks t) {
    put(Kind::kRmaComplete, window, t, id);
  }
  void rma_complete_remote(WindowId window, RequestId id, Ticks t) {
    put(Kind::kRmaCompleteRemote, window, t, id);
  }

  void file_opened(FileHandleId handle, Ticks t) {
    settle_before(Kind::kFileOpened, 0, 0, t);
    put(Kind::kFileOpened, handle, t);
  }
  void file_closed(FileHandleId handle, Ticks t) {
    settle_before(Kind::kFileClosed, 0, 0, t);
    put(Kind::kFileClosed, handle, t);
  }
  void file_deleted(std::uint32_t file, Ticks t) { put(Kind::kFileDeleted, file, t); }
  void file_call(FileHandleId handle, Ticks t) {
    settle_before(Kind::kFileCall, 0, 0, t);
    put(Kind::kFileCall, handle, t);
  }
  void file_begin(FileHandleId handle, std::uint32_t mode, std::uint32_t flags, std::uint64_t bytes,
                  RequestId id, Ticks t) {
    settle_before(Kind::kFileBegin, 0, 0, t);
    put(Kind::kFileBegin, handle, t, pack(mode, flags), bytes, id);
  }
  void file_issued(FileHandleId handle, RequestId id, Ticks t) {
    put(Kind::kFileIssued, handle, t, id);
  }
  void file_complete(FileHandleId handle, std::uint64_t bytes, RequestId id, Ticks t) {
    settle_before(Kind::kFileComplete, 0, 0, t);
    put(Kind::kFileComplete, handle, t, bytes, id);
  }
  void file_moved(FileHandleId handle, std::int64_t offset, std::uint32_t from, std::uint64_t now,
                  Ticks t) {
    put(Kind::kFileMoved, handle, t, static_cast<std::uint64_t>(offset), std::uint64_t{from}, now);
  }

  // A record of a family (extended.hpp), with at most kMostExtendedWords words. While recording is
  // off these records are dropped.
  // The same with a fixed, small number of words, which is faster.
  template <typename... Words>
  [[gnu::always_inline]] void extended_words(ExtendedKind kind, Ticks t, Words... words) {
    static_assert(1 + sizeof...(words) <= kUsual);
    const std::uint64_t field = extended_field(kind, sizeof...(words));
    const bool in_handler = begin_put();
    if (in_handler || !is_plain(field, t)) [[unlikely]] {
      busy_ = in_handler;
      const std::array<std::uint64_t, sizeof...(words)> all{words...};
      return extended(kind, t, all);
    }
    store(Kind::kExtended, field, t, words...);
    end_put();
  }
  void extended(ExtendedKind kind, Ticks t, std::span<const std::uint64_t> words);

  // Constructs of threads. Each takes one word if this chunk has seen it before, times are short
  // and nothing else is recorded inside (construct_words.hpp).
  //
  // This thread makes a team, or begins to work in one; it has done its part; it goes on after it,
  // which it leaves at the same time as its barrier.
  void team_begun(const TeamPart& team, Ticks fork, Ticks t) {
    if (!construct(t, [&] { return store_team_begun(team, fork, t); })) [[unlikely]]
      write_team_begun(team, fork, t);
  }
  void team_joined(const TeamPart& team, Ticks t) {
    if (construct(t, [&] { return store_team_joined(team, t); })) [[likely]]
      return;
    extended_words(kTeamBegun, t, two_halves(team.parallel, team.number));
    forget_team();
  }
  void team_arrived(const TeamPart& team, Ticks t) {
    if (!construct(t, [&] { return store_team_arrived(team, t); }))
      extended_words(kTeamArrived, t, two_halves(team.barrier, team.number));
  }
  void team_left(const TeamPart& team, Ticks t) {
    if (construct(t, [&] { return store_team_left(team, t); })) [[likely]]
      return;
    leave(team.barrier, t);
    leave(team.parallel, t);
  }
  // The barrier `inner` at the end of a loop or of sections, which end with it.
  void work_barrier(RegionId outer, RegionId inner, Ticks t) {
    if (!construct(t, [&] { return store_work_barrier(outer, inner, t); })) enter(inner, t);
  }
  void work_barrier_left(RegionId outer, RegionId inner, Ticks t) {
    if (!construct(t, [&] { return store_work_barrier_left(outer, t); })) leave(inner, t);
  }
  void work_left(RegionId outer, RegionId inner, Ticks t) {
    if (construct(t, [&] { return store_work_left(outer, t); })) return;
    leave(outer, t);
    (void)construct(t, [&] {
      define_work(outer, inner);
      return true;
    });
  }
  // A critical section with its block. `holders` is the number of earlier ones, as far as is known
  // while this thread waits.
  void lock_wanted(RegionId region, RegionId block, std::uint32_t lock, std::uint32_t holders,
                   Ticks t) {
    if (!construct(t, [&] { return store_lock_wanted(region, block, lock, holders, t); }))
      enter(region, t);
  }
  void lock_acquired(RegionId region, RegionId block, std::uint32_t lock, std::uint32_t holders,
                     Ticks t) {
    if (construct(t, [&] { return store_lock_acquired(region, lock, holders, t); })) return;
    extended_words(kLockAcquired, t, two_halves(lock, holders));
    enter(block, t);
  }
  void lock_released(RegionId region, RegionId block, std::uint32_t lock, std::uint32_t holders,
                     Ticks t) {
    if (construct(t, [&] { return store_lock_released(region, lock, t); })) return;
    leave(block, t);
    extended_words(kLockReleased, t, two_halves(lock, holders));
  }
  void lock_left(RegionId region, std::uint32_t lock, Ticks t) {
    if (!construct(t, [&] { return store_lock_left(region, lock, t); })) leave(region, t);
  }

  // Writes the record only; pause() and resume() also switch recording.
  void measurement(bool on, Ticks t) { put(Kind::kMeasurement, on ? 1 : 0, t); }
  // Switch recording off and on. In between, records are only counted (unrecorded.hpp), which costs
  // about as much as recording them.
  void pause(Ticks t);
  void resume(Ticks t);
  [[nodiscard]] bool paused() const { return pause_ != nullptr; }
  // Enclose a call that a filter leaves out. Its records are only counted. The counts are written
  // before the next record whose order depends on them, at the end, or when recording is switched
  // off. `at_once` writes them at the end of the call, because other threads take part in that
  // order.
  void begin_left_out();
  void end_left_out(bool at_once, Ticks t);
  // Writes all counts that are still pending.
  void settle(Ticks t);

  void program_begin(Ticks t) { put(Kind::kProgramBegin, 0, t); }
  void program_end(Ticks t) {
    settle(t);
    put(Kind::kProgramEnd, 0, t);
  }

  // The thread has ended, and another one continues with this writer. All that it had open is
  // closed.
  void begin_thread(Ticks t) {
    streak_.forget();
    if (!stopped_) put(Kind::kExtended, extended_field(kNextThread, 0), t);
    call_path_ = 0;
  }
  // False if the thread ended inside a record, so that its last record may be incomplete, or if it
  // was not recording.
  [[nodiscard]] bool can_go_on() const { return !busy_ && !leaving_out_ && !paused() && !closed_; }

  // Innermost frame of the calls that follow. It is written when it changes and again at the
  // beginning of each chunk, with the time of the previous record.
  void call_path(FrameId frame) {
    if (frame != call_path_) change_call_path(frame);
  }
  [[nodiscard]] FrameId call_path() const { return call_path_; }

  // What the thread is doing, for an observer of the run. It does not depend on recording.
  [[nodiscard]] LiveState& live_state() { return live_state_; }

  // Creates the file, copies what is in memory and continues there. Returns 0 or an errno, which is
  // also the reason in losses().
  int move_to(const std::string& path, std::uint32_t rank);
  // The same, if there is room. Otherwise nothing has changed.
  int try_move_to(const std::string& path, std::uint32_t rank);

  // Copies what is in memory to a new file. The owner may continue to record in memory meanwhile.
  int save_to(const std::string& path, std::uint32_t rank);

  // Cuts the file to its length and unmaps it. Later records are dropped without being counted.
  void close();

  void set_budget(Budget* budget) { budget_ = budget; }
  // Sets a clock, with which the time spent on storing full chunks is recorded. `meanwhile` is
  // called each time that a chunk was stored; what it takes is a part of that time.
  using Clock = Ticks (*)();
  using Meanwhile = void (*)();
  void time_flushes(Clock clock, Meanwhile meanwhile = nullptr) {
    clock_ = clock;
    meanwhile_ = meanwhile;
  }
  void set_thread(std::uint32_t thread) { header_->thread = thread; }  // before move_to()
  void set_kind(LocationKind kind) { header_->kind = kind; }           // before move_to()
  [[nodiscard]] std::uint32_t thread() const { return header_->thread; }
  [[nodiscard]] Ticks last_time() const { return last_; }  // of the last record
  [[nodiscard]] bool in_memory() const { return !file_.exists(); }
  [[nodiscard]] Losses losses() const;

  // Limit of memory for one thread before the experiment directory is known.
  static constexpr std::size_t kMaxMemoryBytes = std::size_t{64} << 20;

 private:
  template <typename... Words>
  void put(Kind kind, std::uint64_t id, Ticks ticks, Words... words) {
    const bool in_handler = begin_put();
    if (in_handler || !is_plain(id, ticks)) [[unlikely]] {
      return put_prepared(kind, in_handler, id, ticks, words...);
    }
    store(kind, id, ticks, words...);
    end_put();
  }
  template <typename... Words>
  [[gnu::noinline, gnu::cold]] void put_prepared(Kind kind, bool in_handler, std::uint64_t id,
                                                 Ticks ticks, Words... words) {
    if (!prepare(1 + sizeof...(words), id, ticks, in_handler)) return;
    store(kind, id, ticks, words...);
    end_put();
  }

  // Writes the first such record of a chunk whole and its repetitions in one word `again`
  // (Repeats).
  template <typename... Words>
  void put_contents(Kind kind, Kind again, std::uint64_t id, Ticks ticks, Words... words) {
    const Contents contents{id, words...};
    const unsigned slot = Repeats::slot_of(contents);
    const bool in_handler = begin_put();
    if (in_handler || !is_plain(id, ticks)) [[unlikely]] {
      return put_whole(kind, in_handler, slot, id, ticks, words...);
    }
    if (repeats_.at(slot) == contents) {
      store_again(again, slot, ticks);
    } else {
      repeats_.remember(slot, contents);
      store(kind, id, ticks, words...);
    }
    end_put();
  }
  // Does the same for records with a request.
  void put_started(Kind kind, Kind again, const Message& m, RequestId request, Ticks ticks) {
    const Contents contents{m.comm, pack(m), m.bytes};
    const unsigned slot = Repeats::slot_of(contents);
    const bool in_handler = begin_put();
    if (in_handler || !is_plain(m.comm, ticks)) [[unlikely]] {
      return put_whole(kind, in_handler, slot, m.comm, ticks, pack(m), m.bytes, request);
    }
    std::uint64_t field;
    const bool near = repeats_.distance(request, Repeats::kRequestBits, field);
    repeats_.set_request(request);
    if (near && repeats_.at(slot) == contents) {
      store_again(again, slot | field << Repeats::kSlotBits, ticks);
    } else {
      repeats_.remember(slot, contents);
      store(kind, m.comm, ticks, pack(m), m.bytes, request);
    }
    end_put();
  }
  void put_request(Kind kind, Kind near, RequestId request, Ticks ticks) {
    const bool in_handler = begin_put();
    if (in_handler || !is_plain(0, ticks)) [[unlikely]] {
      return put_whole(kind, in_handler, 0, 0, ticks, request);
    }
    std::uint64_t field;
    const bool is_near = repeats_.distance(request, Repeats::kFarBits, field);
    repeats_.set_request(request);
    if (is_near) {
      store_again(near, field, ticks);
    } else {
      store(kind, 0, ticks, request);
    }
    end_put();
  }
  // Forgets the entries afterwards, since a signal handler may have replaced them in between.
  template <typename... Words>
  [[gnu::noinline, gnu::cold]] void put_whole(Kind kind, bool in_handler, unsigned slot,
                                              std::uint64_t id, Ticks ticks, Words... words) {
    busy_ = in_handler;
    put(kind, id, ticks, words...);
    repeats_.forget(slot);
    repeats_.forget_request();
  }

  // Stores a part of a construct. False: it is to be written in another way.
  template <typename Store>
  [[gnu::always_inline]] bool construct(Ticks t, Store&& store_it) {
    const bool in_handler = begin_put();
    const bool stored = !in_handler && is_plain(0, t) && store_it();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    busy_ = in_handler;
    return stored;
  }
  [[gnu::noinline, gnu::cold]] void write_team_begun(const TeamPart& team, Ticks fork, Ticks t) {
    extended_words(kTeamBegun, t, two_halves(team.parallel, team.number),
                   to_word(MakerWord{true, team.threads, t - fork}));
    forget_team();
  }

  void begin_streak(RegionId region, Ticks t);

  bool prepare(std::size_t words, std::uint64_t& id, Ticks& ticks, bool in_handler);
  void change_call_path(FrameId frame) {
    if (busy_) return;  // inside a signal handler, whose calls are lost, too
    put(Kind::kCallPath, frame, last_);
    call_path_ = frame;
  }
  void count_lost(std::size_t words);
  void settle_before(Kind kind, std::uint64_t id, std::uint64_t word, Ticks t) {
    if (left_out_ != nullptr) [[unlikely]]
      settle_all_before(kind, id, word, t);
  }
  void settle_all_before(Kind kind, std::uint64_t id, std::uint64_t word, Ticks t);
  void write_counts(const Unrecorded& what, Ticks t);
  void write_left_out(const Unrecorded& what, Ticks t);
  void rewrite(const Unrecorded::Late& late, Ticks t);
  void put_late(const Unrecorded::Late& late, Ticks t);
  void leave_pause();
  int flush();
  int seal();
  void keep_in_ring(const std::byte* chunk, std::size_t bytes);
  int move(const std::string& path, std::uint32_t rank, bool only_if_it_fits);
  void begin_chunk();
  void use_chunk(std::byte* chunk);
  void stop(int error);
  int write_file(const std::string& path, std::uint32_t rank, MappedFile& file, Mapping& mapping);
  // The chunk in a mapping that begins with the header.
  [[nodiscard]] static std::byte* chunk_in(const Mapping& mapping) {
    return mapping.data() + kHeaderBytes;
  }
  [[nodiscard]] std::size_t mapped_bytes() const {
    return kHeaderBytes + (1 + ring_chunks_) * chunk_bytes_;
  }

  PollStreak streak_;
  bool leaving_out_ = false;              // a call that is left out is under way
  FrameId call_path_ = 0;                 // frame that was recorded last
  std::unique_ptr<Unrecorded> left_out_;  // counts of the calls that are left out; null: none

  std::size_t chunk_bytes_;
  std::uint32_t ring_chunks_ = 0;     // 0: no ring
  Mapping mapping_;                   // header, live chunk and ring, anonymous or part of the file
  FileHeader* header_ = &no_memory_;  // in the mapping, if there is one
  LiveState live_state_;              // beside the header
  std::vector<std::vector<std::byte>> sealed_;  // full chunks before move_to()
  MappedFile file_;
  int error_ = 0;
  std::unique_ptr<Unrecorded> pause_;  // counts while recording is off; else null
  // next_, limit_ and last_ before a pause or a call that is left out
  std::uint64_t* paused_next_ = nullptr;
  std::uint64_t* paused_limit_ = nullptr;
  Ticks paused_last_ = 0;
  Budget* budget_ = nullptr;
  Clock clock_ = nullptr;
  Meanwhile meanwhile_ = nullptr;
  bool stopped_ = false;
  bool closed_ = false;
  FileHeader no_memory_;       // counts losses before and after the mapping
  std::uint64_t nowhere_ = 0;  // target of next_ when stopped
  mutable std::mutex mutex_;   // guards mapping, header and file against save_to() and losses()
  Repeats repeats_;            // contents of this chunk
};

}  // namespace latecomer::record
