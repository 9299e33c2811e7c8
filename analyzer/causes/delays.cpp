// SPDX-License-Identifier: BSD-3-Clause
// The host of a cause sends its call-path times to the host of the waiter, in rounds of bounded
// size; waits of one process that ask the same share the answer.
#include "analyzer/causes/delays.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace latecomer::causes {

using Role = SyncPoint::Role;
using trace::kNone;

namespace {

constexpr std::size_t kRound = 1 << 15;  // waits of a process

}  // namespace

// "What did you do between this point and the call that let us wait?"
struct Delays::Question {
  std::uint32_t location = 0, call = 0;  // the cause
  std::uint32_t partner = 0, key = 0;    // of the point, seen from the cause
  Ticks event = 0;
  Role role = Role::kMeeting;  // of the cause at the point
  WaitKind kind = WaitKind::kLateSender;
  friend bool operator==(const Question&, const Question&) = default;
};

Delays::Delays(const SyncPoints& points, const std::vector<CallPathTimes>& times,
               const trace::GlobalCallTree& tree, parallel::Processes& processes)
    : points_(points),
      times_(times),
      tree_(tree),
      local_(tree.nodes.size(), kNone),
      members_(points.definitions.comms.size()),
      times_of_span_(tree.from_local.size()),
      last_from_(points.mine.size()) {
  for (std::uint32_t n = 0; n < tree.from_local.size(); ++n) local_[tree.from_local[n]] = n;
  const auto& waits = points_.waits();
  steps_.assign(waits.size(), {});
  delays_.assign(waits.size(), {});
  find_steps();
  // In the order of time, so that those who met ask in the same round, and one after the other.
  struct Asking {
    Ticks event;
    std::uint32_t cause, wait;
  };
  memory::Vector<Asking> order;
  order.reserve(waits.size());
  for (std::uint32_t w = 0; w < waits.size(); ++w) {
    if (steps_[w].point != kNone) order.push_back({waits[w].event, waits[w].cause_location, w});
  }
  std::ranges::sort(order, [](const Asking& a, const Asking& b) {
    return std::tie(a.event, a.cause, a.wait) < std::tie(b.event, b.cause, b.wait);
  });
  const std::int64_t rounds =
      processes.max(static_cast<std::int64_t>((order.size() + kRound - 1) / kRound));
  std::vector<Question> questions;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const auto begin = std::min(order.size(), static_cast<std::size_t>(round) * kRound);
    const auto end = std::min(order.size(), begin + kRound);
    std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
    questions.clear();
    for (auto i = begin; i < end; ++i) {
      questions.push_back(question_of(order[i].wait));
      if (i != begin && questions[i - begin - 1] == questions.back()) continue;
      const auto host = points_.host_of(questions.back().location);
      packs[static_cast<std::size_t>(host)].put(questions.back());
    }
    const auto asked = processes.exchange(take_all(packs));
    std::vector<parallel::Bytes> told;
    for (const auto& bytes : asked) told.push_back(answer(bytes));
    const auto answers = processes.exchange(std::move(told));
    std::vector<parallel::Unpacker> in(answers.begin(), answers.end());
    Delay delay;
    std::vector<Excess> cause;
    for (auto i = begin; i < end; ++i) {
      const Question& question = questions[i - begin];
      if (i == begin || !(questions[i - begin - 1] == question)) {
        auto& from = in[static_cast<std::size_t>(points_.host_of(question.location))];
        delay = from.get<Delay>();
        from.get_all(cause);
      }
      if (delay.last == kNone) continue;
      delays_[order[i].wait] = delay;
      compare(order[i].wait, cause);
    }
  }
}

Delays::Question Delays::question_of(std::uint32_t w) const {
  const Wait& wait = points_.waits()[w];
  const auto& point = points_.of(wait.location)[steps_[w].point];
  Question question{wait.cause_location, wait.cause_call, point.partner, point.key,
                    wait.event,          point.role,      point.kind};
  if (point.role != Role::kMeeting) {
    question.role = point.role == Role::kWaiter ? Role::kCauser : Role::kWaiter;
    question.partner = points_.mine[wait.location].location;
  }
  return question;
}

bool Delays::has_member(std::uint32_t comm, std::uint32_t location) {
  if (comm == kEverybody) return true;
  auto& members = members_[comm];
  if (members.empty()) {
    members.resize(points_.definitions.processes.size());
    for (const auto rank : points_.definitions.comms[comm].members) members[rank] = true;
  }
  return members[points_.definitions.locations[location].process];
}

