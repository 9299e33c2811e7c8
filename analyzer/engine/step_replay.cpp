// SPDX-License-Identifier: BSD-3-Clause
// Lets locations go through their steps until each has to stand still, and wakes those whose needs
// are satisfied.
#include "analyzer/engine/step_replay.hpp"

#include <algorithm>
#include <utility>

namespace latecomer::engine {

using Kind = Step::Kind;
using trace::kNone;

template <class Moment>
BasicStepReplay<Moment>::BasicStepReplay(const trace::Definitions& definitions,
                                         std::uint32_t everybody)
    : definitions_(definitions),
      locations_(definitions.locations.size()),
      operations_(definitions.comms.size() + 1) {
  for (const auto& comm : definitions.comms) {
    sizes_.push_back(static_cast<std::uint32_t>(comm.size()));
  }
  sizes_.push_back(everybody);
}

template <class Moment>
BasicStepReplay<Moment>::BasicStepReplay(const trace::Definitions& definitions,
                                         std::uint32_t everybody, Mode mode, Steps steps,
                                         Durations durations)
    : mode_(mode),
      durations_(std::move(durations)),
      elapsed_(durations_.of_rate.size()),
      definitions_(definitions),
      locations_(definitions.locations.size()),
      operations_(definitions.comms.size() + 1) {
  for (const auto& comm : definitions.comms) {
    sizes_.push_back(static_cast<std::uint32_t>(comm.size()));
  }
  sizes_.push_back(everybody);
  for (std::uint32_t l = 0; l < locations_.size(); ++l) {
    locations_[l].steps = std::move(steps[l]);
    if (!locations_[l].steps.empty()) wake(l);
  }
}

template <class Moment>
StepReplayBase::Steps BasicStepReplay<Moment>::take_steps() {
  Steps steps;
  for (auto& location : locations_) steps.push_back(std::move(location.steps));
  return steps;
}

template <class Moment>
void BasicStepReplay<Moment>::add(std::uint32_t location, parallel::Unpacker& from) {
  Location& to = locations_[location];
  to.steps.erase(to.steps.begin(), to.steps.begin() + static_cast<std::ptrdiff_t>(to.next));
  to.next = 0;
  const bool stands_still = !to.steps.empty();
  from.append_all(to.steps);
  if (!stands_still) wake(location);
}

// Woken locations run in the next round. By then more of what they need is there.
template <class Moment>
void BasicStepReplay<Moment>::run() {
  while (!queue_.empty()) {
    running_.swap(queue_);
    for (const auto location : running_) {
      locations_[location].queued = false;
      switch (mode_) {
        case Mode::kIdeal:
          go_on<Mode::kIdeal>(location);
          break;
        case Mode::kFit:
          go_on<Mode::kFit>(location);
          break;
        case Mode::kChanged:
          go_on<Mode::kChanged>(location);
          break;
      }
    }
    running_.clear();
  }
}

// Gives up one need after the other until all steps are taken.
template <class Moment>
void BasicStepReplay<Moment>::finish() {
  run();
  for (bool stuck = true; stuck;) {
    stuck = false;
    for (std::uint32_t l = 0; l < locations_.size(); ++l) {
      if (locations_[l].next == locations_[l].steps.size()) continue;
      give_up(l);
      run();
      stuck = true;
    }
  }
}

// Lets a location go on without what it stands still for.
template <class Moment>
void BasicStepReplay<Moment>::give_up(std::uint32_t location) {
  Location& here = locations_[location];
  const Step step = here.steps[here.next];
  if (step.kind() == Kind::kNeedPost) {
    here.awaited_post = kNone;
  } else {
    Waiters* at = &waiters_for(location, step);
    while (*at != kNone && *at != location) at = &locations_[*at].next_waiter;
    if (*at == location) *at = here.next_waiter;
  }
  // The changed run then has no such need either.
  if (mode_ == Mode::kFit) here.steps[here.next] = Step::work(0);
  ++here.next;
  ++dropped_;
  wake(location);
}

template <class Moment>
trace::Ticks BasicStepReplay<Moment>::changed(std::uint32_t location, const Step& step,
                                              Ticks ticks) {
  const std::uint32_t rate = locations_[location].rate;
  if (step.phase() == Step::kShared) {
    const Ticks latency = Pace{rate, Step::kWholeShare}.of(ticks);
    return durations_.latency.of(latency) + durations_.bandwidth.of(ticks - latency);
  }
  if (step.phase() != Step::kRated || durations_.of_rate.empty()) return ticks;
  const std::size_t at = std::size_t{location} * durations_.rates + rate;
  const Pace& pace = durations_.of_rate[at];
  if (!pace.changes()) return ticks;
  Elapsed& elapsed = elapsed_[at];
  elapsed.recorded = trace::advanced(elapsed.recorded, ticks);
  const Ticks all = pace.of(elapsed.recorded);
  return trace::difference(all, std::exchange(elapsed.changed, all));
}

// Takes steps until one needs something that has not happened. The wait ends at the later of the
// own time and the time of what is needed.
template <class Moment>
template <StepReplayBase::Mode kMode>
void BasicStepReplay<Moment>::go_on(std::uint32_t location) {
  constexpr bool kWhole = kMode != Mode::kIdeal;
  Location& here = locations_[location];
  Step* const end = here.steps.data() + here.steps.size();
  Step* at = here.steps.data() + here.next;
  Moment now = here.now;
  const auto take = [&](const Step& step, Ticks ticks) {
    if (kMode != Mode::kChanged || step.phase() == Step::kAsRecorded) return ticks;
    return changed(location, step, ticks);
  };
  const auto pass = [&](const Step& step) {
    if (kMode == Mode::kChanged && step.phase() == Step::kRated) {
      count(now, here.rate, step.ticks());
    }
    now = later(now, take(step, step.ticks()));
  };
  for (; at != end; ++at) {
    const Step step = *at;
    Moment need = kNotYet;
    switch (step.kind()) {
      case Kind::kWork:
        pass(step);
        continue;
      case Kind::kSend:
        now = later(now, step.ticks());
        here.sends.add(now);
        continue;
      case Kind::kPost:
        post(step, now);
        continue;
      case Kind::kArrive:
        arrive(location, step, now);
        continue;
      case Kind::kMark:
        marks_[(std::uint64_t{location} << 32) | step.b()] = now;
        continue;
      case Kind::kCall:
        here.call_end = trace::advanced(time_of(now), step.ticks());
        if (kMode == Mode::kChanged && keeps_calls_) {
          here.calls.push_back({time_of(now), time_of(now)});
        }
        continue;
      case Kind::kLag:
        here.lag = step.signed_ticks();
        if (kMode == Mode::kChanged && here.moved != 0) {
          here.lag = std::max<Ticks>(0, here.lag + std::exchange(here.moved, 0));
        }
        if (here.lag > 0) here.lag = take(step, here.lag);
        continue;
      case Kind::kOwn:
        if (kMode == Mode::kFit) {
          const Ticks own = trace::difference(here.call_end, time_of(now));
          *at = Step::duration(Kind::kOwn, step.phase(), own);
          now = later(now, own);
          here.call_end = INT64_MAX / 2;
        } else {
          pass(step);
          if (kMode == Mode::kChanged && keeps_calls_) here.calls.back().end = time_of(now);
        }
        continue;
      case Kind::kRate:
        if (step.phase() == Step::kMoved) {
          here.moved = step.signed_ticks();
        } else {
          here.rate = step.b();
        }
        continue;
      case Kind::kNeedSend:
        need = locations_[step.a()].sends.take(step.b());
        break;
      case Kind::kNeedPost:
        if (kWhole && durations_.eager && at[-1].phase() == Step::kIfBlocked) continue;
        need = here.posts.take(step.b());
        break;
      case Kind::kNeedAll:
        need = needed_of_all(step);
        break;
      default:
        need = needed(location, step, now);
        break;
    }
    if (is_unknown(need)) {
      stand_still(location, step);
      break;
    }
    const Ticks time = time_of(need);
    if (!kWhole) {
      if (now < need) {
        here.waits[step.phase()] += time - time_of(now);
        now = need;
      }
      continue;
    }
    if (kMode == Mode::kFit) {
      here.lag = std::min(here.lag, trace::difference(here.call_end, time));
      at[-1] = Step::duration(Kind::kLag, at[-1].phase(), here.lag);
    }
    const Moment met = later(need, here.lag);
    here.waits[step.phase()] += std::max<Ticks>(0, std::min(time, time_of(met)) - time_of(now));
    now = std::max(now, met);
  }
  here.now = now;
  here.next = static_cast<std::size_t>(at - here.steps.data());
  if (here.waiters != kNone) wake_ready(here);
}

template <class Moment>
[[gnu::noinline]] auto BasicStepReplay<Moment>::find_operation(const Step& step) -> Last {
  return {key_of(step), &operations_[step.a()][step.b()]};
}

template <class Moment>
void BasicStepReplay<Moment>::post(const Step& step, const Moment& now) {
  Location& sender = locations_[step.a()];
  sender.posts.set(step.b(), now);
  if (sender.awaited_post != step.b()) return;
  sender.awaited_post = kNone;
  wake(step.a());
}

template <class Moment>
Moment BasicStepReplay<Moment>::needed(std::uint32_t location, const Step& step,
                                       const Moment& now) {
  switch (step.kind()) {
    case Kind::kNeedRoot:
      return operation(step).root;
    case Kind::kNeedMark: {
      const auto mark = marks_.find(key_of(step));
      return mark == marks_.end() ? kNotYet : mark->second;
    }
    default:
      return needed_in_order(location, step, now);
  }
}

template <class Moment>
Moment BasicStepReplay<Moment>::needed_in_order(std::uint32_t location, const Step& step,
                                                const Moment& now) {
  const auto member = member_of(step.a(), location);
  if (member == kNone) return now;
  Order& members = order(step);
  Moment latest{};  // the begin of the run
  if (step.kind() == Kind::kNeedLower) {
    if (members.lower <= member) return kNotYet;
    latest = members.latest_lower[member];
  } else {
    if (missing_neighbor(step, member) != kNone) return kNotYet;
    for (const auto m : definitions_.comms[step.a()].sources_of(member)) {
      latest = std::max(latest, members.times[m]);
    }
  }
  served(step);
  return latest;
}

// Counts a member that has what it needs. Once all have it, no process needs the order any more.
template <class Moment>
void BasicStepReplay<Moment>::served(const Step& step) {
  Order& members = order(step);
  if (++members.served == members.times.size()) orders_.erase(key_of(step));
}

// The first member that sends data to this one and has not arrived yet.
template <class Moment>
std::uint32_t BasicStepReplay<Moment>::missing_neighbor(const Step& step, std::uint32_t member) {
  const auto& times = order(step).times;
  for (const auto m : definitions_.comms[step.a()].sources_of(member)) {
    if (m < times.size() && is_unknown(times[m])) return m;
  }
  return kNone;
}

// The root and the last member let others go on.
template <class Moment>
void BasicStepReplay<Moment>::arrive(std::uint32_t location, const Step& step, const Moment& now) {
  Operation& here = operation(step);
  ++here.arrived;
  const bool is_root = (step.phase() & Step::kIsRoot) != 0;
  if ((step.phase() & Step::kSends) != 0) here.all = std::max(here.all, now);
  if (is_root) here.root = now;
  if (is_root || here.arrived == sizes_[step.a()]) wake_all(here.waiters);
  if ((step.phase() & Step::kOrdered) != 0) arrive_in_order(location, step, now);
}

// `lower` advances over all members that have arrived without a gap. Each of them then knows the
// latest arrival up to itself.
template <class Moment>
void BasicStepReplay<Moment>::arrive_in_order(std::uint32_t location, const Step& step,
                                              const Moment& now) {
  const auto member = member_of(step.a(), location);
  if (member == kNone) return;
  Order& members = order(step);
  members.times[member] = now;
  wake_all(members.waiters[member]);
  for (; members.lower < members.times.size() && !is_unknown(members.times[members.lower]);
       ++members.lower) {
    const Moment before = members.lower == 0 ? kNotYet : members.latest_lower.back();
    members.latest_lower.push_back(std::max(before, members.times[members.lower]));
    wake_all(members.waiters[members.lower]);
  }
  if ((step.phase() & Step::kNeedsNothing) != 0) served(step);
}

template <class Moment>
auto BasicStepReplay<Moment>::waiters_for(std::uint32_t location, const Step& step) -> Waiters& {
  switch (step.kind()) {
    case Kind::kNeedSend:
    case Kind::kNeedMark:
      return locations_[step.a()].waiters;
    case Kind::kNeedLower:
    case Kind::kNeedNeighbors: {
      const auto member = member_of(step.a(), location);
      const bool lower = step.kind() == Kind::kNeedLower;
      return order(step).waiters[lower ? member : missing_neighbor(step, member)];
    }
    default:
      return operation(step).waiters;
  }
}

// The location becomes the head of the list of waiters.
template <class Moment>
void BasicStepReplay<Moment>::stand_still(std::uint32_t location, const Step& step) {
  if (step.kind() == Kind::kNeedPost) {
    locations_[location].awaited_post = step.b();
    return;
  }
  locations_[location].next_waiter = std::exchange(waiters_for(location, step), location);
}

template <class Moment>
void BasicStepReplay<Moment>::wake_all(Waiters& waiters) {
  for (; waiters != kNone; waiters = locations_[waiters].next_waiter) wake(waiters);
}

// Wakes the waiters whose need is satisfied. Those that need a later send or mark stay.
template <class Moment>
void BasicStepReplay<Moment>::wake_ready(Location& here) {
  for (Waiters* waiters = &here.waiters; *waiters != kNone;) {
    const std::uint32_t waiter = *waiters;
    Location& there = locations_[waiter];
    if (is_there(there.steps[there.next])) {
      *waiters = there.next_waiter;
      wake(waiter);
    } else {
      waiters = &there.next_waiter;
    }
  }
}

// True if the send or mark that a location stands still for has happened.
template <class Moment>
bool BasicStepReplay<Moment>::is_there(const Step& step) const {
  return step.kind() == Kind::kNeedSend ? locations_[step.a()].sends.has(step.b())
                                        : marks_.contains(key_of(step));
}

template <class Moment>
std::uint32_t BasicStepReplay<Moment>::member_of(std::uint32_t comm, std::uint32_t location) {
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

template <class Moment>
auto BasicStepReplay<Moment>::order(const Step& step) -> Order& {
  return orders_.try_emplace(key_of(step), sizes_[step.a()]).first->second;
}

template class BasicStepReplay<trace::Ticks>;
template class BasicStepReplay<Graded>;

}  // namespace latecomer::engine
