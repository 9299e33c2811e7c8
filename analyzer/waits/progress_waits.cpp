// SPDX-License-Identifier: BSD-3-Clause
// Questions are sent to the hosts of the targets, which know from the timelines when these were in
// MPI.
#include "analyzer/waits/progress_waits.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "patterns/waits/wait_for_progress.hpp"

namespace latecomer::replay {
namespace {

using trace::kNone;
using trace::Ticks;
using trace::WindowEvent;

// A question for the host of the target: when did it next enter MPI?
struct Question {
  std::uint32_t target = 0;              // world rank
  std::uint32_t location = 0, call = 0;  // the call that asks
  Ticks enter = 0, leave = 0;            // enter and leave of the call
  bool transfer = false;
};
// The answer; it is sent only if the target was outside MPI and entered it during the call.
struct Answer {
  std::uint32_t location = 0, call = 0;  // the call that asked
  Ticks entered = 0;                     // time at which the target entered MPI
  std::uint32_t target = 0;
  std::uint32_t cause_location = kNone, cause_call = kNone;
  bool transfer = false;
};

// Calls ask() for the calls of a location in epochs with locks and for their targets, each pair
// once.
template <typename Ask>
void collect(const trace::Definitions& definitions, const trace::LocationEvents& events,
             Ask&& ask) {
  const std::uint32_t process = definitions.locations[events.location].process;
  std::map<std::uint32_t, std::vector<std::uint32_t>> locked;  // by window: targets, kNone: all
  // Targets accessed since the lock of all, by window.
  std::map<std::uint32_t, std::vector<std::uint32_t>> accessed;
  Question last{.target = kNone};
  const auto put = [&](const WindowEvent& step, std::uint32_t target) {
    if (target == process) return;
    const auto& call = events.calls[step.call];
    const Question one{target,     events.location, step.call,
                       call.enter, call.leave,      step.is_transfer()};
    if (last.target == one.target && last.call == one.call) return;
    last = one;
    ask(one);
  };
  for (const auto& step : events.window_events) {
    auto& targets = locked[step.window];
    switch (step.kind) {
      case WindowEvent::Kind::kPut:
      case WindowEvent::Kind::kGet:
      case WindowEvent::Kind::kAtomic:
        if (std::ranges::find(targets, kNone) != targets.end()) {
          auto& all = accessed[step.window];
          if (std::ranges::find(all, step.other) == all.end()) all.push_back(step.other);
        } else if (std::ranges::find(targets, step.other) == targets.end()) {
          break;  // belongs to an epoch of another kind
        }
        put(step, step.other);
        break;
      case WindowEvent::Kind::kFlush:
        put(step, step.other);
        break;
      case WindowEvent::Kind::kLock:
        targets.push_back(step.other);
        if (step.other != kNone) put(step, step.other);
        break;
      case WindowEvent::Kind::kUnlock:
        std::erase(targets, step.other);
        if (step.other != kNone) {
          put(step, step.other);
        } else {
          for (const auto target : accessed[step.window]) put(step, target);
          accessed[step.window].clear();
        }
        break;
      default:
        break;
    }
  }
}

// The times that the threads of a hosted process spent in MPI.
class InMpi {
 public:
  InMpi(const Booking& booking, const std::vector<bool>& mpi_paths, std::size_t first,
        std::size_t last)
      : mine_(booking.mine), first_(first), threads_(last - first) {
    for (std::size_t l = first; l < last; ++l) {
      auto& spans = threads_[l - first];
      bool inside = false;
      booking.mine[l].timeline.for_each([&](Ticks time, std::uint32_t node) {
        const bool now = mpi_paths[booking.tree.from_local[node]];
        if (now && !inside) spans.push_back({time, INT64_MAX});
        if (!now && inside) spans.back().second = time;
        inside = now;
      });
    }
  }
  // False: a thread was in MPI, or none entered it before the call was over.
  [[nodiscard]] bool answer(const Question& question, Answer& to) const {
    to = {question.location, question.call, INT64_MAX, question.target, kNone, kNone,
          question.transfer};
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      const auto& spans = threads_[t];
      const auto next = std::ranges::upper_bound(spans, question.enter, {}, &Span::first);
      if (next != spans.begin() && (next - 1)->second > question.enter) return false;
      if (next == spans.end() || next->first >= std::min(to.entered, question.leave)) continue;
      to.entered = next->first;
      to.cause_location = mine_[first_ + t].location;
      to.cause_call = call_from(mine_[first_ + t], next->first);
    }
    return to.entered != INT64_MAX;
  }

