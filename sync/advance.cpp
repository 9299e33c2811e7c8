// SPDX-License-Identifier: BSD-3-Clause
// Computes the pieces. Every value is rounded down, so no send ever gets more than its room.
#include "sync/advance.hpp"

#include <algorithm>
#include <queue>

namespace latecomer::sync {
Advance::Advance(const Shift& shift, Ticks first, std::span<const Slack> slacks) {
  std::vector<std::pair<Ticks, Ticks>> jumps;  // time, height above the shift before it
  shift.for_each([&](Ticks at, Ticks) { jumps.emplace_back(at, shift.at(at) - shift.at(at - 1)); });
  std::vector<Ticks> used(slacks.size(), 0);
  std::priority_queue<Ticks> open;  // beginnings of intervals that extend beyond the current jump
  for (auto jump = jumps.rbegin(); jump != jumps.rend(); ++jump) {
    const auto [at, size] = *jump;
    const Ticks from = std::max(first, at - kStretch * size);
    while (!open.empty() && open.top() >= at) open.pop();
    if (size <= 0 || from >= at || open.size() == kMostAtOnce) continue;
    add(from, at, size, slacks, used);
    open.push(from);
  }
}

void Advance::add(Ticks from, Ticks at, Ticks size, std::span<const Slack> slacks,
                  std::vector<Ticks>& used) {
  const Ticks length = at - from;
  Piece piece{from, at, {{at, size}}};
  const auto by_time = [](const Slack& s, Ticks t) { return s.at < t; };
  const auto first = std::lower_bound(slacks.begin(), slacks.end(), piece.from, by_time);
  const auto last = std::lower_bound(first, slacks.end(), at, by_time);
  // Sets knots from the jump backwards, at every send with less room than all sends after it.
  Ticks smallest = size;
  for (auto s = last; s != first;) {
    --s;
    const auto index = static_cast<std::size_t>(s - slacks.begin());
    const Ticks room = std::max<Ticks>(0, s->room - used[index]);
    const Ticks line = scaled(s->at - piece.from, length, size);
    if (room < std::min(line, smallest)) {
      smallest = room;
      if (piece.knots.back().at == s->at) piece.knots.pop_back();
      piece.knots.push_back({s->at, room});
    }
  }
  if (piece.knots.back().at != from) piece.knots.push_back({from, 0});
  std::ranges::reverse(piece.knots);
  longest_ = std::max(longest_, length);
  pieces_.push_back(std::move(piece));
  // Earlier jumps no longer have the room that the sends get here.
  const Piece& mine = pieces_.back();
  for (auto s = first; s != last; ++s) {
    const auto index = static_cast<std::size_t>(s - slacks.begin());
    const auto next = std::ranges::upper_bound(mine.knots, s->at, {}, &Knot::at);
    const Knot& a = *std::prev(next);
    used[index] += a.advance + scaled(s->at - a.at, next->at - a.at, next->advance - a.advance);
  }
}

std::vector<Advance::Line> Advance::lines() const {
  std::vector<Line> out;
  for (const auto& piece : pieces_) {
    for (std::size_t i = 1; i < piece.knots.size(); ++i) {
      const Knot &a = piece.knots[i - 1], &b = piece.knots[i];
      out.push_back({a.at, b.at, a.advance, b.advance});
    }
  }
  return out;
}

Ticks Advance::at(Ticks c) const {
  Ticks sum = 0;
  // Pieces that end after c, the nearest last; no piece is longer than the longest.
  auto piece = std::partition_point(pieces_.begin(), pieces_.end(),
                                    [&](const Piece& p) { return p.to > c + longest_; });
  for (; piece != pieces_.end() && piece->to > c; ++piece) {
    if (c < piece->from) continue;
    const auto next = std::ranges::upper_bound(piece->knots, c, {}, &Knot::at);
    const Knot& a = *std::prev(next);
    sum += a.advance + scaled(c - a.at, next->at - a.at, next->advance - a.advance);
  }
  return sum;
}

}  // namespace latecomer::sync
