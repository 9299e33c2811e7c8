// SPDX-License-Identifier: BSD-3-Clause
// Finds sends that waited for their receives, and the largest sends that did not.
#include "analyzer/waits/sender_waits.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "patterns/waits/late_receiver.hpp"

namespace latecomer::replay {
namespace {

using patterns::CallKind;
using patterns::SendMode;
using trace::kNone;

}  // namespace

// Keeps, by hosted location, the receives that may have been waited for. Most only show that an
// eager send had ended.
std::vector<SenderWaits::Lates> SenderWaits::exchange_late() {
  std::vector<Lates> kept(booking_.mine.size());
  LargestEager largest = {-1, -1, -1};
  for (const auto& bytes : processes_.exchange(take_all(late_))) {
    const auto at = [&](std::size_t i) {
      Late late;
      std::memcpy(&late, bytes.data() + i * sizeof late, sizeof late);
      return late;
    };
    const std::size_t count = bytes.size() / sizeof(Late);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + memory::kAhead < count) {
        const Late ahead = at(i + memory::kAhead);
        booking_.mine[points_.hosted(ahead.location)].sends.prefetch(ahead.index);
      }
      const Late late = at(i);
      const std::size_t location = points_.hosted(late.location);
      if (may_have_waited(location, late, largest)) kept[location].push_back(late);
    }
  }
  if (!options_.scalasca_compatible) agree_on_eager_limits(largest);
  return kept;
}

// Decides with what is known so far. A send that returned before its receive was posted was eager.
bool SenderWaits::may_have_waited(std::size_t location, const Late& late, LargestEager& largest) {
  const auto& events = booking_.mine[location];
  const auto send = events.sends[late.index];
  if (send.other == kNone) return false;
  if (options_.scalasca_compatible || options_.eager_limit) return true;
  auto& size =
      largest[static_cast<std::size_t>(topology_.link(booking_.rank_of(location), send.peer))];
  const auto bytes = static_cast<std::int64_t>(events.bytes(send));
  // A message at least as large was seen to be eager, so the call need not be read.
  if (bytes <= size) return synchronous_;
  const auto mode = booking_.send_mode_of(events.calls[send.call]);
  const bool standard = mode == SendMode::kStandard || mode == SendMode::kSendrecv;
  if (!standard || events.calls[send.other].leave > late.posted) return true;
  size = bytes;
  return synchronous_;
}

void SenderWaits::find(const ReceiverWaits& receivers) {
  const auto late = exchange_late();
  for (std::size_t l = 0; l < booking_.mine.size(); ++l) {
    book(l, candidates(l, late[l]), receivers.late_senders(l));
  }
}

void SenderWaits::agree_on_eager_limits(const LargestEager& largest) {
  for (std::size_t c = 0; c < largest.size(); ++c) {
    const std::int64_t size = processes_.max(largest[c]);
    if (size >= 0) eager_limits_[c] = static_cast<std::uint64_t>(size);
    if (options_.eager_limit) eager_limits_[c] = options_.eager_limit;
  }
  larger_from_ = smallest_larger_than_eager();
}

// The smallest size that is not eager on every class of links in use. Most runs have one metahost.
std::uint64_t SenderWaits::smallest_larger_than_eager() const {
  auto longest = sync::LinkClass::kNode;
  for (std::uint32_t p = 0; p < topology_.node.size(); ++p) {
    longest = std::max(longest, topology_.link(0, p));
  }
  std::uint64_t smallest = UINT64_MAX;
  for (std::size_t c = 0; c <= static_cast<std::size_t>(longest); ++c) {
    if (!eager_limits_[c]) return 0;
    smallest = std::min(smallest, *eager_limits_[c]);
  }
  return smallest == UINT64_MAX ? smallest : smallest + 1;
}

bool SenderWaits::call_can_block(std::size_t location, const trace::Message& send,
                                 bool larger) const {
  const auto& events = booking_.mine[location];
  const auto mode = booking_.send_mode_of(events.calls[send.call]);
  if (mode == SendMode::kUnblocked || mode == SendMode::kNone) return false;
  if (options_.scalasca_compatible) {
    const CallKind kind = booking_.kind_of(events.calls[send.other]);
    const bool blocking = send.call == send.other;
    return blocking ? mode != SendMode::kSendrecv
                    : kind == CallKind::kWaitSingle || kind == CallKind::kWaitMultiple;
  }
  return mode == SendMode::kSynchronous || larger;
}