// One walk over the points of each location: what was the last one with this partner?
void Delays::find_steps() {
  const auto& waits = points_.waits();
  struct Last {
    std::uint32_t point = kNone;
    std::uint32_t own = kNone;  // the last one that the base knows on this side
    void take(const Last& other) {
      if (other.point != kNone && (point == kNone || other.point > point)) point = other.point;
      if (other.own != kNone && (own == kNone || other.own > own)) own = other.own;
    }
  };
  std::vector<Last> pairs(points_.definitions.locations.size());  // by partner
  std::vector<std::pair<std::uint32_t, Last>> meetings;           // by communicator
  std::uint32_t location = kNone, next = 0;
  const auto meeting_of = [&](std::uint32_t comm) -> Last& {
    const auto found = std::ranges::find(meetings, comm, [](const auto& m) { return m.first; });
    return (found == meetings.end() ? meetings.emplace_back(comm, Last{}) : *found).second;
  };
  for (std::uint32_t w = 0; w < waits.size(); ++w) {
    const Wait& wait = waits[w];
    if (!wait.costs || wait.cause_location == kNone) continue;
    if (wait.location != location) {
      location = wait.location;
      next = 0;
      std::ranges::fill(pairs, Last{});
      meetings.clear();
    }
    const auto& points = points_.of(location);
    for (; next < points.size() && points[next].call < wait.call; ++next) {
      const auto& point = points[next];
      if (point.partner == kNone) continue;
      Last& last = point.role == Role::kMeeting ? meeting_of(point.partner) : pairs[point.partner];
      last.point = next;
      // The base forgets to tell the last sender of an N-to-1 operation.
      const bool forgotten = points_.compatible() && point.role == Role::kCauser &&
                             point.kind == WaitKind::kEarlyReduce;
      if (!forgotten) last.own = next;
    }
    Last best = pairs[wait.cause_location];
    for (const auto& [comm, last] : meetings) {
      if (last.point != kNone && has_member(comm, wait.cause_location)) best.take(last);
    }
    steps_[w] = {best.own == kNone ? kNone : best.point, best.own};
  }
}

// Looks back from the point `last`.
std::uint32_t Delays::find_point(std::uint32_t location, std::uint32_t last,
                                 const Question& question) const {
  const auto& points = points_.of(location);
  for (auto i = last; i-- > 0;) {
    const auto& p = points[i];
    if (question.role == Role::kMeeting) {
      if (p.role != Role::kMeeting || p.partner != question.partner) continue;
      if (p.key == question.key) return i;
      if (p.key < question.key) break;
    } else {
      if (p.role == question.role && p.kind == question.kind && p.partner == question.partner &&
          p.call == question.key) {
        return i;
      }
      if (p.call < question.key) break;
    }
  }
  return kNone;
}

// From the end of one point to a moment before the call of the point `last`.
Span Delays::span_of(std::uint32_t location, std::uint32_t from, std::uint32_t last,
                     Ticks to) const {
  const auto& points = points_.of(location);
  const auto& call = points_.mine[location].calls[points[from].call];
  Span span{std::min(points[from].over, call.leave), to, from + 1, last};
  while (span.first < last && points[span.first].call == points[from].call) ++span.first;
  return span;
}

void Delays::collect(std::uint32_t location, std::uint32_t from, const Span& span) {
  times_of_span_.clear();
  const auto& point = points_.of(location)[from];
  const auto& call = points_.mine[location].calls[point.call];
  if (point.over > call.leave) times_of_span_.add(call.node, call.leave - point.over);
  times_[location].add_own(from, span, times_of_span_);
}

// Questions come in the order of time: the place is near that of the one before.
std::uint32_t Delays::first_from(std::uint32_t location, std::uint32_t call) {
  const auto& points = points_.of(location);
  auto& at = last_from_[location];
  constexpr int kNear = 32;
  int steps = 0;
  for (; steps < kNear && at < points.size() && points[at].call < call; ++steps) ++at;
  for (; steps < kNear && at > 0 && points[at - 1].call >= call; ++steps) --at;
  if (steps == kNear) at = points_.first_from(location, call);
  return at;
}

parallel::Bytes Delays::answer(const parallel::Bytes& questions) {
  parallel::Packer out;
  std::vector<Excess> times;
  for (parallel::Unpacker in(questions); !in.done();) {
    const auto question = in.get<Question>();
    const auto location = points_.hosted(question.location);
    const auto last = first_from(location, question.call);
    const auto point = find_point(location, last, question);
    Delay delay;
    delay.last = kNone;
    times.clear();
    if (point != kNone) {
      const Span span = span_of(location, point, last, question.event);
      collect(location, point, span);
      for (const auto node : times_of_span_.nodes()) {
        times.push_back({tree_.from_local[node], times_of_span_[node]});
      }
      delay.first = span.first;
      delay.last = span.last;
      delay.waits = times_[location].waits(span.first, span.last);
    }
    out.put(delay);
    out.put_all(std::span<const Excess>(times));
  }
  return out.take();
}

void Delays::compare(std::uint32_t w, std::span<const Excess> cause) {
  const Wait& wait = points_.waits()[w];
  const auto& points = points_.of(wait.location);
  auto last = wait.point;
  while (last > 0 && points[last - 1].call == wait.call) --last;
  const auto from = steps_[w].own_point;
  collect(wait.location, from, span_of(wait.location, from, last, wait.begin));
  Delay& delay = delays_[w];
  delay.excesses_begin = static_cast<std::uint32_t>(excesses_.size());
  for (const auto& theirs : cause) {
    const auto node = local_[theirs.call_path];
    const Ticks longer = theirs.time - (node == kNone ? 0 : times_of_span_[node]);
    if (longer <= 0) continue;
    excesses_.push_back({theirs.call_path, longer});
    delay.excess += longer;
  }
  delay.excesses_end = static_cast<std::uint32_t>(excesses_.size());
}

}  // namespace latecomer::causes
