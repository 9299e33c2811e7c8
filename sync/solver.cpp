// SPDX-License-Identifier: BSD-3-Clause
// A sweep in the order of time: what a jump changes lies behind it, so nearly every constraint is
// looked at once, whatever the length of the chains.
#include "sync/solver.hpp"

#include <algorithm>
#include <utility>

namespace latecomer::sync {
namespace {

// Constraints of one unit that are checked in a row. Order is for speed only, and looking for the
// unit that is next costs more than a check.
constexpr std::size_t kRow = 32;

// So often a jump may grow before it counts as one that grows for ever.
constexpr int kPatience = 10'000;

}  // namespace

Solver::Solver(const Topology& topology, std::span<const Channel> channels,
               std::span<const OperationGroup> groups, Decay decay, Ticks limit)
    : topology_(topology),
      channels_(channels),
      groups_(groups),
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
  for (std::size_t u = 0; u < units_.size(); ++u) schedule(u, 0, size_of(u));
}

Ticks Solver::time_of(std::size_t unit, std::size_t index) const {
  if (unit < channels_.size()) return channels_[unit].messages[index].sent;
  return groups_[unit - channels_.size()].operation(index)[0].enter;
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
    u.next = std::min(u.next, first);
    u.last = std::max(u.last, last);
  }
  if (u.queued) return;
  u.queued = true;
  queue_.push({time_of(unit, u.next), unit});
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

// Constraints that contradict each other raise the same jumps for ever: with the limit as their
// size they are done. That is the least solution still, as they all get there.
bool Solver::raise(std::uint32_t process, Ticks at, Ticks& size) {
  if (size <= 0) return false;
  auto& shift = shifts_[process];
  if (size > limit_) {
    gave_up_ = true;
    size = limit_;
  }
  const bool again = shift.jumps_at(at);
  if (!shift.raise(at, size)) return false;
  if (again && ++raised_[{process, at}] > kPatience) {
    gave_up_ = true;
    size = limit_;
    shift.raise(at, size);
  }
  schedule_sends(process, at, shift.reach(at, size));
  return true;
}

void Solver::check(std::size_t unit, std::size_t index) {
  if (unit < channels_.size()) {
    const Channel& c = channels_[unit];
    const auto& m = c.messages[index];
    Ticks size =
        m.sent + shifts_[c.source].at(m.sent) + topology_.minimum(c.source, c.target) - m.received;
    if (raise(c.target, m.received, size)) found_.push_back({c.target, m.received, size});
    return;
  }
  const auto& group = groups_[unit - channels_.size()];
  const auto parts = group.operation(index);
  enters_.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    enters_[i] = parts[i].enter + shifts_[group.members[i]].at(parts[i].enter);
  }
  const auto earliest =
      bounds_[unit - channels_.size()].earliest_exits(parts, group.prefix[index], enters_);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (earliest[i] == GroupBounds::kNone) continue;
    Ticks size = earliest[i] - parts[i].exit;
    if (raise(group.members[i], parts[i].exit, size)) {
      found_.push_back({group.members[i], parts[i].exit, size});
    }
  }
}

void Solver::learn(std::span<const Jump> jumps) {
  for (const auto& jump : jumps) {
    Ticks size = jump.size;
    raise(jump.process, jump.at, size);
  }
}

std::vector<Jump> Solver::propagate() {
  while (!queue_.empty()) {
    const std::size_t unit = queue_.top().unit;
    queue_.pop();
    Unit& u = units_[unit];
    u.queued = false;
    for (std::size_t i = 0; i < kRow && u.next < u.last; ++i) {
      const std::size_t index = u.next++;
      check(unit, index);  // may schedule this unit again, also from an earlier place
    }
    if (u.next < u.last && !u.queued) {
      u.queued = true;
      queue_.push({time_of(unit, u.next), unit});
    }
  }
  std::erase_if(found_,
                [&](const Jump& jump) { return !shifts_[jump.process].holds(jump.at, jump.size); });
  return std::exchange(found_, {});
}

}  // namespace latecomer::sync
