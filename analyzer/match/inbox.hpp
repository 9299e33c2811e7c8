// SPDX-License-Identifier: BSD-3-Clause
// The messages that arrive at a process of the analysis, and their way there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/match/corrected_times.hpp"
#include "analyzer/match/partition.hpp"
#include "analyzer/memory/prefetch.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// A send, as the host of the sender describes it to the host of the receiver.
struct SentMessage {
  std::uint32_t target = 0, source = 0;  // world ranks
  std::uint32_t comm = 0, tag = 0;
  std::uint32_t location = 0, index = 0;  // the send is LocationEvents::sends[index] of `location`
  trace::Ticks enter = 0;                 // enter of the call that sent
  trace::Ticks time = 0;                  // time of the send record
  // True if this stands for `index` messages that the sender did not record.
  [[nodiscard]] bool is_gap() const { return location == trace::kNone; }
};

// A send in 24 bytes. The source follows from the location, and the target from the place of the
// message. It fits if its time is below 2^47 ticks, the call sent within 2^32 ticks after its
// enter, and the communicator is below 65,535. Other messages, and gaps, are kept whole.
struct PackedSend {
  // Value of comm: the message is kept whole, and `index` is its place among these.
  static constexpr std::uint16_t kOdd = 0xffff;

  std::uint32_t location, index, tag, since_enter;
  std::int64_t time : 48;
  std::uint64_t comm : 16;

  // False: the message has to be kept whole.
  static bool pack(const SentMessage& message, PackedSend& to) {
    const auto since_enter =
        static_cast<std::uint64_t>(trace::difference(message.time, message.enter));
    // The shifts sign-extend the lowest 48 bits. The time fits if they do not change it.
    const std::int64_t time = message.time << 16 >> 16;
    to = {
        message.location, message.index, message.tag, static_cast<std::uint32_t>(since_enter), time,
        message.comm};
    return !message.is_gap() && message.comm < kOdd && since_enter <= UINT32_MAX &&
           time == message.time;
  }
  // Moves both times. False: the message has to be kept whole; nothing was changed.
  static bool move(PackedSend& send, trace::Ticks by) {
    const trace::Ticks moved = trace::advanced(send.time, by);
    if (moved << 16 >> 16 != moved) return false;
    send.time = moved << 16 >> 16;
    return true;
  }
  static PackedSend odd(std::size_t index) {
    return {0, static_cast<std::uint32_t>(index), 0, 0, 0, kOdd};
  }
};

// Messages for one process. `bytes`: world ranks with their numbers of messages, then the messages
// in the order of these ranks. `odd`: messages that are kept whole.
struct MessageBatch {
  parallel::Bytes bytes;
  std::vector<SentMessage> odd;
};

// The messages that one process sends. Every message is announced first, then all are put. The
// order of targets does not matter.
class Outbox {
 public:
  Outbox(const Partition& partition, std::size_t ranks, int processes)
      : partition_(partition), announced_(ranks), batches_(static_cast<std::size_t>(processes)) {}

  void announce(std::uint32_t target) { ++announced_[target]; }
  void all_announced();
  void put(const SentMessage& message) {
    PackedSend send;
    if (!PackedSend::pack(message, send)) [[unlikely]]
      send = keep(message);
    std::byte*& next = next_[message.target];
    std::memcpy(next, &send, sizeof send);
    next += sizeof send;
  }
  [[nodiscard]] std::vector<MessageBatch> take() { return std::move(batches_); }

 private:
  [[gnu::noinline]] PackedSend keep(const SentMessage& message);

  const Partition& partition_;
  std::vector<std::size_t> announced_;  // messages per target
  std::vector<std::byte*> next_;        // per target: where in its batch the next one goes
  std::vector<MessageBatch> batches_;
};

// Messages grouped by the world rank that receives them. Those of one source keep the order of
// sending.
class Inbox {
 public:
  // Exchanges all messages. Collective.
  Inbox(std::vector<MessageBatch> outgoing, const trace::Definitions& definitions,
        parallel::Processes& processes);
  Inbox(const Inbox&) = delete;  // pieces point into batches
  Inbox& operator=(const Inbox&) = delete;

 private:
  // The messages of a batch for one world rank.
  struct Piece {
    // Range of message numbers, which continue from piece to piece.
    std::size_t begin = 0, end = 0;
    std::byte* data = nullptr;
    MessageBatch* batch = nullptr;
  };

