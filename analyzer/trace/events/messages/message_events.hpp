// SPDX-License-Identifier: BSD-3-Clause
// The data kept of one location's messages.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/packed_vector.hpp"
#include "analyzer/trace/events/core/gap.hpp"
#include "analyzer/trace/events/core/open_requests.hpp"
#include "analyzer/trace/events/core/region_events.hpp"

namespace latecomer::trace {

// A sent message, or a receive. Receives are in the order in which they were posted, which is the
// order in which MPI matches them.
struct Message {
  static constexpr std::uint32_t kLarge = 0x80000000;

  std::uint32_t peer = 0xffffffff;  // world rank of the other side; kNone: receive never completed
  std::uint32_t comm = 0;           // index in Definitions::comms
  std::uint32_t tag = 0;
  std::uint32_t call = 0;            // index of the Call that sends, or that completes the receive
  std::uint32_t other = 0xffffffff;  // the Call that completes the send, or that posts the receive
  std::uint32_t size = 0;            // bytes; from kLarge on: kLarge + index in large_sizes
  Ticks time = 0;                    // time of the send or receive record
  friend bool operator==(const Message&, const Message&) = default;
};

// Packs a message into 24 bytes. It fits up to 2^47 ticks, a million ranks and 4,096 communicators
// if `call` and `other` are not too far apart.
struct MessagePacking {
  struct Packed {
    std::uint32_t tag, call, size;
    std::uint32_t peer : 20, comm : 12;
    std::int64_t distance : 16, time : 48;  // distance: from call to other, or a constant below
  };
  static constexpr std::int16_t kOdd = INT16_MIN, kNoOther = INT16_MIN + 1;
  static constexpr std::uint32_t kNoPeer = (1U << 20) - 1;
  // The shifts sign-extend the lowest 48 bits of the time.
  static bool pack(const Message& message, Packed& to) {
    const std::int64_t distance = std::int64_t{message.other} - message.call;
    const bool no_peer = message.peer == 0xffffffff, no_other = message.other == 0xffffffff;
    to = {message.tag,
          message.call,
          message.size,
          (no_peer ? kNoPeer : message.peer) & kNoPeer,
          message.comm & 0xfff,
          no_other ? kNoOther : static_cast<std::int16_t>(distance),
          message.time << 16 >> 16};
    return (no_peer || message.peer < kNoPeer) && to.comm == message.comm &&
           to.time == message.time && (no_other || (distance > kNoOther && distance <= INT16_MAX));
  }
  static Message unpack(const Packed& from) {
    return {from.peer == kNoPeer ? 0xffffffff : std::uint32_t{from.peer},
            from.comm,
            from.tag,
            from.call,
            from.distance == kNoOther ? 0xffffffff
                                      : static_cast<std::uint32_t>(from.call + from.distance),
            from.size,
            from.time};
  }
  static bool move(Packed& packed, Ticks by) {
    const Ticks time = advanced(packed.time, by);
    if (time << 16 >> 16 != time) return false;
    packed.time = time << 16 >> 16;
    return true;
  }
  static bool set_other(Packed& packed, std::uint32_t other) {
    const std::int64_t distance = std::int64_t{other} - packed.call;
    if (distance <= kNoOther || distance > INT16_MAX) return false;
    packed.distance = static_cast<std::int16_t>(distance);
    return true;
  }
  static Packed odd(std::uint32_t number) { return {0, number, 0, 0, 0, kOdd, 0}; }
  static bool is_odd(const Packed& packed) { return packed.distance == kOdd; }
  static std::uint32_t odd_number(const Packed& packed) { return packed.call; }
};

using MessageList = PackedVector<Message, MessagePacking>;

// All of one location.
struct MessageEvents {
  MessageList sends;
  MessageList receives;
  std::vector<Gap> send_gaps, receive_gaps;   // between sends, and receives (as posted)
  std::vector<Elsewhere> receives_elsewhere;  // sorted by index
  std::vector<std::uint64_t> large_sizes;     // bytes of messages of 2 GiB and more

  [[nodiscard]] std::uint64_t bytes(const Message& m) const {
    return m.size < Message::kLarge ? m.size : large_sizes[m.size - Message::kLarge];
  }
};

}  // namespace latecomer::trace