// The sends that may have waited, sorted by the call that completed them. Sends that ended before
// their receive was posted are remembered in went_ahead_ instead.
memory::Vector<SenderWaits::Candidate> SenderWaits::candidates(std::size_t location,
                                                               const Lates& late) {
  const auto& events = booking_.mine[location];
  auto& went_ahead = went_ahead_[location];
  memory::Vector<Candidate> out;
  for (std::size_t i = 0; i < late.size(); ++i) {
    if (i + memory::kAhead < late.size()) events.sends.prefetch(late[i + memory::kAhead].index);
    const Late& one = late[i];
    const auto send = events.sends[one.index];
    if (send.other == kNone || !can_block(location, send)) continue;
    const auto& call = events.calls[send.other];
    if (call.leave <= one.posted) {
      went_ahead.push_back(one.index);
      continue;
    }
    const trace::Ticks here = patterns::late_receiver(call.enter, call.leave, one.posted);
    const trace::Ticks polled =
        booking_.kind_of(call) == CallKind::kTest
            ? polls_.time(location, send.other, events.calls[send.call].enter, one.posted)
            : 0;
    const Candidate candidate{send.other, one.index,     one.receiver, one.posting,
                              one.posted, here + polled, polled};
    if (candidate.wait > 0) out.push_back(candidate);
  }
  std::ranges::sort(went_ahead);
  std::ranges::sort(out, [](const Candidate& a, const Candidate& b) {
    return std::tie(a.call, b.wait, a.receiver, a.send) <
           std::tie(b.call, a.wait, b.receiver, b.send);
  });
  return out;
}

// Books the longest wait of a call that completes several sends; ties go to the lowest rank. The
// wait of the call for a late sender is already booked.
void SenderWaits::book(std::size_t location, const memory::Vector<Candidate>& candidates,
                       const memory::Vector<MessageWait>& late_senders) {
  const auto& events = booking_.mine[location];
  const auto& map = booking_.map;
  auto late_sender = late_senders.begin();
  std::uint32_t booked = kNone;
  for (const auto& one : candidates) {
    const auto& call = events.calls[one.call];
    const bool multiple = booking_.kind_of(call) == CallKind::kWaitMultiple;
    if (one.call == booked && (multiple || !options_.scalasca_compatible)) continue;
    booked = one.call;
    while (late_sender != late_senders.end() && late_sender->call < one.call) ++late_sender;
    const bool both = late_sender != late_senders.end() && late_sender->call == one.call;
    trace::Ticks wait = one.wait;
    if (both) {
      if (options_.scalasca_compatible && multiple) continue;
      if (!options_.scalasca_compatible) wait -= late_sender->wait;
    }
    if (wait <= 0) continue;
    const auto receiver = booking_.definitions.locations[one.receiver].process;
    const bool grid =
        booking_.metahost_of(receiver) != booking_.metahost_of(booking_.rank_of(location));
    // The late sender was waited for first, so the rest of the wait is at the end of the call.
    const trace::Ticks here = std::min(wait, one.wait - one.polled);
    const trace::Ticks begin = here > 0 ? one.posted - here : call.enter;
    polls_.book(booking_, map[patterns::WaitState::kLateReceiver],
                {location, call, wait, grid, receiver, true, begin}, one.call, wait - here,
                events.calls[events.sends[one.send].call].enter, one.posted);
    points_.add_pair({.location = static_cast<std::uint32_t>(location),
                      .call = one.call,
                      .cause_location = one.receiver,
                      .cause_call = one.posting,
                      .kind = patterns::WaitKind::kLateReceiver,
                      .wait = wait,
                      .polled = wait - here,
                      .begin = begin,
                      .event = one.posted,
                      .leave = call.leave},
                     causes::CauseIndex::kCall);
    late_receivers_[location].push_back({one.call, receiver, wait});
    // Counts the send at the call that started it. Scalasca counts it where it completes.
    const auto& send = events.sends[one.send];
    const auto node = options_.scalasca_compatible ? call.node : events.calls[send.call].node;
    booking_.add(send.size == 0 ? map.late_receiver_syncs : map.late_receiver_comms, location, node,
                 1);
  }
}

}  // namespace latecomer::replay