 private:
  using Span = std::pair<Ticks, Ticks>;
  // The first element of `calls` at or after a moment. Not every call of MPI is kept there.
  static std::uint32_t call_from(const trace::LocationEvents& events, Ticks time) {
    std::size_t low = 0, high = events.calls.size();
    while (low < high) {
      const auto middle = (low + high) / 2;
      if (events.calls[middle].enter < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == events.calls.size() ? kNone : static_cast<std::uint32_t>(low);
  }

  const std::vector<trace::LocationEvents>& mine_;
  const std::size_t first_;
  std::vector<std::vector<Span>> threads_;
};

// Flags by node of the global call tree: true inside MPI functions.
std::vector<bool> paths_in_mpi(const Booking& booking) {
  std::vector<bool> out;
  for (const auto& node : booking.tree.nodes) {
    out.push_back(booking.definitions.regions[node.region].mpi ||
                  (node.parent != kNone && out[node.parent]));
  }
  return out;
}

void book(Booking& booking, causes::SyncPoints& points, std::size_t l, const Answer& answer,
          Ticks waited) {
  const auto& call = booking.mine[l].calls[answer.call];
  const auto wait = patterns::wait_for_progress(call.enter, call.leave, answer.entered, waited);
  if (wait == 0) return;
  const auto& metrics = answer.transfer ? booking.map[patterns::WaitState::kProgressOfTransfer]
                                        : booking.map[patterns::WaitState::kProgress];
  const bool grid = booking.metahost_of(answer.target) != booking.metahost_of(booking.rank_of(l));
  booking.part(metrics, {.location = l,
                         .call = call,
                         .time = wait,
                         .grid = grid,
                         .cause = answer.target,
                         .begin = call.enter + waited});
  if (answer.cause_call == kNone) {
    points.add_unlinked(*metrics.kind, static_cast<std::uint32_t>(l), answer.call, wait);
    return;
  }
  points.add_pair({.location = static_cast<std::uint32_t>(l),
                   .call = answer.call,
                   .cause_location = answer.cause_location,
                   .cause_call = answer.cause_call,
                   .kind = *metrics.kind,
                   .wait = wait,
                   .begin = call.enter + waited,
                   .event = answer.entered},
                  causes::CauseIndex::kCall);
}

}  // namespace

// Questions are sent to the hosts of their targets. Timelines of targets are summed up once, when
// the first question about them arrives.
void book_progress_waits(Booking& booking, causes::SyncPoints& points, const Partition& partition,
                         const std::vector<LockWait>& locks, parallel::Processes& processes) {
  if (booking.definitions.windows.empty()) return;
  const auto n = static_cast<std::size_t>(processes.size());
  std::vector<parallel::Packer> packs(n), answers(n);
  for (const auto& events : booking.mine) {
    collect(booking.definitions, events, [&](const Question& one) {
      packs[static_cast<std::size_t>(partition.host_of(one.target))].put(one);
    });
  }
  const auto questions = processes.exchange(take_all(packs));
  const auto mpi_paths = paths_in_mpi(booking);
  std::map<std::uint32_t, InMpi> targets;  // the targets asked for so far, by world rank
  for (std::size_t p = 0; p < n; ++p) {
    for (parallel::Unpacker in(questions[p]); !in.done();) {
      const auto question = in.get<Question>();
      auto target = targets.find(question.target);
      if (target == targets.end()) {
        std::size_t first = 0;
        while (first < booking.mine.size() && booking.rank_of(first) != question.target) ++first;
        std::size_t last = first;
        while (last < booking.mine.size() && booking.rank_of(last) == question.target) ++last;
        target = targets.try_emplace(question.target, booking, mpi_paths, first, last).first;
      }
      Answer answer;
      if (target->second.answer(question, answer)) answers[p].put(answer);
    }
  }
  std::vector<Answer> found;
  for (const auto& bytes : processes.exchange(take_all(answers))) {
    for (parallel::Unpacker in(bytes); !in.done();) found.push_back(in.get<Answer>());
  }
  // A call with several targets waits for the last one; ties go to the lowest rank.
  std::ranges::sort(found, [](const Answer& a, const Answer& b) {
    return std::tie(a.location, a.call, b.entered, a.target) <
           std::tie(b.location, b.call, a.entered, b.target);
  });
  std::map<std::pair<std::uint32_t, std::uint32_t>, Ticks> waited;
  for (const auto& lock : locks) waited[{lock.location, lock.call}] += lock.wait;
  std::map<std::uint32_t, std::size_t> column;
  for (std::size_t l = 0; l < booking.mine.size(); ++l) column[booking.mine[l].location] = l;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && found[i - 1].location == found[i].location && found[i - 1].call == found[i].call) {
      continue;
    }
    const auto lock = waited.find({found[i].location, found[i].call});
    book(booking, points, column.at(found[i].location), found[i],
         lock == waited.end() ? 0 : lock->second);
  }
}

}  // namespace latecomer::replay
