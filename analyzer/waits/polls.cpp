// SPDX-License-Identifier: BSD-3-Clause
// Groups unsuccessful polls into rows that end with a successful call.
#include "analyzer/waits/polls.hpp"

#include <tuple>

namespace latecomer::replay {

using trace::Poll;
using trace::Ticks;

void PollRows::OfLocation::sort() {
  std::ranges::stable_sort(polls, {}, &Poll::node);
  before.reserve(polls.size() + 1);
  before.push_back(0);
  for (const auto& poll : polls) before.push_back(before.back() + poll.leave - poll.enter);
}

Polls::Polls(const Booking& booking, bool scalasca_compatible) : PollRows(booking.mine.size()) {
  if (scalasca_compatible) return;
  for (std::size_t l = 0; l < locations_.size(); ++l) {
    const auto& events = booking.mine[l];
    if (events.polls.empty()) continue;
    auto& own = locations_[l];
    own.polls.reserve(events.polls.size());
    for (const auto& poll : events.polls) own.polls.push_back(poll);
    own.sort();
    // Polls after the last row, per call path.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> left(events.time.size());
    for (std::uint32_t i = 0; i < own.polls.size(); ++i) {
      auto& [first, last] = left[own.polls[i].node];
      if (first == last) first = i;
      last = i + 1;
    }
    std::uint32_t index = 0;
    for (const auto& call : events.calls) {
      const std::uint32_t at = index++;
      auto& [first, last] = left[call.node];
      if (first == last) continue;
      auto end = first;
      while (end < last && own.polls[end].enter < call.enter) ++end;
      if (end > first) own.rows.push_back({at, first, end});
      first = end;
    }
  }
}

PollRows::Row PollRows::row_of(std::size_t location, std::uint32_t call) const {
  const auto& rows = locations_[location].rows;
  const auto found = std::ranges::lower_bound(rows, call, {}, &Row::call);
  return found == rows.end() || found->call != call ? Row{} : *found;
}

Ticks PollRows::time(std::size_t location, std::uint32_t call, Ticks from, Ticks until) const {
  const auto& own = locations_[location];
  if (own.rows.empty()) return 0;
  const Row row = row_of(location, call);
  const auto begin = own.polls.begin() + row.first, end = own.polls.begin() + row.last;
  const auto first = std::ranges::lower_bound(begin, end, from, {}, &Poll::enter);
  const auto last = std::ranges::upper_bound(first, end, until, {}, &Poll::leave);
  const auto sum_before = [&](auto poll) {
    return own.before[static_cast<std::size_t>(poll - own.polls.begin())];
  };
  Ticks time = sum_before(last) - sum_before(first);
  if (last != end) time += patterns::polled(last->enter, last->leave, until);
  return time;
}

Ticks PollRows::since(std::size_t location, std::uint32_t call, Ticks from) const {
  const auto& polls = locations_[location].polls;
  const Row row = row_of(location, call);
  const auto end = polls.begin() + row.last;
  const auto first =
      std::ranges::lower_bound(polls.begin() + row.first, end, from, {}, &Poll::enter);
  return first == end ? from : first->enter;
}

void PollRows::book_polled(Booking& booking, const WaitMetrics& metrics, const Booking::Part& part,
                           std::uint32_t call, Ticks polled, Ticks from, Ticks until) const {
  Booking::Part with_polls = part;
  with_polls.polled = polled;
  with_polls.polled_since = since(part.location, call, from);
  for_each_last(part.location, call, until, polled, [&](Ticks begin, Ticks time) {
    booking.polled(metrics, part.location, begin, time);
  });
  booking.part(metrics, with_polls);
}

void Polls::book_grid_times(Booking& booking) const {
  for (std::size_t l = 0; l < locations_.size(); ++l) {
    for (const Row& row : locations_[l].rows) {
      const auto& call = booking.mine[l].calls[row.call];
      if (call.crosses_metahosts) booking.add_grid_time(l, call.node, whole(l, row.call));
    }
  }
}

}  // namespace latecomer::replay
