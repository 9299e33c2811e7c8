// SPDX-License-Identifier: BSD-3-Clause
// Only increases travel: a trace without violations costs one look at each constraint.
#include "sync/solver.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace latecomer::sync {

Solver::Solver(const Topology& topology, Decay decay, Ticks limit)
    : topology_(topology), limit_(limit), shifts_(topology.node.size(), Shift(decay)) {}

// Sends by process and time, so that those behind a jump are found.
void Solver::index() {
  std::ranges::sort(messages_, {}, [](const Message& m) {
    return std::tuple(m.source, m.sent, m.target, m.received);
  });
  first_message_.assign(shifts_.size() + 1, messages_.size());
  for (std::size_t i = messages_.size(); i-- > 0;) first_message_[messages_[i].source] = i;
  for (std::size_t p = shifts_.size(); p-- > 0;) {
    first_message_[p] = std::min(first_message_[p], first_message_[p + 1]);
  }
  for (std::uint32_t o = 0; o < operations_.size(); ++o) {
    for (const auto& p : operations_[o].participants) {
      if (p.sends) entries_.push_back({p.process, p.enter, o});
    }
  }
  std::ranges::sort(entries_, {},
                    [](const Entry& e) { return std::tuple(e.process, e.enter, e.operation); });
  indexed_ = true;
}

std::vector<Ticks> Solver::bounds(const Operation& operation) const {
  std::vector<Ticks> enters;
  enters.reserve(operation.participants.size());
  for (const auto& p : operation.participants) {
    enters.push_back(p.enter + shifts_[p.process].at(p.enter));
  }
  return earliest_exits(operation, enters, topology_);
}

std::int64_t Solver::violations() const {
  std::int64_t count = 0;
  for (const auto& m : messages_) {
    const Ticks bound =
        m.sent + shifts_[m.source].at(m.sent) + topology_.minimum(m.source, m.target);
    if (m.received + shifts_[m.target].at(m.received) < bound) ++count;
  }
  for (const auto& operation : operations_) {
    const auto earliest = bounds(operation);
    for (std::size_t i = 0; i < earliest.size(); ++i) {
      const auto& p = operation.participants[i];
      if (earliest[i] != kNoBound && p.exit + shifts_[p.process].at(p.exit) < earliest[i]) ++count;
    }
  }
  return count;
}

bool Solver::raise(std::uint32_t process, Ticks at, Ticks size) {
  if (size <= 0) return false;
  if (size > limit_) {
    gave_up_ = true;
    return false;
  }
  if (!shifts_[process].raise(at, size)) return false;
  raised_.push_back({process, at, shifts_[process].reach(at, size)});
  return true;
}

void Solver::check(const Message& m) {
  const Ticks bound = m.sent + shifts_[m.source].at(m.sent) + topology_.minimum(m.source, m.target);
  if (raise(m.target, m.received, bound - m.received)) {
    found_.push_back({m.target, m.received, bound - m.received});
  }
}

void Solver::check(const Operation& operation) {
  const auto earliest = bounds(operation);
  for (std::size_t i = 0; i < earliest.size(); ++i) {
    if (earliest[i] == kNoBound) continue;
    const auto& p = operation.participants[i];
    if (raise(p.process, p.exit, earliest[i] - p.exit)) {
      found_.push_back({p.process, p.exit, earliest[i] - p.exit});
    }
  }
}

void Solver::learn(std::span<const Jump> jumps) {
  for (const auto& jump : jumps) raise(jump.process, jump.at, jump.size);
}

std::vector<Jump> Solver::propagate() {
  if (!indexed_) {
    index();
    for (const auto& m : messages_) check(m);
    for (const auto& operation : operations_) check(operation);
  }
  while (!raised_.empty()) {
    const Raised r = raised_.front();
    raised_.pop_front();
    const auto first = messages_.begin() + static_cast<std::ptrdiff_t>(first_message_[r.process]);
    const auto last =
        messages_.begin() + static_cast<std::ptrdiff_t>(first_message_[r.process + 1]);
    for (auto m = std::lower_bound(first, last, r.from,
                                   [](const Message&a, Ticks t) { return a.sent < t; });
         m != last && m->sent <= r.to; ++m) {
      check(*m);
    }
    for (auto e = std::lower_bound(
             entries_.begin(), entries_.end(), std::pair(r.process, r.from),
             [](const Entry&a, const auto&b) { return std::pair(a.process, a.enter) < b; });
         e != entries_.end() && e->process == r.process && e->enter <= r.to; ++e) {
      check(operations_[e->operation]);
    }
  }
  return std::exchange(found_, {});
}

}  // namespace latecomer::sync