 public:
  // The messages for one world rank.
  class Part {
   public:
    Part(const Inbox& inbox, std::uint32_t rank)
        : pieces_(inbox.pieces_of(rank)), sources_(inbox.sources_), rank_(rank) {}
    [[nodiscard]] std::size_t size() const { return pieces_.empty() ? 0 : pieces_.back().end; }
    [[nodiscard]] SentMessage operator[](std::size_t i) const {
      const Piece& piece = piece_of(i);
      return unpack(piece, i - piece.begin, rank_, sources_);
    }
    // Calls f(i, message) for all, in their order.
    template <typename F>
    void for_each(F&& f) const {
      for (const Piece& piece : pieces_) {
        for (std::size_t i = piece.begin; i < piece.end; ++i) {
          const PackedSend send = packed(piece, i - piece.begin);
          if (send.comm == PackedSend::kOdd) [[unlikely]] {
            pass_on(f, i, piece.batch->odd[send.index]);
          } else {
            f(i, unpack(send, rank_, sources_));
          }
        }
      }
    }
    // Calls f(message) for the i-th message. Members that f does not use are not unpacked.
    template <typename F>
    bool visit(std::size_t i, F&& f) const {
      const Piece& piece = piece_of(i);
      const PackedSend send = packed(piece, i - piece.begin);
      if (send.comm == PackedSend::kOdd) [[unlikely]]
        return pass_on(f, piece.batch->odd[send.index]);
      return f(unpack(send, rank_, sources_));
    }
    // True if some messages are kept whole; these may be gaps.
    [[nodiscard]] bool has_odd() const {
      return std::ranges::any_of(pieces_, [](const Piece& p) { return !p.batch->odd.empty(); });
    }
    // The i-th message will be read soon.
    LATECOMER_PREFETCHES void prefetch(std::size_t i) const {
      const Piece& piece = piece_of(i);
      memory::prefetch(piece.data + (i - piece.begin) * sizeof(PackedSend));
    }

   private:
    // Passes arguments by value: an argument passed by reference to a function that is not inlined
    // would have to lie in memory.
    template <typename F, typename... Arguments>
    [[gnu::noinline]] static auto pass_on(F f, Arguments... arguments) {
      return f(arguments...);
    }
    [[nodiscard]] const Piece& piece_of(std::size_t i) const {
      constexpr std::size_t kFew = 8;  // at most one piece per process of the analysis
      if (pieces_.size() > kFew) return *std::ranges::upper_bound(pieces_, i, {}, &Piece::end);
      const Piece* piece = pieces_.data();
      while (i >= piece->end) ++piece;
      return *piece;
    }
    std::span<const Piece> pieces_;
    std::span<const std::uint32_t> sources_;
    std::uint32_t rank_;
  };
  [[nodiscard]] Part of(std::uint32_t rank) const { return {*this, rank}; }

  // Corrects the times of all messages.
  void retime(CorrectedTimes& corrected);

 private:
  [[nodiscard]] std::span<const Piece> pieces_of(std::uint32_t rank) const {
    return std::span(pieces_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
  }
  [[nodiscard]] static PackedSend packed(const Piece& piece, std::size_t i) {
    PackedSend send;
    std::memcpy(&send, piece.data + i * sizeof send, sizeof send);
    return send;
  }
  [[nodiscard]] static SentMessage unpack(const Piece& piece, std::size_t i, std::uint32_t target,
                                          std::span<const std::uint32_t> sources) {
    const PackedSend from = packed(piece, i);
    if (from.comm == PackedSend::kOdd) [[unlikely]]
      return piece.batch->odd[from.index];
    return unpack(from, target, sources);
  }
  [[nodiscard]] static SentMessage unpack(const PackedSend& from, std::uint32_t target,
                                          std::span<const std::uint32_t> sources) {
    const std::int64_t time = from.time;
    return {target,
            sources[from.location],
            static_cast<std::uint32_t>(from.comm),
            from.tag,
            from.location,
            from.index,
            time - from.since_enter,
            time};
  }
  static void put(const Piece& piece, std::size_t i, const SentMessage& message);
  void retime_whole(const Piece& piece, std::size_t i, std::uint32_t target,
                    CorrectedTimes& corrected) const;

  std::vector<std::uint32_t> sources_;  // world rank of each location
  std::vector<MessageBatch> batches_;   // one from each process
  std::vector<Piece> pieces_;           // by world rank, then by process
  std::vector<std::size_t> first_;      // first piece of each world rank
};

}  // namespace latecomer::replay
