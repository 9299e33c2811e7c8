// SPDX-License-Identifier: BSD-3-Clause
// All begins of an operation meet at an owner, which sorts them.
#include "analyzer/replay/places.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace latecomer::replay {
namespace {

using trace::kNone;
using trace::Ticks;

constexpr Ticks kNever = INT64_MIN;
constexpr std::size_t kTask = std::size_t{1} << 18;   // participations that are sorted at once
constexpr std::size_t kRound = std::size_t{1} << 20;  // those that travel at once

// Operations of a communicator, [first, last), that one process sorts.
struct Task {
  std::uint32_t comm = 0, first = 0, last = 0;
};

struct Begin {
  std::uint32_t task = 0, member = 0, instance = 0;
  std::uint32_t operation = 0;
  Ticks time = 0;
};

// The operations of a location by communicator, in the order of starting.
class Cursor {
 public:
  Cursor(const trace::LocationEvents& events, std::uint32_t rank) : events_(events), rank_(rank) {
    for (std::uint32_t i = 0; i < events.collectives.size(); ++i) {
      if (events.collectives[i].kind != trace::Collective::kOpen) slots_.push_back(i);
    }
    const auto place = [&](std::uint32_t i) {
      const auto& own = events.collectives[i];
      return std::pair(events.kinds[own.kind].comm, own.instance);
    };
    if (!std::ranges::is_sorted(slots_, {}, place)) std::ranges::stable_sort(slots_, {}, place);
  }

  // Takes those of a task; f(member, own, kind). Tasks come in the same order.
  template <typename F>
  void take(const Task& task, const trace::Comm& comm, F&& f) {
    std::uint32_t member = kNone;
    for (; next_ < slots_.size(); ++next_) {
      const auto& own = events_.collectives[slots_[next_]];
      const auto& kind = events_.kinds[own.kind];
      if (std::pair(kind.comm, own.instance) >= std::pair(task.comm, task.last)) return;
      if (kind.comm != task.comm) continue;  // that has no tasks
      if (member == kNone) {
        const auto found = std::ranges::find(comm.members, rank_);
        if (found == comm.members.end()) continue;
        member = static_cast<std::uint32_t>(found - comm.members.begin());
      }
      f(member, own, kind);
    }
  }

 private:
  const trace::LocationEvents& events_;
  const std::uint32_t rank_;
  memory::Vector<std::uint32_t> slots_;
  std::size_t next_ = 0;
};

// How many operations each communicator has.
std::vector<std::uint32_t> instances(const Booking& booking, parallel::Processes& processes) {
  std::vector<std::uint32_t> own(booking.definitions.comms.size());
  for (const auto& events : booking.mine) {
    for (const auto& one : events.collectives) {
      if (one.kind == trace::Collective::kOpen) continue;
      auto& count = own[events.kinds[one.kind].comm];
      count = std::max(count, one.instance + 1);
    }
  }
  parallel::Packer pack;
  pack.put_all(std::span<const std::uint32_t>(own));
  for (const auto& bytes : processes.all_gather(pack.take())) {
    const auto other = parallel::Unpacker(bytes).get_all<std::uint32_t>();
    for (std::size_t c = 0; c < own.size(); ++c) own[c] = std::max(own[c], other[c]);
  }
  return own;
}

std::vector<Task> tasks_of(const Booking& booking, parallel::Processes& processes) {
  const auto counts = instances(booking, processes);
  std::vector<Task> tasks;
  for (std::uint32_t c = 0; c < counts.size(); ++c) {
    const auto& comm = booking.definitions.comms[c];
    if (comm.inter || comm.size() < 2) continue;
    const auto rows = static_cast<std::uint32_t>(std::max<std::size_t>(1, kTask / comm.size()));
    for (std::uint32_t first = 0; first < counts[c]; first += rows) {
      tasks.push_back({c, first, std::min(counts[c], first + rows)});
      if (tasks.back().last == counts[c]) break;
    }
  }
  return tasks;
}

// What came of one task.
class Operations {
 public:
  Operations(const Task& task, const trace::Comm& comm)
      : task_(task),
        comm_(comm),
        begins_(std::size_t{task.last - task.first} * comm.members.size(), kNever),
        operations_(task.last - task.first, kNone) {}
  void add(const Begin& begin) {
    const std::size_t row = begin.instance - task_.first;
    begins_[row * comm_.members.size() + begin.member] = begin.time;
    auto& operation = operations_[row];
    if (operation == kNone) operation = begin.operation;
    if (operation != begin.operation) operation = kNone - 1;  // they disagree
  }
  void sort(const OnPlace& on_place) {
    const std::size_t members = comm_.members.size();
    const std::size_t groups = std::min(members, kPlaces);
    std::vector<std::pair<Ticks, std::uint32_t>> order(members);
    for (std::size_t row = 0; row < operations_.size(); ++row) {
      if (operations_[row] >= kNone - 1) continue;
      for (std::uint32_t m = 0; m < members; ++m) {
        order[m] = {begins_[row * members + m], comm_.members[m]};
      }
      std::ranges::sort(order);
      if (order.front().first == kNever) continue;  // somebody is missing
      for (std::size_t place = 0; place < members; ++place) {
        on_place(task_.comm, static_cast<std::uint8_t>(operations_[row]), order[place].second,
                 place * groups / members);
      }
    }
  }

 private:
  const Task task_;
  const trace::Comm& comm_;
  memory::Vector<Ticks> begins_;
  std::vector<std::uint32_t> operations_;
};

}  // namespace

void find_places(const Booking& booking, parallel::Processes& processes, const OnPlace& on_place) {
  const auto& comms = booking.definitions.comms;
  const auto tasks = tasks_of(booking, processes);
  const auto n = static_cast<std::size_t>(processes.size());
  std::vector<Cursor> cursors;
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    cursors.emplace_back(booking.mine[l], booking.rank_of(l));
  }
  for (std::uint32_t begin = 0, end = 0; begin < tasks.size(); begin = end) {
    std::size_t size = 0;
    std::vector<parallel::Packer> packs(n);
    for (; end < tasks.size() && (end == begin || size < kRound); ++end) {
      const Task& task = tasks[end];
      const auto& comm = comms[task.comm];
      size += (task.last - task.first) * comm.size();
      for (auto& cursor : cursors) {
        cursor.take(
            task, comm,
            [&](std::uint32_t member, const trace::Collective& own,
                const trace::CollectiveKind& kind) {
              packs[end % n].put(Begin{end, member, own.instance, kind.operation, own.begin});
            });
      }
    }
    const auto arrived = processes.exchange(take_all(packs));
    std::map<std::uint32_t, Operations> operations;  // by task
    for (const auto& bytes : arrived) {
      for (parallel::Unpacker in(bytes); !in.done();) {
        const auto one = in.get<Begin>();
        const Task& task = tasks[one.task];
        operations.try_emplace(one.task, task, comms[task.comm]).first->second.add(one);
      }
    }
    for (auto& [task, one] : operations) one.sort(on_place);
  }
}

}  // namespace latecomer::replay
