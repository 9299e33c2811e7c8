// SPDX-License-Identifier: BSD-3-Clause
// MessageBuilder's part for rarer records. The usual ones are in the header.
#include "analyzer/trace/events/messages/message_builder.hpp"

#include <algorithm>

namespace latecomer::trace {

bool MessageBuilder::take(Event& event) {
  using U64 = std::uint64_t;
  const std::uint8_t type = event.record.type;
  const Ticks t = event.time;
  switch (type) {
    case kMpiIsendComplete:
      return event.with<U64>([&](U64 request) { isend_complete(t, request); });
    case kMpiIrecvRequest:
      return event.with<U64>([&](U64 request) { receive_posted(t, request, event.is_left_out()); });
    case kMpiRequestCancelled:
      return event.with<U64>([&](U64 request) { request_cancelled(t, request); });
    default:
      return take_message(event, type, event.record.fields,
                          type == kMpiIrecv && event.is_left_out());
  }
}

// Handles a receive whose request was posted by another thread, or is not in the trace.
void MessageBuilder::receive_not_posted(Ticks t, std::uint32_t sender, std::uint32_t comm,
                                        std::uint32_t tag, std::uint64_t bytes,
                                        std::uint64_t request) {
  const std::size_t next = out_.receives.size();
  receive(t, sender, comm, tag, bytes);
  if (out_.receives.size() == next) return;
  regions_.completed_for_another(HandedRequest::Kind::kReceive, request, next);
}

// A receive that was posted or completed while recording was off takes its place as a gap.
void MessageBuilder::add_receive_gap(Ticks t, std::uint32_t slot, std::uint32_t peer,
                                     std::uint32_t comm, std::uint32_t tag) {
  regions_.advance(t);
  const std::uint32_t index = regions_.definitions().comm_ids.find(comm);
  const std::uint32_t rank = index == kNone ? kNone : regions_.world_rank(index, peer);
  if (rank == kNone) return regions_.unknown_reference();
  const auto end = static_cast<std::uint32_t>(out_.receives.size());
  out_.receive_gaps.push_back({1, std::min(slot, end), index, rank, tag, 0, t});
}

void MessageBuilder::unrecorded(Ticks t, Gap::Kind kind, std::uint32_t comm, std::uint32_t peer,
                                std::uint32_t tag, std::uint64_t count) {
  regions_.advance(t);
  Gap gap{count, 0, regions_.definitions().comm_ids.find(comm), 0, tag, 0, t};
  if (gap.comm == kNone) return regions_.unknown_reference();
  gap.peer = regions_.world_rank(gap.comm, peer);
  if (gap.peer == kNone) return regions_.unknown_reference();
  const bool sent = kind == Gap::Kind::kSend;
  gap.before = static_cast<std::uint32_t>(sent ? out_.sends.size() : out_.receives.size());
  (sent ? out_.send_gaps : out_.receive_gaps).push_back(gap);
}

void MessageBuilder::request_cancelled(Ticks t, std::uint64_t request) {
  regions_.advance(t);
  if (adopted_receives_.take({request}) != kNone) return;
  const std::uint32_t sent = sends_by_request_.take(request);
  if (sent != kNone) {
    out_.sends.change(sent, [](Message& message) { message.peer = kNone; });
  } else if (receives_by_request_.take(request) == kNone) {
    regions_.completed_for_another(HandedRequest::Kind::kCancelled, request, 0);
  }
}

MessageEvents MessageBuilder::finish() {
  using Kind = HandedRequest::Kind;
  sends_by_request_.each([&](std::uint64_t request, std::uint32_t index) {
    regions_.hand_on({.kind = Kind::kSend, .index = index, .id = request});
  });
  receives_by_request_.each([&](std::uint64_t request, std::uint32_t index) {
    regions_.hand_on({.kind = Kind::kReceive, .index = index, .id = request});
  });
  regions_.unresolved(receives_by_request_.size() + adopted_receives_.size());
  std::ranges::stable_sort(out_.receive_gaps, {}, &Gap::before);
  return std::move(out_);
}

}  // namespace latecomer::trace
