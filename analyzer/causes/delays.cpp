// SPDX-License-Identifier: BSD-3-Clause
// Compares waiters with causes. The process that holds a cause sends its call-path times to the
// process that holds the waiter. Waits of one process that need the same times share one answer.
#include "analyzer/causes/delays.hpp"

#include <algorithm>
#include <numeric>

namespace latecomer::causes {

using Role = SyncPoint::Role;
using trace::kNone;

Delays::Delays(const SyncPoints& points, const std::vector<CallPathTimes>& times,
               const trace::GlobalCallTree& tree, const std::vector<TimeParts>* told)
    : points_(points),
      times_(times),
      tree_(tree),
      told_(told),
      local_(tree.nodes.size(), kNone),
      told_at_(told == nullptr ? 0 : tree.nodes.size(), kNone),
      cause_(tree.from_local.size()),
      waiter_(tree.from_local.size()),
      last_from_(points.mine.size()) {
  make_point_times();
  for (std::uint32_t n = 0; n < tree.from_local.size(); ++n) local_[tree.from_local[n]] = n;
}

// Tables of times by point pay off where most points are needed for some wait and call trees are
// small. Otherwise timelines are read for each span.
void Delays::make_point_times() {
  constexpr std::size_t kRoom = std::size_t{4} << 20, kFewest = 64;  // bytes, points
  const std::size_t nodes = tree_.from_local.size();
  std::size_t points = 0;
  for (const auto& times : times_) points += times.points().size();
  reads_timelines_ = nodes > PointTimes::kMostNodes || points > 8 * points_.waits().size();
  const std::size_t room =
      kRoom / PointTimes::size_of_row(nodes) / std::max<std::size_t>(1, times_.size());
  for (const auto& times : times_) {
    point_times_.emplace_back(times, nodes, reads_timelines_ ? 0 : std::max(kFewest, room));
  }
}

// Prefetches what the waits after number `o` read of their own locations. The order of the waits is
// not that of memory, so most of the time would otherwise be spent waiting for memory.
inline void Delays::prefetch(const Open& batch, std::size_t o) const {
  const auto& [waits, order, questions] = batch;
  if (o + memory::kAhead < order.size()) {
    const Wait& wait = waits[order[o + memory::kAhead]];
    if (wait.own_step < kBeginning) {
      const auto points = points_.of(wait.location);
      memory::prefetch_whole(&points[wait.point]);
      memory::prefetch_whole(&points[wait.own_step]);
    }
  }
}

// Begins the next batch.
void Delays::ask(std::vector<parallel::Packer>& to, int rank) {
  const Waits& all = points_.waits();
  const std::size_t first = found_ + asked_.waits.size();
  const std::size_t last = std::min(all.size(), first + kBatch);
  std::swap(asked_, compared_);
  auto& [waits, order, questions] = asked_;
  waits.clear();
  for (auto i = first; i < last; ++i) {
    all.prefetch(all.size() - 1 - i - memory::kAhead);
    waits.push_back(all[all.size() - 1 - i]);
  }
  if (!waits.empty()) batches_.emplace_back().delays.assign(waits.size(), {});
  put_in_order_of_causes(asked_);
  // Successive waits with the same question share it. Only other processes have to be asked.
  questions.clear();
  for (std::size_t o = 0; o < order.size(); ++o) {
    prefetch(asked_, o);
    const Question question = question_of(waits[order[o]]);
    if (!questions.empty() && question == questions.back().question) {
      ++questions.back().waits;
      continue;
    }
    questions.push_back({question, 1});
    const int host = points_.host_of(question.location);
    if (host != rank) to[static_cast<std::size_t>(host)].put(question);
  }
}

// Sorts the waits that have a step by the location of their cause, and by time within one location.
// Data of a cause then lie close together, and waits for the same thing are neighbors.
void Delays::put_in_order_of_causes(Open& batch) {
  auto& [waits, order, questions] = batch;
  auto& next = places_;
  next.assign(points_.definitions.locations.size() + 1, 0);
  for (const Wait& wait : waits) {
    if (wait.step != kNone) ++next[wait.cause_location + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  order.resize(next.back());
  for (std::size_t i = waits.size(); i-- > 0;) {
    if (waits[i].step != kNone) {
      order[next[waits[i].cause_location]++] = static_cast<std::uint32_t>(i);
    }
  }
}

// Subtracts the times of the waiter from those of the cause, call path by call path, for each
// answer. Only positive differences count as excess.
void Delays::compare_all(std::span<parallel::Unpacker> answers, int rank) {
  const auto& [waits, order, questions] = compared_;
  if (waits.empty()) return;
  Batch& batch = batches_[found_ / kBatch - first_batch_];
  std::vector<Excess> times;  // that another process sent
  AllTold told;               // of the cause
  std::size_t o = 0;
  for (const auto& [question, count] : questions) {
    const int host = points_.host_of(question.location);
    const bool here = host == rank;
    Answer answer;
    if (here) {
      answer = look_up(question);
      if (told_ != nullptr && answer.point != kNone) find_told(told);
    } else {
      auto& from = answers[static_cast<std::size_t>(host)];
      answer = from.get<Answer>();
      from.get_all(times);
      if (told_ != nullptr) {
        from.get_all(told.parts);
        from.get_all(told.places);
      }
    }
    for (const auto last = o + count; o != last; ++o) {
      if (reads_timelines_ && o + memory::kAhead / 2 < order.size()) {
        const Wait& next = waits[order[o + memory::kAhead / 2]];
        if (next.own_step < kBeginning) times_[next.location].prefetch(next.own_step);
      }
      if (answer.point == kNone) continue;
      const Wait& wait = waits[order[o]];
      collect_own(wait);
      Delay& delay = batch.delays[order[o]];
      delay.waits = answer.waits;
      delay.first = answer.first;
      delay.last = answer.last;
      delay.excesses_begin = static_cast<std::uint32_t>(batch.excesses.size());
      Ticks excess = 0;
      const auto add = [&](std::uint32_t call_path, Ticks longer) {
        batch.excesses.push_back({.call_path = call_path, .time = longer});
        excess += longer;
      };
      if (here) {
        cause_.for_each_longer_than(waiter_, [&](std::uint32_t node, Ticks longer) {
          add(tree_.from_local[node], longer);
        });
      } else {
        for (const auto& theirs : times) {
          const auto node = local_[theirs.call_path];
          const Ticks longer = theirs.time - (node == kNone ? 0 : waiter_[node]);
          if (longer > 0) add(theirs.call_path, longer);
        }
      }
      delay.excess = excess;
      delay.excesses_end = static_cast<std::uint32_t>(batch.excesses.size());
      if (told_ != nullptr) explain(batch, delay, told);
    }
  }
  found_ += waits.size();
}

// What was told of the cause at the call paths of the span that was collected last, in their order.
void Delays::find_told(AllTold& told) const {
  told.clear();
  const TimeParts& parts = (*told_)[of_cause_.location];
  if (!parts.any(of_cause_.from, of_cause_.to)) return;
  cause_.for_each([&](std::uint32_t node, Ticks) {
    const TimePart part = parts.at(node, of_cause_.from, of_cause_.to);
    for (const ToldPlace& one : parts.places_at(node, of_cause_.from, of_cause_.to)) {
      told.places.push_back({in_all(one.place), one.nanoseconds, one.variance});
    }
    const auto last = static_cast<std::uint32_t>(told.places.size());
    const bool named = last != (told.parts.empty() ? 0 : told.parts.back().places);
    if (named || part.any()) told.parts.push_back({tree_.from_local[node], last, part});
  });
}

// Adds the parts of the excesses of a delay. Few of them have any, since most stretches are shorter
// than the time between two samples, and nothing happens in them.
void Delays::explain(Batch& batch, const Delay& delay, const AllTold& all) {
  const auto& of_cause = all.parts;
  const TimeParts& own = (*told_)[of_waiter_.location];
  if (of_cause.empty() && !own.any(of_waiter_.from, of_waiter_.to)) return;
  for (std::uint32_t i = 0; i < of_cause.size(); ++i) told_at_[of_cause[i].call_path] = i;
  for (auto e = delay.excesses_begin; e < delay.excesses_end; ++e) {
    Excess& excess = batch.excesses[e];
    const auto node = local_[excess.call_path];
    const TimePart waiter =
        node == kNone ? TimePart() : own.at(node, of_waiter_.from, of_waiter_.to);
    const auto at = told_at_[excess.call_path];
    const TimePart cause = at == kNone ? TimePart() : of_cause[at].part;
    const auto first = static_cast<std::uint32_t>(batch.places.size());
    const auto from = at == kNone || at == 0 ? 0 : of_cause[at - 1].places;
    add_places(batch,
               std::span(all.places).subspan(from, at == kNone ? 0 : of_cause[at].places - from),
               node);
    const auto last = static_cast<std::uint32_t>(batch.places.size());
    if (first == last && !cause.any() && !waiter.any()) continue;
    excess.parts = static_cast<std::uint32_t>(batch.parts.size());
    batch.parts.push_back(
        {parts_of_excess(excess.time, node == kNone ? 0 : waiter_[node], cause, waiter), first,
         last});
  }
  for (const Told& one : of_cause) told_at_[one.call_path] = kNone;
}

// Adds the places of both sides at a call path. `node` is that of the waiter, kNone: it has none.
void Delays::add_places(Batch& batch, std::span<const ToldPlace> of_cause,
                        std::uint32_t node) const {
  const auto first = batch.places.size();
  for (const ToldPlace& one : of_cause) {
    batch.places.push_back({one.place, {.cause = one.nanoseconds, .cause_variance = one.variance}});
  }
  if (node == kNone) return;
  const TimeParts& own = (*told_)[of_waiter_.location];
  for (const ToldPlace& one : own.places_at(node, of_waiter_.from, of_waiter_.to)) {
    const Place place = in_all(one.place);
    const auto known =
        std::find_if(batch.places.begin() + static_cast<std::ptrdiff_t>(first), batch.places.end(),
                     [&](const ExcessPlace& other) { return other.place == place; });
    ExcessPlace& to =
        known == batch.places.end() ? batch.places.emplace_back(ExcessPlace{place, {}}) : *known;
    to.compared.waiter = one.nanoseconds;
    to.compared.waiter_variance = one.variance;
  }
}

Delays::Question Delays::question_of(const Wait& wait) const {
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

// Looks for the point from `last` back.
std::uint32_t Delays::find_point(Points points, std::uint32_t last, const Question& question) {
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

// The span from the end of point `from` to a moment before the call of the point `last`.
inline Span Delays::span_of(std::uint32_t location, Points points, std::uint32_t from,
                            std::uint32_t last, Ticks to) const {
  const SyncPoint& point = points[from];
  Span span{point.over, to, from + 1, last};
  if (!point.plain) [[unlikely]]
    cut(span, location, point);
  while (span.first < last && points[span.first].call == point.call &&
         !goes_on_waiting(point, points[span.first])) {
    ++span.first;
  }
  return span;
}

// Cuts a span that begins in a call, so that it starts within that call.
void Delays::cut(Span& span, std::uint32_t location, const SyncPoint& from) const {
  const auto& call = points_.mine[location].calls[from.call];
  span.from = std::min(span.from, call.leave);
  if (from.kind == WaitKind::kIdleThread) span.from = std::max(span.from, call.enter);
}

// The span that starts at a moment instead of at a point.
Span Delays::span_since(std::uint32_t location, Ticks from, std::uint32_t last, Ticks to) const {
  const auto& calls = points_.mine[location].calls;
  const auto points = points_.of(location);
  const auto first = std::ranges::lower_bound(
      points, from, {}, [&](const SyncPoint& p) { return calls[p.call].enter; });
  return {from, to, std::min(last, static_cast<std::uint32_t>(first - points.begin())), last};
}

// The time from which both threads of a process existed. An idle thread does nothing from `idle`
// on.
Ticks Delays::beginning_of(WaitKind kind, std::uint32_t location, std::uint32_t partner,
                           Ticks idle) const {
  const Ticks own = points_.mine[location].first;
  if (kind == WaitKind::kIdleThread) return std::max(own, idle);
  return std::max(own, points_.mine[points_.hosted(partner)].first);
}

// Replaces `to` by the times of a span. True if they come from the rows of PointTimes.
inline bool Delays::collect(std::uint32_t location, Points points, std::uint32_t from, Span span,
                            NodeTimes& to) {
  if (from != kBeginning && points[from].plain) {
    const auto rows = point_times_[location].rows_of(points, from, span);
    if (rows.from != nullptr) {
      to.put_difference(rows.from, rows.to);
      to.put_more(points[from].node, rows.more_from);
      to.put_more(points[span.last].node, rows.more_to);
      return true;
    }
  }
  read(location, from, span, to);
  return false;
}

void Delays::read(std::uint32_t location, std::uint32_t from, const Span& span,
                  NodeTimes& to) const {
  to.clear();
  if (from == kBeginning) return times_[location].add_own(span, to);
  const auto& point = points_.of(location)[from];
  if (!point.plain) {
    const auto& call = points_.mine[location].calls[point.call];
    if (point.over > call.leave) to.add(call.node, call.leave - point.over);
    // A thread that was called to a team is on its way into the parallel region.
    if (point.kind == WaitKind::kIdleThread && point.over < call.enter) {
      to.add(call.node, call.enter - point.over);
    }
  }
  times_[location].add_own(from, span, to);
}

// Questions come in the order of time, so the answer is close to the previous one.
std::uint32_t Delays::first_from(std::uint32_t location, std::uint32_t call) {
  const auto points = points_.of(location);
  auto& at = last_from_[location];
  constexpr int kNear = 32;
  int steps = 0;
  for (; steps < kNear && at < points.size() && points[at].call < call; ++steps) ++at;
  for (; steps < kNear && at > 0 && points[at - 1].call >= call; ++steps) --at;
  if (steps == kNear) at = points_.first_from(location, call);
  return at;
}

void Delays::answer(parallel::Unpacker& questions, parallel::Packer& to) {
  std::vector<Excess> times;
  AllTold told;
  while (!questions.done()) {
    const Answer answer = look_up(questions.get<Question>());
    times.clear();
    told.clear();
    if (answer.point != kNone) {
      cause_.for_each([&](std::uint32_t node, Ticks time) {
        times.push_back({.call_path = tree_.from_local[node], .time = time});
      });
      if (told_ != nullptr) find_told(told);
    }
    to.put(answer);
    to.put_all(std::span<const Excess>(times));
    if (told_ != nullptr) {
      to.put_all(std::span<const Told>(told.parts));
      to.put_all(std::span<const ToldPlace>(told.places));
    }
  }
}

// Leaves the times of the cause in `cause_`, if its point was found.
Delays::Answer Delays::look_up(const Question& question) {
  const auto location = points_.hosted(question.location);
  const Points points = points_.of(location);
  const auto last = first_from(location, question.call);
  Span span;
  std::uint32_t point = kBeginning;
  if (question.key == kBeginning) {
    const Ticks begin = beginning_of(question.kind, location, question.partner, question.begin);
    span = span_since(location, begin, last, question.event);
  } else {
    point = find_point(points, last, question);
    if (point != kNone) span = span_of(location, points, point, last, question.event);
  }
  // An event that was polled for may precede the last point and be noticed only after it.
  if (point == kNone || span.from > question.event) return {};
  of_cause_ = {location, span.from, span.to};
  const bool rows = collect(location, points, point, span, cause_);
  return {rows ? point_times_[location].waits(span.first, span.last)
               : times_[location].waits(span.first, span.last),
          point, span.first, span.last};
}

// Leaves the times of the waiter in `waiter_`.
void Delays::collect_own(const Wait& wait) {
  const auto points = points_.of(wait.location);
  auto last = wait.point;
  while (last > 0 && points[last - 1].call == wait.call) --last;
  Span own;
  if (wait.own_step != kBeginning) {
    own = span_of(wait.location, points, wait.own_step, last, wait.begin);
  } else {
    const Ticks begin =
        wait.kind == WaitKind::kIdleThread
            ? wait.begin
            : beginning_of(wait.kind, wait.location, wait.cause_location, wait.begin);
    own = span_since(wait.location, begin, last, wait.begin);
  }
  of_waiter_ = {wait.location, own.from, own.to};
  collect(wait.location, points, wait.own_step, own, waiter_);
  if (wait.polled > 0) waiter_.add(wait.node, -wait.polled);
}

}  // namespace latecomer::causes
