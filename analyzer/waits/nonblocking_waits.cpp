// SPDX-License-Identifier: BSD-3-Clause
// Divides the time of completion calls between messages and nonblocking collective operations.
#include "analyzer/waits/nonblocking_waits.hpp"

#include <algorithm>
#include <tuple>

#include "patterns/calls/collective_class.hpp"

namespace latecomer::replay {
namespace {

using trace::Ticks;

// The time that a call waited for messages.
Ticks waited(const memory::Vector<MessageWait>& waits, std::uint32_t call) {
  const auto found = std::ranges::lower_bound(waits, call, {}, &MessageWait::call);
  return found != waits.end() && found->call == call ? found->wait : 0;
}

// Flags by call of a location: true if the call completes messages.
std::vector<bool> completing(const trace::LocationEvents& events) {
  std::vector<bool> calls(events.calls.size());
  for (const auto& send : events.sends) {
    if (send.other != trace::kNone) calls[send.other] = true;
  }
  for (const auto& receive : events.receives) {
    if (receive.peer != trace::kNone) calls[receive.call] = true;
  }
  return calls;
}

}  // namespace

// Keeps one wait per call, the longest. Ties go to the lowest rank, then to the operation started
// first.
void NonblockingWaits::choose(const ReceiverWaits& receivers, const SenderWaits& senders) {
  std::ranges::stable_sort(waits_, [](const Wait& a, const Wait& b) {
    return std::tie(a.location, a.own->call, b.time, a.cause.rank) <
           std::tie(b.location, b.own->call, a.time, b.cause.rank);
  });
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    Wait& wait = waits_[i];
    const bool first = i == 0 || waits_[i - 1].location != wait.location ||
                       waits_[i - 1].own->call != wait.own->call;
    if (!first) {
      wait.time = wait.polled = wait.rest = 0;
      continue;
    }
    const std::uint32_t call = wait.own->call;
    const Ticks here = wait.time - wait.polled;
    wait.time -= waited(receivers.late_senders(wait.location), call) +
                 waited(senders.late_receivers(wait.location), call);
    wait.time = std::max<Ticks>(0, wait.time);
    // Messages were waited for first, so their time is subtracted from the polled part first.
    wait.polled = wait.time - std::min(wait.time, here);
    wait.rest = std::min(wait.rest, wait.time);
  }
}

void NonblockingWaits::move_times() {
  std::span<const Wait> left = waits_;
  for (std::size_t l = 0; l < booking_.mine.size(); ++l) {
    std::size_t count = 0;
    while (count < left.size() && left[count].location == l) ++count;
    move_times(l, left.first(count));
    left = left.subspan(count);
  }
}

void NonblockingWaits::move_times(std::size_t location, std::span<const Wait> waits) {
  const auto& events = booking_.mine[location];
  // All operations that were completed, including those whose partners are missing.
  struct Completed {
    std::uint32_t call = 0;
    const trace::CollectiveKind* kind = nullptr;
  };
  std::vector<Completed> completed;
  for (const auto& own : events.collectives) {
    if (own.kind == trace::Collective::kOpen || !events.kinds[own.kind].nonblocking) continue;
    completed.push_back({own.call, &events.kinds[own.kind]});
  }
  if (completed.empty()) return;
  std::ranges::stable_sort(completed, {}, &Completed::call);
  const auto completes_messages = completing(events);
  std::uint32_t last = trace::kNone;
  for (const auto& [index, kind] : completed) {
    if (index == last) continue;
    last = index;
    while (!waits.empty() && waits.front().own->call < index) waits = waits.subspan(1);
    const Wait* wait = waits.empty() || waits.front().own->call != index ? nullptr : &waits.front();
    const auto& call = events.calls[index];
    Ticks time = call.leave - call.enter + polls_.whole(location, index);
    if (completes_messages[index]) time = wait == nullptr ? 0 : wait->time;
    const auto& decides = wait == nullptr ? *kind : events.kinds[wait->own->kind];
    booking_.move_time(location, call, time, booking_.map.time_of_operation(decides.operation));
  }
}

}  // namespace latecomer::replay
