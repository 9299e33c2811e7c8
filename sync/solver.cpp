// SPDX-License-Identifier: BSD-3-Clause
// Sweeps in the order of time. A jump only changes later events, so nearly every constraint is
// checked once, however long the chains are.
#include "sync/solver.hpp"

#include <algorithm>
#include <utility>

namespace latecomer::sync {
namespace {

// Number of constraints of one unit that are skipped together, or checked together.
constexpr std::size_t kRow = 32;
// Rows of a channel per turn; a group has one. The order only affects speed, and the search for the
// next unit costs more than a check.
constexpr std::size_t kTurn = 32;

// After every so many growths of a jump, the solver checks whether it would grow for ever.
constexpr int kPatience = 64;

// Much is moved if it is more than this fraction of the constraints.
constexpr std::size_t kMuch = 4;

// If much is moved, a solver informs the others after this many moves, or one per process. Later
// moves would mostly be repeated after their jumps arrive.
constexpr std::size_t kMoves = 32;

}  // namespace

Solver::Solver(const Topology& topology, std::span<const Channel> channels,
               std::span<const OperationGroup> groups, Decay decay, Ticks limit)
    : topology_(topology),
      channels_(channels),
      groups_(groups),
      farthest_(std::ranges::max(topology.latency)),
      limit_(limit),
      shifts_(topology.node.size(), Shift(decay)),
      units_(channels.size() + groups.size()),
      channels_of_(topology.node.size()),
      groups_of_(topology.node.size()) {
  for (std::size_t c = 0; c < channels.size(); ++c) channels_of_[channels[c].source].push_back(c);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto& members = groups[g].members;
    bounds_.emplace_back(topology, members);
    for (std::size_t m = 0; m < members.size(); ++m) {
      bool ordered = true;
      for (std::size_t i = 1; i < groups[g].size() && ordered; ++i) {
        ordered = groups[g].operation(i - 1)[m].enter <= groups[g].operation(i)[m].enter;
      }
      groups_of_[members[m]].push_back({g, m, ordered});
    }
  }
  find_rooms();
  for (std::size_t u = 0; u < units_.size(); ++u) {
    schedule(u, 0, size_of(u));
    constraints_ += size_of(u);
  }
}

void Solver::find_rooms() {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const auto& [source, target, messages] = channels_[c];
    const Ticks minimum = topology_.minimum(source, target);
    units_[c].rows = rows_.size();
    for (std::size_t i = 0; i < messages.size();) {
      Row row;
      for (const std::size_t end = std::min(i + kRow, messages.size()); i < end; ++i) {
        row.add(messages[i].sent, between(messages[i].sent, messages[i].received) - minimum);
      }
      rows_.push_back(row);
    }
  }
  // Operations count as if the last sender were farthest away from the first receiver.
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    units_[channels_.size() + g].rows = rows_.size();
    for (std::size_t i = 0; i < groups_[g].size();) {
      Row row;
      for (const std::size_t end = std::min(i + kRow, groups_[g].size()); i < end; ++i) {
        Ticks last = INT64_MIN, first = INT64_MAX;
        for (const auto& part : groups_[g].operation(i)) {
          if (part.receives) first = std::min(first, part.exit);
          if (part.sends) last = std::max(last, part.enter);
          row.from = std::min(row.from, part.enter);
        }
        row.to = std::max(row.to, last);
        if (last != INT64_MIN && first != INT64_MAX) {
          row.room = std::min(row.room, between(last, first) - farthest_);
        }
      }
      rows_.push_back(row);
    }
  }
}

Ticks Solver::time_of(std::size_t unit, std::size_t index) const {
  if (unit < channels_.size()) return channels_[unit].messages[index].sent;
  // The last sender determines what moves, so its time counts.
  Ticks last = INT64_MIN;
  for (const auto& part : groups_[unit - channels_.size()].operation(index)) {
    if (part.sends) last = std::max(last, part.enter);
  }
  return last;
}

std::size_t Solver::size_of(std::size_t unit) const {
  return unit < channels_.size() ? channels_[unit].messages.size()
                                 : groups_[unit - channels_.size()].size();
}

