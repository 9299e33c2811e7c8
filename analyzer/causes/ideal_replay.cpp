// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/causes/ideal_replay.hpp"

#include <algorithm>

namespace latecomer::causes {

using Kind = Step::Kind;
using trace::kNone;

IdealReplay::IdealReplay(const trace::Definitions& definitions, std::uint32_t everybody)
    : definitions_(definitions),
      everybody_(everybody),
      locations_(definitions.locations.size()),
      operations_(definitions.comms.size() + 1) {}

void IdealReplay::add(std::uint32_t location, parallel::Unpacker& from) {
  Location& to = locations_[location];
  to.steps.erase(to.steps.begin(), to.steps.begin() + static_cast<std::ptrdiff_t>(to.next));
  to.next = 0;
  const bool stands_still = !to.steps.empty();
  from.append_all(to.steps);
  if (!stands_still) wake(location);
}

void IdealReplay::run() {
  while (!queue_.empty()) {
    const auto location = queue_.back();
    queue_.pop_back();
    locations_[location].queued = false;
    go_on(location);
  }
}

void IdealReplay::finish() {
  run();
  for (bool stuck = true; stuck;) {
    stuck = false;
    for (std::uint32_t l = 0; l < locations_.size(); ++l) {
      if (locations_[l].next == locations_[l].steps.size()) continue;
      ++locations_[l].next;
      ++dropped_;
      wake(l);
      run();
      stuck = true;
    }
  }
}

void IdealReplay::go_on(std::uint32_t location) {
  Location& here = locations_[location];
  for (; here.next < here.steps.size(); ++here.next) {
    const Step step = here.steps[here.next];
    if (take(location, step)) continue;
    stand_still(location, step);
    break;
  }
  // Those that need more of this location stay.
  std::erase_if(here.waiters, [&](std::uint32_t waiter) {
    const Location& there = locations_[waiter];
    if (there.next == there.steps.size()) return true;
    const Step stopped = there.steps[there.next];
    if (stopped.kind() != Kind::kNeedSend && stopped.kind() != Kind::kNeedMark) return true;
    if (needed(waiter, stopped) == kUnknown) return false;
    wake(waiter);
    return true;
  });
}

// False: what it needs is not there yet.
bool IdealReplay::take(std::uint32_t location, const Step& step) {
  Location& here = locations_[location];
  switch (step.kind()) {
    case Kind::kWork:
      here.now += step.ticks();
      return true;
    case Kind::kSend:
      here.now += step.ticks();
      here.sends.add(here.now);
      return true;
    case Kind::kPost: {
      Location& sender = locations_[step.a()];
      sender.posts.set(step.b(), here.now);
      if (sender.next < sender.steps.size()) {
        const Step stopped = sender.steps[sender.next];
        if (stopped.kind() == Kind::kNeedPost && stopped.b() == step.b()) wake(step.a());
      }
      return true;
    }
    case Kind::kArrive:
      arrive(location, step);
      return true;
    case Kind::kMark:
      marks_[(std::uint64_t{location} << 32) | step.b()] = here.now;
      return true;
    default: {
      const Ticks time = needed(location, step);
      if (time == kUnknown) return false;
      forget(location, step);
      if (time > here.now) {
        here.waits[step.phase()] += time - here.now;
        here.now = time;
      }
      return true;
    }
  }
}

// When what a step needs happens; kUnknown: not yet.
IdealReplay::Ticks IdealReplay::needed(std::uint32_t location, const Step& step) {
  switch (step.kind()) {
    case Kind::kNeedSend:
      return locations_[step.a()].sends[step.b()];
    case Kind::kNeedPost:
      return locations_[location].posts[step.b()];
    case Kind::kNeedAll: {
      const Operation& all = operation(step);
      // Nobody contributed: there is nothing to wait for.
      return all.arrived < size_of(step.a()) ? kUnknown : std::max<Ticks>(all.all, 0);
    }
    case Kind::kNeedRoot:
      return operation(step).root;
    case Kind::kNeedMark: {
      const auto mark = marks_.find(key_of(step));
      return mark == marks_.end() ? kUnknown : mark->second;
    }
    default:
      return needed_in_order(location, step);
  }
}

// Nobody asks a second time for a message.
void IdealReplay::forget(std::uint32_t location, const Step& step) {
  if (step.kind() == Kind::kNeedSend) locations_[step.a()].sends.forget(step.b());
  if (step.kind() == Kind::kNeedPost) locations_[location].posts.forget(step.b());
}

IdealReplay::Ticks IdealReplay::needed_in_order(std::uint32_t location, const Step& step) {
  const auto member = member_of(step.a(), location);
  const Ticks now = locations_[location].now;
  if (member == kNone) return now;
  Order& members = order(step);
  Ticks latest = now;
  if (step.kind() == Kind::kNeedLower) {
    if (members.lower <= member) return kUnknown;
    latest = members.latest_lower[member];
  } else {
    if (missing_neighbor(step, member) != kNone) return kUnknown;
    for (const auto m : definitions_.comms[step.a()].sources_of(member)) {
      latest = std::max(latest, members.times[m]);
    }
  }
  served(step);
  return latest;
}

// Nobody asks for the order of an operation once each member has had what it needs.
void IdealReplay::served(const Step& step) {
  Order& members = order(step);
  if (++members.served == members.times.size()) orders_.erase(key_of(step));
}

// The first member that data come from and that has not come yet.
std::uint32_t IdealReplay::missing_neighbor(const Step& step, std::uint32_t member) {
  const auto& times = order(step).times;
  for (const auto m : definitions_.comms[step.a()].sources_of(member)) {
    if (m < times.size() && times[m] == kUnknown) return m;
  }
  return kNone;
}

void IdealReplay::arrive(std::uint32_t location, const Step& step) {
  const Ticks now = locations_[location].now;
  Operation& here = operation(step);
  ++here.arrived;
  const bool is_root = (step.phase() & Step::kIsRoot) != 0;
  if ((step.phase() & Step::kSends) != 0) here.all = std::max(here.all, now);
  if (is_root) here.root = now;
  if (here.awaited && (is_root || here.arrived == size_of(step.a()))) {
    here.awaited = false;
    auto waiters = waiters_.extract(key_of(step));
    wake_all(waiters.mapped());
  }
  if ((step.phase() & Step::kOrdered) != 0) arrive_in_order(location, step);
}

void IdealReplay::arrive_in_order(std::uint32_t location, const Step& step) {
  const auto member = member_of(step.a(), location);
  if (member == kNone) return;
  Order& members = order(step);
  members.times[member] = locations_[location].now;
  wake_all(members.waiters[member]);
  for (; members.lower < members.times.size() && members.times[members.lower] != kUnknown;
       ++members.lower) {
    const Ticks before = members.lower == 0 ? kUnknown : members.latest_lower.back();
    members.latest_lower.push_back(std::max(before, members.times[members.lower]));
    wake_all(members.waiters[members.lower]);
  }
  if ((step.phase() & Step::kNeedsNothing) != 0) served(step);
}

void IdealReplay::stand_still(std::uint32_t location, const Step& step) {
  switch (step.kind()) {
    case Kind::kNeedSend:
    case Kind::kNeedMark:
      locations_[step.a()].waiters.push_back(location);
      break;
    case Kind::kNeedPost:
      break;  // who posts it looks
    case Kind::kNeedLower:
    case Kind::kNeedNeighbors: {
      const auto member = member_of(step.a(), location);
      const auto missing =
          step.kind() == Kind::kNeedLower ? member : missing_neighbor(step, member);
      order(step).waiters[missing].push_back(location);
      break;
    }
    default:
      operation(step).awaited = true;
      waiters_[key_of(step)].push_back(location);
      break;
  }
}

void IdealReplay::wake(std::uint32_t location) {
  if (locations_[location].queued) return;
  locations_[location].queued = true;
  queue_.push_back(location);
}

void IdealReplay::wake_all(std::vector<std::uint32_t>& waiters) {
  for (const auto location : waiters) wake(location);
  waiters.clear();
}

std::uint32_t IdealReplay::size_of(std::uint32_t comm) const {
  return comm < definitions_.comms.size()
             ? static_cast<std::uint32_t>(definitions_.comms[comm].size())
             : everybody_;
}

std::uint32_t IdealReplay::member_of(std::uint32_t comm, std::uint32_t location) {
  auto& members = members_[comm];
  if (members.empty()) {
    members.assign(definitions_.processes.size(), kNone);
    const auto& of = definitions_.comms[comm].members;
    for (std::uint32_t m = 0; m < of.size(); ++m) {
      if (of[m] < members.size()) members[of[m]] = m;
    }
  }
  return members[definitions_.locations[location].process];
}

IdealReplay::Order& IdealReplay::order(const Step& step) {
  return orders_.try_emplace(key_of(step), size_of(step.a())).first->second;
}

}  // namespace latecomer::causes
