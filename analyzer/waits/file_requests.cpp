// SPDX-License-Identifier: BSD-3-Clause
// Moves time of completion calls from communication to file I/O.
#include "analyzer/waits/file_requests.hpp"

#include <algorithm>
#include <map>

namespace latecomer::replay {
namespace {

using trace::kNone;

void book(Booking& booking, const Polls& polls, std::size_t l) {
  const auto& events = booking.mine[l];
  std::map<std::uint32_t, bool> calls;  // by call: true if one of its operations is collective
  for (const auto& request : events.file_requests) {
    const auto region = booking.tree.nodes[booking.tree.from_local[request.node]].region;
    calls[request.call] |= booking.map.is_collective_file_region[region];
  }
  for (const auto& send : events.sends) calls.erase(send.other);
  for (const auto& receive : events.receives) {
    if (receive.peer != kNone) calls.erase(receive.call);
  }
  for (const auto& own : events.collectives) {
    if (own.kind != trace::Collective::kOpen) calls.erase(own.call);
  }
  for (const auto& [index, collective] : calls) {
    const auto& call = events.calls[index];
    booking.move_time(l, call, call.leave - call.enter + polls.whole(l, index),
                      booking.map.time_of_file[collective ? 1 : 0]);
  }
}

}  // namespace

void book_file_requests(Booking& booking, const Polls& polls) {
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    if (!booking.mine[l].file_requests.empty()) book(booking, polls, l);
  }
}

}  // namespace latecomer::replay
