// SPDX-License-Identifier: BSD-3-Clause
// The host of a cause sends its call-path times to the host of the waiter, in rounds of bounded
// size; waits of one process that ask the same share the answer.
#include "analyzer/causes/delays.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace latecomer::causes {

using Role = SyncPoint::Role;
using trace::kNone;

namespace {

constexpr std::size_t kRound = 1 << 13;  // waits of a process: they fit into its cache

}  // namespace

// "What did you do between this point and the call that let us wait?" A key of kBeginning instead
// of a point: since both were there; then the partner is the one who waits.
struct Delays::Question {
  std::uint32_t location = 0, call = 0;  // the cause
  std::uint32_t partner = 0, key = 0;    // of the point, seen from the cause
  Ticks event = 0;
  Ticks begin = 0;             // of a wait without a point
  Role role = Role::kMeeting;  // of the cause at the point
  WaitKind kind = WaitKind::kLateSender;
  friend bool operator==(const Question&, const Question&) = default;
};

// Followed by the cause's times per call path.
struct Delays::Answer {
  Ticks waits = 0;                               // of the cause
  std::uint32_t point = kNone;                   // of the cause; kNone: not found
  std::uint32_t first = 0, last = 0, times = 0;  // its points in which it waited; number of times
};

struct Delays::Told {
  const Answer* answer = nullptr;
  std::span<const Excess> times;
};

Delays::Delays(const SyncPoints& points, const std::vector<CallPathTimes>& times,
               const trace::GlobalCallTree& tree)
    : points_(points),
      times_(times),
      tree_(tree),
      local_(tree.nodes.size(), kNone),
      times_of_span_(tree.from_local.size()),
      last_from_(points.mine.size()) {
  for (std::uint32_t n = 0; n < tree.from_local.size(); ++n) local_[tree.from_local[n]] = n;
}

void Delays::find_next(parallel::Processes& processes) {
  const std::size_t all = points_.waits().size();
  const std::size_t last = std::min(all, found_ + kBatch);
  batches_.emplace_back().delays.assign(last - found_, {});
  const std::int64_t rounds =
      processes.max(static_cast<std::int64_t>((last - found_ + kRound - 1) / kRound));
  for (std::int64_t round = 0; round < rounds; ++round) {
    // In the order of time, so that those who met ask in the same round.
    const auto end = std::min(last, found_ + kRound);
    find_round(all - end, all - found_, processes);
    found_ = end;
  }
}

// The waits [begin, end).
void Delays::find_round(std::size_t begin, std::size_t end, parallel::Processes& processes) {
  // Each side goes from location to location: what it needs of one is near in memory.
  const auto by_cause = in_order_of(begin, end, points_.definitions.locations.size(),
                                    [&](const Wait& wait) { return wait.cause_location; });
  const auto asked = processes.exchange(ask(by_cause, processes.size()));
  std::vector<parallel::Bytes> answers;
  for (const auto& bytes : asked) answers.push_back(answer(bytes));
  answers = processes.exchange(std::move(answers));
  std::vector<Told> told(end - begin);
  take_answers(by_cause, answers, begin, told);
  for (const auto w : in_order_of(begin, end, points_.mine.size(),
                                  [](const Wait& wait) { return wait.location; })) {
    if (told[w - begin].answer != nullptr) compare(w, told[w - begin]);
  }
}

// Waits that have a step, by a location; those of one location in the order of time.
template <typename Location>
std::vector<std::uint32_t> Delays::in_order_of(std::size_t begin, std::size_t end,
                                               std::size_t locations, Location&& location) const {
  const Waits& waits = points_.waits();
  std::vector<std::uint32_t> next(locations + 1);
  for (std::size_t w = begin; w < end; ++w) {
    if (waits[w].step != kNone) ++next[location(waits[w]) + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> order(next.back());
  for (std::size_t w = begin; w < end; ++w) {
    if (waits[w].step != kNone) order[next[location(waits[w])]++] = static_cast<std::uint32_t>(w);
  }
  return order;
}

// One question for all waits in a row that have the same.
std::vector<parallel::Bytes> Delays::ask(const std::vector<std::uint32_t>& order, int processes) {
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes));
  repeated_.clear();
  Question last;
  for (const auto w : order) {
    const Question question = question_of(w);
    repeated_.push_back(!repeated_.empty() && question == last);
    if (repeated_.back()) continue;
    packs[static_cast<std::size_t>(points_.host_of(question.location))].put(question);
    last = question;
  }
  return take_all(packs);
}

void Delays::take_answers(const std::vector<std::uint32_t>& order,
                          const std::vector<parallel::Bytes>& answers, std::size_t begin,
                          std::vector<Told>& told) const {
  std::vector<const std::byte*> next;
  for (const auto& bytes : answers) next.push_back(bytes.data());
  Told last;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!repeated_[i]) {
      const auto wait = points_.waits()[order[i]];
      auto& from = next[static_cast<std::size_t>(points_.host_of(wait.cause_location))];
      const auto* const answer = reinterpret_cast<const Answer*>(from);
      const auto* const times = reinterpret_cast<const Excess*>(from + sizeof(Answer));
      last = {answer->point == kNone ? nullptr : answer, {times, answer->times}};
      from += sizeof(Answer) + answer->times * sizeof(Excess);
    }
    told[order[i] - begin] = last;
  }
}

