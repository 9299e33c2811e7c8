// SPDX-License-Identifier: BSD-3-Clause
// Finds the places of processes. All begins of an operation are sent to an owner, which sorts them.
#include "analyzer/match/places.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace latecomer::replay {
namespace {

using trace::kNone;
using trace::Ticks;

constexpr Ticks kNever = INT64_MIN;
constexpr std::size_t kTask = std::size_t{1} << 15;  // participations that are sorted at once
constexpr std::size_t kRound = std::size_t{1}
                               << 16;  // participations per process that are sent at once

// Operations [first, last) of a communicator, sorted by one process.
struct Task {
  std::uint32_t comm = 0, first = 0, last = 0;
};

// Precedes the Begins of one process in the operations of a task.
struct Heading {
  std::uint32_t task = 0;
  std::uint32_t member = 0;  // index among the ranks of the communicator in ascending order
};
// Begin of one participation.
struct Begin {
  Ticks time = 0;
  std::uint32_t instance = 0;
  std::uint32_t operation = 0;
};

// World ranks of a communicator in ascending order, so that member numbers decide ties.
std::vector<std::uint32_t> ranks_of(const trace::Comm& comm) {
  std::vector<std::uint32_t> ranks(comm.members.begin(), comm.members.end());
  std::ranges::sort(ranks);
  return ranks;
}

// Walks along the operations of a location by communicator, in the order of starting.
class Cursor {
 public:
  Cursor(const trace::LocationEvents& events, std::uint32_t rank) : events_(events), rank_(rank) {
    const auto place_of = [&](const trace::Collective& own) {
      return std::uint64_t{events.kinds[own.kind].comm} << 32 | own.instance;
    };
    slots_.reserve(events.collectives.size());
    std::uint32_t i = 0;
    std::uint64_t last = 0;
    bool sorted = true;
    events.collectives.for_each([&](const trace::Collective& own) {
      const std::uint32_t slot = i++;
      if (own.kind == trace::Collective::kOpen) return;
      slots_.push_back(slot);
      const std::uint64_t place = place_of(own);
      sorted = sorted && last <= place;
      last = place;
    });
    if (sorted) return;
    std::ranges::stable_sort(
        slots_, {}, [&](std::uint32_t slot) { return place_of(events.collectives[slot]); });
  }

  // Appends the operations of a task to `out`. Tasks must come in ascending order.
  void take(const Task& task, std::vector<Begin>& out) {
    for (; next_ < slots_.size(); ++next_) {
      const auto& own = events_.collectives[slots_[next_]];
      const auto& kind = events_.kinds[own.kind];
      if (std::pair(kind.comm, own.instance) >= std::pair(task.comm, task.last)) return;
      // Operations skipped here are on a communicator without tasks.
      if (kind.comm == task.comm) out.push_back({own.begin, own.instance, kind.operation});
    }
  }
  [[nodiscard]] std::uint32_t rank() const { return rank_; }

 private:
  const trace::LocationEvents& events_;
  const std::uint32_t rank_;
  memory::Vector<std::uint32_t> slots_;
  std::size_t next_ = 0;
};

// Divides the operations into blocks; blocks without participants are left out, because instance
// numbers in a trace may be far apart. The result is the same on every process.
std::vector<Task> tasks_of(const Booking& booking, parallel::Processes& processes) {
  const auto& comms = booking.definitions.comms;
  const auto rows_of = [&](std::uint32_t comm) {
    return static_cast<std::uint32_t>(std::max<std::size_t>(1, kTask / comms[comm].size()));
  };
  using Block = std::pair<std::uint32_t, std::uint32_t>;  // communicator, number
  std::map<Block, std::uint32_t> ends;                    // end: number after the last operation
  // Block of the previous operation; most operations are in the same block.
  std::uint32_t last_comm = kNone, first = 0, rows = 0;
  std::uint32_t* end_of_last = nullptr;
  for (const auto& events : booking.mine) {
    events.collectives.for_each([&](const trace::Collective& one) {
      if (one.kind == trace::Collective::kOpen || one.instance == kNone) return;
      const auto comm = events.kinds[one.kind].comm;
      if (comm != last_comm || one.instance < first || one.instance - first >= rows) {
        if (comms[comm].inter || comms[comm].size() < 2) return;
        last_comm = comm;
        rows = rows_of(comm);
        const Block block{comm, one.instance / rows};
        first = block.second * rows;
        end_of_last = &ends.try_emplace(block, 0).first->second;
      }
      *end_of_last = std::max(*end_of_last, one.instance + 1);
    });
  }
  parallel::Packer pack;
  for (const auto& [block, end] : ends) pack.put(Task{block.first, block.second, end});
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto other = in.get<Task>();
      auto& end = ends[{other.comm, other.first}];
      end = std::max(end, other.last);
    }
  }
  std::vector<Task> tasks;
  for (const auto& [block, end] : ends) {
    tasks.push_back({block.first, block.second * rows_of(block.first), end});
  }
  return tasks;
}

