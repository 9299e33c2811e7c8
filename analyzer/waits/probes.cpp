// SPDX-License-Identifier: BSD-3-Clause
// Assigns probes to the messages that they waited for.
#include "analyzer/waits/probes.hpp"

#include <algorithm>
#include <span>

#include "patterns/waits/late_sender.hpp"

namespace latecomer::replay {

using patterns::CallKind;
using trace::kNone;
using trace::Ticks;

Probes::Probes(const Booking& booking, bool scalasca_compatible)
    : PollRows(booking.mine.size()),
      booking_(booking),
      none_(scalasca_compatible || !booking.map.probes) {
  if (none_) return;
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    auto& own = locations_[l];
    std::uint32_t index = 0;
    for (const auto& call : booking.mine[l].calls) {
      if (booking.kind_of(call) == CallKind::kProbeNow) {
        own.polls.push_back({call.enter, call.leave, call.node, index});
      }
      ++index;
    }
    own.sort();
  }
}

// Lists the probes of a location, separately for matched probes (MPI_Mprobe) and others.
void Probes::start_location(std::size_t location) {
  location_ = location;
  receive_ = gap_ = 0;
  for (auto& probes : probes_) probes.clear();
  next_ = {};
  std::uint32_t index = 0;
  for (const auto& call : booking_.mine[location].calls) {
    const auto kind = booking_.kind_of(call);
    if (kind == CallKind::kProbe || kind == CallKind::kProbeNow) {
      const bool matched = booking_.map.is_matched_region[booking_.region_of(call)];
      probes_[matched ? 1 : 0].push_back({index, kind == CallKind::kProbe});
    }
    ++index;
  }
}

// Skips probes before a call; they belong to earlier messages.
void Probes::forget_before(std::uint32_t call, bool matched) {
  const auto& probes = probes_[matched ? 1 : 0];
  auto& next = next_[matched ? 1 : 0];
  while (next < probes.size() && probes[next].call < call) ++next;
}

// A probe may also have been for a message whose partner is not in the trace. These are skipped.
void Probes::skip_to(const trace::Message& receive) {
  const auto& events = booking_.mine[location_];
  // Equal receives were posted in the same call, so it does not matter which one is found.
  for (; receive_ < events.receives.size() && events.receives[receive_] != receive; ++receive_) {
    const auto posting = events.receives[receive_].other;
    if (posting == kNone) continue;
    forget_before(posting,
                  booking_.map.is_matched_region[booking_.region_of(events.calls[posting])]);
  }
  for (; gap_ < events.receive_gaps.size() && events.receive_gaps[gap_].before <= receive_;
       ++gap_) {
    for (int matched = 0; matched < 2; ++matched) {
      auto& next = next_[matched];
      const auto& probes = probes_[matched];
      while (next < probes.size() &&
             events.calls[probes[next].call].enter < events.receive_gaps[gap_].time) {
        ++next;
      }
    }
  }
  ++receive_;
}

// The last blocking probe in which the send began is the one that waited. Otherwise the last
// nonblocking probe saw the message, and its row of unsuccessful probes waited.
Probes::Wait Probes::find(std::span<const Probe> probes, const SentMessage& send) {
  const auto& calls = booking_.mine[location_].calls;
  for (auto probe = probes.rbegin(); probe != probes.rend(); ++probe) {
    const auto& call = calls[probe->call];
    if (call.enter >= send.enter) continue;
    if (!probe->blocking) break;
    if (call.leave < send.enter) break;
    return {probe->call, patterns::late_sender(call.enter, call.leave, send.enter), 0};
  }
  const auto last = std::ranges::find(probes.rbegin(), probes.rend(), false, &Probe::blocking);
  if (last == probes.rend()) return {};
  const auto& call = calls[last->call];
  if (call.leave < send.enter) return {};
  auto& own = locations_[location_];
  const auto of_node = std::ranges::equal_range(own.polls, call.node, {}, &trace::Poll::node);
  const auto place = [&](std::uint32_t index) {
    const auto at = std::ranges::lower_bound(of_node, index, {}, &trace::Poll::call);
    return static_cast<std::uint32_t>(at - own.polls.begin());
  };
  const Row row{last->call, place(probes.front().call), place(last->call)};
  Ticks polled = 0;
  if (row.last > row.first) {
    const auto at =
        own.rows.insert(std::ranges::upper_bound(own.rows, row.call, {}, &Row::call), row);
    polled = time(location_, last->call, INT64_MIN, send.enter);
    if (polled == 0) own.rows.erase(at);
  }
  const Ticks here = patterns::late_sender(call.enter, call.leave, send.enter);
  return {last->call, here + polled, polled};
}

Probes::Wait Probes::take(std::size_t location, const trace::Message& receive,
                          const SentMessage& send) {
  if (none_) return {};
  if (location != location_) start_location(location);
  skip_to(receive);
  const auto& events = booking_.mine[location];
  const auto posting = receive.other == kNone ? receive.call : receive.other;
  const auto& call = events.calls[posting];
  const auto kind = booking_.kind_of(call);
  const bool in_probe = kind == CallKind::kProbe || kind == CallKind::kProbeNow;
  // The message was not there yet, so no probe saw it.
  if (!in_probe && send.enter >= call.enter) return {};
  const bool matched = booking_.map.is_matched_region[booking_.region_of(call)];
  const auto first = next_[matched ? 1 : 0];
  forget_before(in_probe ? posting + 1 : posting, matched);
  const auto last = next_[matched ? 1 : 0];
  const auto& probes = probes_[matched ? 1 : 0];
  const Wait found = find(std::span(probes).subspan(first, last - first), send);
  if (found.wait <= 0) return {};
  const auto rank = booking_.rank_of(location);
  if (booking_.metahost_of(send.source) != booking_.metahost_of(rank)) {
    crossing_.push_back({location, found.call});
  }
  return found;
}

void Probes::book_grid_times(Booking& booking) const {
  for (const auto& [location, index] : crossing_) {
    const auto& call = booking.mine[location].calls[index];
    booking.add_grid_time(location, call.node, call.leave - call.enter + whole(location, index));
  }
}

}  // namespace latecomer::replay