Delays::Question Delays::question_of(std::uint32_t w) const {
  const Wait wait = points_.waits()[w];
  if (wait.step == kBeginning) {
    return {wait.cause_location, wait.cause_call, points_.mine[wait.location].location,
            kBeginning,          wait.event,      wait.begin,
            Role::kCauser,       wait.kind};
  }
  const auto& point = points_.of(wait.location)[wait.step];
  Question question{wait.cause_location, wait.cause_call, point.partner, point.key, wait.event, 0,
                    point.role,          point.kind};
  if (point.role != Role::kMeeting) {
    question.role = point.role == Role::kWaiter ? Role::kCauser : Role::kWaiter;
    question.partner = points_.mine[wait.location].location;
  }
  return question;
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
  if (points[from].kind == WaitKind::kIdleThread) span.from = std::max(span.from, call.enter);
  while (span.first < last && points[span.first].call == points[from].call) ++span.first;
  return span;
}

// The same from a moment on.
Span Delays::span_since(std::uint32_t location, Ticks from, std::uint32_t last, Ticks to) const {
  const auto& calls = points_.mine[location].calls;
  const auto& points = points_.of(location);
  const auto first = std::ranges::lower_bound(
      points, from, {}, [&](const SyncPoint& p) { return calls[p.call].enter; });
  return {from, to, std::min(last, static_cast<std::uint32_t>(first - points.begin())), last};
}

// When two threads of a process were both there; one that idles does nothing from `idle` on.
Ticks Delays::beginning_of(WaitKind kind, std::uint32_t location, std::uint32_t partner,
                           Ticks idle) const {
  const Ticks own = points_.mine[location].first;
  if (kind == WaitKind::kIdleThread) return std::max(own, idle);
  return std::max(own, points_.mine[points_.hosted(partner)].first);
}

void Delays::collect(std::uint32_t location, std::uint32_t from, const Span& span) {
  times_of_span_.clear();
  if (from == kBeginning) return times_[location].add_own(span, times_of_span_);
  const auto& point = points_.of(location)[from];
  const auto& call = points_.mine[location].calls[point.call];
  if (point.over > call.leave) times_of_span_.add(call.node, call.leave - point.over);
  // A thread that was called to a team is on its way into the parallel region.
  if (point.kind == WaitKind::kIdleThread && point.over < call.enter) {
    times_of_span_.add(call.node, call.enter - point.over);
  }
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
    Span span;
    std::uint32_t point = kBeginning;
    if (question.key == kBeginning) {
      const Ticks begin = beginning_of(question.kind, location, question.partner, question.begin);
      span = span_since(location, begin, last, question.event);
    } else {
      point = find_point(location, last, question);
      if (point != kNone) span = span_of(location, point, last, question.event);
    }
    // What was polled for may have come before the last point, and be seen only behind it.
    if (span.from > question.event) point = kNone;
    Answer answer;
    times.clear();
    if (point != kNone) {
      collect(location, point, span);
      for (const auto node : times_of_span_.nodes()) {
        times.push_back({tree_.from_local[node], times_of_span_[node]});
      }
      answer = {times_[location].waits(span.first, span.last), point, span.first, span.last,
                static_cast<std::uint32_t>(times.size())};
    }
    out.put(answer);
    for (const auto& time : times) out.put(time);
  }
  return out.take();
}

void Delays::compare(std::uint32_t w, const Told& told) {
  const Wait wait = points_.waits()[w];
  const auto& points = points_.of(wait.location);
  auto last = wait.point;
  while (last > 0 && points[last - 1].call == wait.call) --last;
  Span own;
  if (wait.own_step != kBeginning) {
    own = span_of(wait.location, wait.own_step, last, wait.begin);
  } else {
    const Ticks begin =
        wait.kind == WaitKind::kIdleThread
            ? wait.begin
            : beginning_of(wait.kind, wait.location, wait.cause_location, wait.begin);
    own = span_since(wait.location, begin, last, wait.begin);
  }
  collect(wait.location, wait.own_step, own);
  if (wait.polled > 0) times_of_span_.add(wait.node, -wait.polled);
  Batch& batch = batches_.back();
  Delay& delay = batch.delays[(points_.waits().size() - 1 - w) % kBatch];
  delay = {.waits = told.answer->waits, .first = told.answer->first, .last = told.answer->last};
  delay.excesses_begin = static_cast<std::uint32_t>(batch.excesses.size());
  for (const auto& theirs : told.times) {
    const auto node = local_[theirs.call_path];
    const Ticks longer = theirs.time - (node == kNone ? 0 : times_of_span_[node]);
    if (longer <= 0) continue;
    batch.excesses.push_back({theirs.call_path, longer});
    delay.excess += longer;
  }
  delay.excesses_end = static_cast<std::uint32_t>(batch.excesses.size());
}

}  // namespace latecomer::causes
