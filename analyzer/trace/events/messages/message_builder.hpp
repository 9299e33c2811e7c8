// SPDX-License-Identifier: BSD-3-Clause
// Collects the messages of one location.
#pragma once

#include <cstdint>

#include "analyzer/memory/flat_index.hpp"
#include "analyzer/trace/events/core/region_builder.hpp"
#include "analyzer/trace/events/core/request_index.hpp"
#include "analyzer/trace/events/messages/message_events.hpp"

namespace latecomer::trace {

// Receives are kept in the order in which they were posted. Communicators are the archive's ids.
class MessageBuilder {
 public:
  explicit MessageBuilder(RegionBuilder& regions) : regions_(regions) {}

  // Handles an event of this family. False: a field is missing.
  bool take(Event& event);
  // Handles a send or receive whose fields are in `from`.
  bool take_message(Event& event, std::uint8_t type, Fields from, bool left_out);

  void send(Ticks t, std::uint32_t receiver, std::uint32_t comm, std::uint32_t tag,
            std::uint64_t bytes);
  void isend(Ticks t, std::uint32_t receiver, std::uint32_t comm, std::uint32_t tag,
             std::uint64_t bytes, std::uint64_t request);
  void isend_complete(Ticks t, std::uint64_t request);
  void receive(Ticks t, std::uint32_t sender, std::uint32_t comm, std::uint32_t tag,
               std::uint64_t bytes);
  // `left_out`: in a call that a filter left out; only the place in the order is kept.
  void receive_posted(Ticks t, std::uint64_t request, bool left_out = false);
  void ireceive(Ticks t, std::uint32_t sender, std::uint32_t comm, std::uint32_t tag,
                std::uint64_t bytes, std::uint64_t request, bool left_out = false);
  void request_cancelled(Ticks t, std::uint64_t request);
  // Adds messages that were not recorded.
  void unrecorded(Ticks t, Gap::Kind kind, std::uint32_t comm, std::uint32_t peer,
                  std::uint32_t tag, std::uint64_t count);

  [[nodiscard]] MessageEvents finish();

 private:
  // Fills a message except for `other`. False (and counted): it refers to something unknown.
  bool describe(Message& message, Ticks t, std::uint32_t peer, std::uint32_t comm,
                std::uint32_t tag, std::uint64_t bytes);
  void add_receive_gap(Ticks t, std::uint32_t slot, std::uint32_t peer, std::uint32_t comm,
                       std::uint32_t tag);
  void receive_not_posted(Ticks t, std::uint32_t sender, std::uint32_t comm, std::uint32_t tag,
                          std::uint64_t bytes, std::uint64_t request);