void Solver::schedule(std::size_t unit, std::size_t first, std::size_t last) {
  if (first >= last) return;
  Unit& u = units_[unit];
  if (u.next == u.last) {
    u.next = first;
    u.last = last;
  } else {
    u.last = std::max(u.last, last);
    if (u.next <= first && u.queued) return;
    u.next = std::min(u.next, first);
  }
  queue(unit);
}

void Solver::queue(std::size_t unit) {
  Unit& u = units_[unit];
  const Ticks time = time_of(unit, u.next);
  if (u.queued && u.queued_at <= time) return;
  u.queued = true;
  u.queued_at = time;
  queue_.push({time, unit});
}

void Solver::schedule_sends(std::uint32_t process, Ticks from, Ticks to) {
  for (const auto c : channels_of_[process]) {
    const auto& messages = channels_[c].messages;
    const auto first = std::ranges::lower_bound(messages, from, {}, &Channel::Message::sent);
    const auto last =
        std::ranges::upper_bound(first, messages.end(), to, {}, &Channel::Message::sent);
    schedule(c, static_cast<std::size_t>(first - messages.begin()),
             static_cast<std::size_t>(last - messages.begin()));
  }
  for (const auto& [g, member, ordered] : groups_of_[process]) {
    const auto& group = groups_[g];
    std::size_t first = 0, last = group.size();
    if (ordered) {
      const auto before = [&](Ticks t, bool equal) {
        std::size_t low = 0, high = group.size();
        while (low < high) {
          const std::size_t middle = low + (high - low) / 2;
          const Ticks enter = group.operation(middle)[member].enter;
          if (enter < t || (equal && enter == t)) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        return low;
      };
      first = before(from, false);
      last = before(to, true);
    }
    schedule(channels_.size() + g, first, last);
  }
}

// Makes a jump and remembers its reason if it grows. Contradictory constraints appear as a circle
// of jumps, each with the next one as its reason.
bool Solver::raise(Jump& jump) {
  if (jump.size <= 0) return false;
  auto& shift = shifts_[jump.place.process];
  if (jump.size > limit_) {
    gave_up_ = true;
    jump.size = limit_;
  }
  const bool again = shift.jumps_at(jump.place.at);
  if (!shift.raise(jump.place.at, jump.size)) return false;
  ++moves_;
  // Jumps that overtake each other again and again count, too.
  if (again || ++raises_ > constraints_) {
    auto& growth = grown_[jump.place];
    growth.last = jump;
    if (++growth.times % kPatience == 0) suspects_.push_back(jump.place);
  }
  schedule_sends(jump.place.process, jump.place.at, shift.reach(jump.place.at, jump.size));
  return true;
}

// A circle of jumps in which each is the reason for the next, and the last for the first; empty if
// the reasons of `place` lead to none.
std::vector<Jump> Solver::circle_behind(Place place) const {
  auto known = grown_.find(place);
  // After this many steps the walk is in the circle, if there is one.
  for (std::size_t i = 0; i < grown_.size() && known != grown_.end(); ++i) {
    known = grown_.find(known->second.last.reason);
  }
  std::vector<Jump> circle;
  for (; known != grown_.end(); known = grown_.find(known->second.last.reason)) {
    if (!circle.empty() && known->first == circle.front().place) {
      std::ranges::reverse(circle);
      return circle;
    }
    circle.push_back(known->second.last);
  }
  return {};
}

// Ends a circle with a gain, which would continue until the limit cuts one of its jumps. The others
// have their least sizes relative to that jump. Whichever it is, they are at least as large as if
// it were the one that has gained most.
void Solver::end_circle(Place suspect) {
  auto circle = circle_behind(suspect);
  Ticks gained = 0, most = INT64_MIN;
  for (auto& jump : circle) {
    gained += jump.gain;
    jump.size = gained;
    most = std::max(most, gained);
  }
  if (gained <= 0) return;
  for (auto& jump : circle) {
    jump.size += limit_ - most;
    if (raise(jump)) found_.push_back(jump);
  }
}

void Solver::move(Place receive, Ticks earliest, std::uint32_t source, Ticks sent) {
  Jump jump{receive, earliest - receive.at, {}, 0};
  if (jump.size <= 0) return;
  if (const auto moved = shifts_[source].jump_before(sent)) {
    jump.reason = {source, moved->first};
    jump.gain = jump.size - moved->second;
  }
  if (raise(jump)) found_.push_back(jump);
}

Ticks Solver::most_shifted(std::size_t unit, std::size_t number) const {
  const Row& row = rows_[units_[unit].rows + number];
  if (unit < channels_.size()) return shifts_[channels_[unit].source].most(row.from, row.to);
  Ticks most = 0;
  for (const auto member : groups_[unit - channels_.size()].members) {
    most = std::max(most, shifts_[member].most(row.from, row.to));
  }
  return most;
}

void Solver::check_row(std::size_t unit) {
  Unit& u = units_[unit];
  const std::size_t row = u.next / kRow, end = std::min(u.last, (row + 1) * kRow);
  const Ticks most = most_shifted(unit, row);
  if (most <= rows_[u.rows + row].room) {
    u.next = end;
  } else if (unit < channels_.size()) {
    check_messages(channels_[unit], u, end, most);
  } else {
    const std::size_t found = found_.size();
    while (u.next < end && found_.size() == found) {
      check_operation(unit - channels_.size(), u.next++);
    }
  }
}

void Solver::check_messages(const Channel& channel, Unit& unit, std::size_t end, Ticks most) {
  const Ticks minimum = topology_.minimum(channel.source, channel.target);
  const Shift& shift = shifts_[channel.source];
  while (unit.next < end) {
    const auto& m = channel.messages[unit.next++];
    if (m.sent + minimum + most <= m.received) continue;
    const Ticks earliest = m.sent + minimum + shift.at(m.sent);
    if (earliest <= m.received) continue;
    move({channel.target, m.received}, earliest, channel.source, m.sent);
    return;
  }
}

void Solver::check_operation(std::size_t number, std::size_t index) {
  const auto& group = groups_[number];
  const auto parts = group.operation(index);
  enters_.resize(parts.size());
  Ticks last = INT64_MIN, first = INT64_MAX;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    enters_[i] = parts[i].enter + shifts_[group.members[i]].at(parts[i].enter);
    if (parts[i].sends) last = std::max(last, enters_[i]);
    if (parts[i].receives) first = std::min(first, parts[i].exit);
  }
  if (last == INT64_MIN || last + farthest_ <= first) return;
  auto& bounds = bounds_[number];
  const auto earliest = bounds.earliest_exits(parts, group.prefix[index], enters_);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (earliest[i] == GroupBounds::kNone) continue;
    const auto origin = bounds.origin(i);
    move({group.members[i], parts[i].exit}, earliest[i], group.members[origin],
         parts[origin].enter);
  }
}