// The participations that arrived for one task.
class Operations {
 public:
  Operations(const Task& task, const std::vector<std::uint32_t>& ranks)
      : task_(task),
        ranks_(ranks),
        begins_(std::size_t{task.last - task.first} * ranks.size(), kNever),
        operations_(task.last - task.first, kNone) {}
  void add(std::uint32_t member, const Begin& begin) {
    const std::size_t row = begin.instance - task_.first;
    begins_[row * ranks_.size() + member] = begin.time;
    auto& operation = operations_[row];
    if (operation == kNone) operation = begin.operation;
    if (operation != begin.operation) operation = kNone - 1;  // the members disagree
  }
  void sort(const OnPlaces& on_places) {
    const std::size_t members = ranks_.size();
    // Members are divided into equal groups by their place.
    const std::size_t groups = std::min(members, kPlaces);
    std::vector<std::size_t> group(members);
    for (std::size_t place = 0; place < members; ++place) group[place] = place * groups / members;
    std::map<std::uint32_t, std::vector<Places>> counts;  // by operation, then by member
    std::uint32_t last = kNone;
    std::vector<Places>* of = nullptr;
    for (std::size_t row = 0; row < operations_.size(); ++row) {
      if (operations_[row] >= kNone - 1 || !order(row)) continue;
      if (operations_[row] != last) {  // most operations follow one of the same kind
        last = operations_[row];
        of = &counts[last];
        of->resize(members);
      }
      for (std::size_t place = 0; place < members; ++place) ++(*of)[order_[place]][group[place]];
    }
    for (const auto& [operation, of] : counts) {
      for (std::size_t m = 0; m < members; ++m) {
        on_places(task_.comm, static_cast<std::uint8_t>(operation), ranks_[m], of[m]);
      }
    }
  }

 private:
  // Sorts the members by the time at which they came to an operation. False: a member is missing.
  bool order(std::size_t row) {
    const std::span<const Ticks> begins(&begins_[row * ranks_.size()], ranks_.size());
    if (begins.size() == 2) {
      const bool swapped = begins[1] < begins[0];
      order_.assign({swapped ? 1U : 0U, swapped ? 0U : 1U});
      return begins[0] != kNever && begins[1] != kNever;
    }
    const auto [first, last] = std::ranges::minmax(begins);
    if (first == kNever) return false;
    order_.resize(begins.size());
    // If time and member fit into one number, sorting is twice as fast.
    constexpr unsigned kBits = 20;
    const auto span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    if (begins.size() >> kBits == 0 && span >> (64 - kBits) == 0) {
      keys_.resize(begins.size());
      for (std::size_t m = 0; m < begins.size(); ++m) {
        keys_[m] = (static_cast<std::uint64_t>(begins[m] - first) << kBits) | m;
      }
      std::ranges::sort(keys_);
      for (std::size_t m = 0; m < begins.size(); ++m) {
        order_[m] = static_cast<std::uint32_t>(keys_[m] & ((1U << kBits) - 1));
      }
    } else {
      std::iota(order_.begin(), order_.end(), 0U);
      std::ranges::sort(order_, {}, [&](std::uint32_t m) { return std::pair(begins[m], m); });
    }
    return true;
  }

  const Task task_;
  const std::vector<std::uint32_t>& ranks_;
  memory::Vector<Ticks> begins_;
  std::vector<std::uint32_t> operations_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

// Tasks are handled in rounds: participations are sent to the owners of their tasks, which sort
// each operation and report the places.
void find_places(const Booking& booking, parallel::Processes& processes,
                 const OnPlaces& on_places) {
  const auto tasks = tasks_of(booking, processes);
  const auto n = static_cast<std::size_t>(processes.size());
  std::vector<Cursor> cursors;
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    cursors.emplace_back(booking.mine[l], booking.rank_of(l));
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> ranks;  // by communicator
  for (const auto& task : tasks) {
    if (!ranks.contains(task.comm)) {
      ranks[task.comm] = ranks_of(booking.definitions.comms[task.comm]);
    }
  }
  std::vector<Begin> taken;
  for (std::uint32_t begin = 0, end = 0; begin < tasks.size(); begin = end) {
    std::size_t size = 0;
    std::vector<parallel::Packer> packs(n);
    for (; end < tasks.size() && (end == begin || size < n * kRound); ++end) {
      const Task& task = tasks[end];
      const auto& of = ranks[task.comm];
      size += (task.last - task.first) * of.size();
      for (auto& cursor : cursors) {
        taken.clear();
        cursor.take(task, taken);
        const auto found = std::ranges::lower_bound(of, cursor.rank());
        if (taken.empty() || found == of.end() || *found != cursor.rank()) continue;
        packs[end % n].put(Heading{end, static_cast<std::uint32_t>(found - of.begin())});
        packs[end % n].put_all(std::span<const Begin>(taken));
      }
    }
    const auto arrived = processes.exchange(take_all(packs));
    std::map<std::uint32_t, Operations> operations;  // by task
    for (const auto& bytes : arrived) {
      for (parallel::Unpacker in(bytes); !in.done();) {
        const auto heading = in.get<Heading>();
        in.get_all(taken);
        const Task& task = tasks[heading.task];
        Operations& of = operations.try_emplace(heading.task, task, ranks[task.comm]).first->second;
        for (const auto& one : taken) of.add(heading.member, one);
      }
    }
    for (auto& [task, one] : operations) one.sort(on_places);
  }
}

}  // namespace latecomer::replay