  RegionBuilder& regions_;
  MessageEvents out_;
  RequestIndex sends_by_request_, receives_by_request_;
  FlatIndex<IntKey> adopted_receives_;  // started while recording was off
};

[[gnu::always_inline]] inline bool MessageBuilder::describe(Message& message, Ticks t,
                                                            std::uint32_t peer, std::uint32_t comm,
                                                            std::uint32_t tag,
                                                            std::uint64_t bytes) {
  const RegionBuilder::Peers& peers = regions_.peers(comm);
  if (peer >= peers.ranks.size() || peers.ranks[peer] == kNone) [[unlikely]] {
    regions_.unknown_reference();
    return false;
  }
  const std::uint32_t in = regions_.call();
  if (in == kNone) return false;
  const std::uint32_t rank = peers.ranks[peer];
  auto size = static_cast<std::uint32_t>(bytes);
  if (bytes >= Message::kLarge) [[unlikely]] {
    size = Message::kLarge + static_cast<std::uint32_t>(out_.large_sizes.size());
    out_.large_sizes.push_back(bytes);
  }
  message = {rank, peers.comm, tag, in, kNone, size, t};
  regions_.exchanges(in, rank);
  return true;
}

inline void MessageBuilder::send(Ticks t, std::uint32_t receiver, std::uint32_t comm,
                                 std::uint32_t tag, std::uint64_t bytes) {
  regions_.advance(t);
  Message message;
  if (!describe(message, t, receiver, comm, tag, bytes)) return;
  message.other = message.call;
  out_.sends.push_back(message);
}

[[gnu::always_inline]] inline void MessageBuilder::isend(Ticks t, std::uint32_t receiver,
                                                         std::uint32_t comm, std::uint32_t tag,
                                                         std::uint64_t bytes,
                                                         std::uint64_t request) {
  regions_.advance(t);
  Message message;
  if (!describe(message, t, receiver, comm, tag, bytes)) return;
  const auto index = static_cast<std::uint32_t>(out_.sends.size());
  out_.sends.push_back(message);
  sends_by_request_.set(request, index);
}

[[gnu::always_inline]] inline void MessageBuilder::isend_complete(Ticks t, std::uint64_t request) {
  regions_.advance(t);
  const std::uint32_t sent = sends_by_request_.take(request);
  if (sent == kNone) {
    return regions_.completed_for_another(HandedRequest::Kind::kSend, request, 0);
  }
  const std::uint32_t in = regions_.call();
  std::uint32_t peer = kNone;
  out_.sends.change(
      sent,
      [&](MessagePacking::Packed& packed) {
        peer = packed.peer;
        return MessagePacking::set_other(packed, in);
      },
      [&](Message& message) {
        peer = message.peer;
        message.other = in;
      });
  if (in != kNone) regions_.exchanges(in, peer);
}

inline void MessageBuilder::receive(Ticks t, std::uint32_t sender, std::uint32_t comm,
                                    std::uint32_t tag, std::uint64_t bytes) {
  regions_.advance(t);
  Message message;
  if (!describe(message, t, sender, comm, tag, bytes)) return;
  message.other = message.call;
  out_.receives.push_back(message);
}

[[gnu::always_inline]] inline void MessageBuilder::receive_posted(Ticks t, std::uint64_t request,
                                                                  bool left_out) {
  regions_.advance(t);
  const auto index = static_cast<std::uint32_t>(out_.receives.size());
  Message slot;
  if (regions_.is_off() || left_out) {
    out_.receives.push_back(slot);
    adopted_receives_.at({request}, index) = index;
    return;
  }
  // Provisional until it is completed. Calls that are close pack into fewer bytes.
  slot.other = slot.call = regions_.call();
  out_.receives.push_back(slot);
  receives_by_request_.set(request, index);
}

[[gnu::always_inline]] inline void MessageBuilder::ireceive(Ticks t, std::uint32_t sender,
                                                            std::uint32_t comm, std::uint32_t tag,
                                                            std::uint64_t bytes,
                                                            std::uint64_t request, bool left_out) {
  left_out = left_out || regions_.is_off();
  std::uint32_t slot = receives_by_request_.take(request);
  if (left_out || adopted_receives_.size() != 0) [[unlikely]] {
    const std::uint32_t adopted = adopted_receives_.take({request});
    if (left_out || adopted != kNone) {
      if (slot == kNone) slot = adopted;
      return add_receive_gap(t, slot, sender, comm, tag);
    }
  }
  if (slot == kNone) [[unlikely]]
    return receive_not_posted(t, sender, comm, tag, bytes, request);
  regions_.advance(t);
  Message message;
  if (!describe(message, t, sender, comm, tag, bytes)) return;
  const auto complete = [&message](const Message& posted) {
    message.other = posted.other != kNone ? posted.other : message.call;
  };
  out_.receives.change(
      slot,
      [&](MessagePacking::Packed& packed) {
        complete(MessagePacking::unpack(packed));
        MessagePacking::Packed completed;
        if (!MessagePacking::pack(message, completed)) return false;
        packed = completed;
        return true;
      },
      [&](Message& posted) {
        complete(posted);
        posted = message;
      });
}

[[gnu::always_inline]] inline bool MessageBuilder::take_message(Event& event, std::uint8_t type,
                                                                Fields from, bool left_out) {
  std::uint32_t peer = 0, comm = 0, tag = 0;
  std::uint64_t bytes = 0, request = 0;
  if (!Event::take_from(from, peer, comm, tag, bytes)) return false;
  comm = event.comm(comm);
  if (type == kMpiSend) {
    send(event.time, peer, comm, tag, bytes);
  } else if (type == kMpiRecv) {
    receive(event.time, peer, comm, tag, bytes);
  } else if (!Event::take_from(from, request)) {
    return false;
  } else if (type == kMpiIsend) {
    isend(event.time, peer, comm, tag, bytes, request);
  } else {
    ireceive(event.time, peer, comm, tag, bytes, request, left_out);
  }
  return true;
}

}  // namespace latecomer::trace