void Solver::learn(std::span<const Jump> jumps) {
  for (Jump jump : jumps) raise(jump);
}

bool Solver::much_moves() const { return moves_ > constraints_ / kMuch; }

std::vector<Jump> Solver::propagate() {
  const std::size_t enough = std::max(kMoves, shifts_.size());
  while (pending() && (!much_moves() || found_.size() < enough)) {
    for (const auto& suspect : std::exchange(suspects_, {})) end_circle(suspect);
    if (queue_.empty()) continue;
    const auto [time, unit] = queue_.top();
    queue_.pop();
    Unit& u = units_[unit];
    if (!u.queued || u.queued_at != time) continue;  // it was also queued for an earlier time
    u.queued = false;
    const std::size_t found = found_.size();
    const std::size_t rows = unit < channels_.size() ? kTurn : 1;
    for (std::size_t i = 0; i < rows && u.next < u.last; ++i) {
      check_row(unit);  // may schedule this unit again, even from an earlier constraint
      // Other units may come first now, and would move this one's constraints again and again.
      if (found_.size() != found && much_moves()) break;
    }
    if (u.next < u.last) queue(unit);
  }
  std::erase_if(found_, [&](const Jump& jump) {
    return !shifts_[jump.place.process].holds(jump.place.at, jump.size);
  });
  return std::exchange(found_, {});
}

}  // namespace latecomer::sync
