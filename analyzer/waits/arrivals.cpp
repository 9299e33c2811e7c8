// SPDX-License-Identifier: BSD-3-Clause
// Gathers who came first and last to collective operations.
#include "analyzer/waits/arrivals.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/booking/statistics.hpp"
#include "patterns/calls/collective_name.hpp"

namespace latecomer::replay {
namespace {

constexpr std::size_t kMost = 100;      // operations that are listed
constexpr std::size_t kMostRanks = 16;  // ranks listed as the most frequent first or last
constexpr std::size_t kAllRanks = 64;   // up to this size of a communicator all ranks are listed

std::string_view operation_of(std::uint64_t key) {
  return patterns::name(static_cast<patterns::CollectiveOperation>(key & 0xff));
}

// The largest counts with their ranks, at most kMostRanks. Among equal counts the lower rank comes
// first.
using Count = report::Arrivals::RankCount;
std::vector<Count> largest(std::vector<Count> counts) {
  std::erase_if(counts, [](const Count& c) { return c.count == 0; });
  std::ranges::stable_sort(counts, std::greater{}, &Count::count);
  if (counts.size() > kMostRanks) counts.resize(kMostRanks);
  return counts;
}

// Statistics of times in seconds; `second`: ticks.
report::Arrivals::Spread spread_of(const MetricStatistics& one, double second) {
  const auto seconds = [&](trace::Ticks time) { return static_cast<double>(time) / second; };
  return {.mean = seconds(one.sum) / static_cast<double>(one.count),
          .smallest = seconds(one.minimum),
          .median = seconds(one.median),
          .largest = seconds(one.maximum),
          .deviation = std::sqrt(one.variance) / second};
}

}  // namespace

std::map<Arrivals::Key, std::map<std::uint32_t, Arrivals::Rank>> Arrivals::gather_ranks(
    parallel::Processes& processes) const {
  parallel::Packer pack;
  for (const auto& [key, one] : operations_) {
    // The creation of communicators is left out, since it is rarely worth tuning.
    if (operation_of(key).empty()) continue;
    pack.put(key);
    pack.put(static_cast<std::uint64_t>(one.ranks.size()));
    for (const auto& [rank, counts] : one.ranks) {
      pack.put(rank);
      pack.put(counts);
    }
  }
  std::map<Key, std::map<std::uint32_t, Rank>> all;
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      auto& ranks = all[in.get<Key>()];
      for (auto count = in.get<std::uint64_t>(); count > 0; --count) {
        Rank& to = ranks[in.get<std::uint32_t>()];
        const auto more = in.get<Rank>();
        to.count += more.count;
        to.first += more.first;
        to.last += more.last;
        to.early += more.early;
        for (std::size_t p = 0; p < kPlaces; ++p) to.places[p] += more.places[p];
      }
    }
  }
  return all;
}

// First the counts of all processes are gathered, then the statistics of times are found together.
// The kMost operations with most early time are listed.
std::vector<report::Arrivals> Arrivals::result(parallel::Processes& processes) {
  find_places(
      booking_, processes,
      [&](std::uint32_t comm, std::uint8_t number, std::uint32_t rank, const Places& places) {
        auto& to = operation(comm, number).ranks[rank].places;
        for (std::size_t p = 0; p < kPlaces; ++p) to[p] += places[p];
      });
  const auto all = gather_ranks(processes);
  // Each operation has two numbers in the statistics: `early` and `after`.
  Statistics statistics(2 * all.size());
  std::uint32_t number = 0;
  for (const auto& [key, ranks] : all) {
    if (const auto own = operations_.find(key); own != operations_.end()) {
      statistics.set(number, std::move(own->second.early));
      statistics.set(number + 1, std::move(own->second.after));
    }
    number += 2;
  }
  operations_.clear();
  last_key_ = UINT64_MAX;
  const auto found = statistics.find(processes);
  std::vector<const MetricStatistics*> by_number(2 * all.size());
  for (const MetricStatistics& one : found) by_number[one.metric] = &one;

  struct Entry {
    Key key;
    const std::map<std::uint32_t, Rank>* ranks;
    const MetricStatistics *early, *after;
  };
  std::vector<Entry> sorted;
  number = 0;
  for (const auto& [key, ranks] : all) {
    const auto *const early = by_number[number], *const after = by_number[number + 1];
    number += 2;
    // In a damaged trace instance numbers may repeat. An operation may then lack values although
    // participants of it exist.
    if (early != nullptr && after != nullptr) sorted.push_back({key, &ranks, early, after});
  }
  std::ranges::stable_sort(sorted, std::greater{}, [](const Entry& e) { return e.early->sum; });
  if (sorted.size() > kMost) sorted.resize(kMost);

  const auto& definitions = booking_.definitions;
  const auto second = static_cast<double>(definitions.ticks_per_second);
  std::vector<report::Arrivals> list;
  for (const auto& [key, ranks, early, after] : sorted) {
    const auto& comm = definitions.comms[key >> 8];
    report::Arrivals& entry = list.emplace_back();
    for (const auto& [rank, one] : *ranks) {
      entry.first.push_back({rank, one.first});
      entry.last.push_back({rank, one.last});
    }
    entry.first = largest(std::move(entry.first));
    entry.last = largest(std::move(entry.last));
    for (const auto& [rank, one] : *ranks) {
      if (ranks->size() > kAllRanks &&
          std::ranges::find(entry.first, rank, &Count::rank) == entry.first.end() &&
          std::ranges::find(entry.last, rank, &Count::rank) == entry.last.end()) {
        continue;
      }
      auto& to = entry.ranks.emplace_back();
      to.rank = rank;
      to.first = one.first;
      to.last = one.last;
      to.early_mean = static_cast<double>(one.early) / second / static_cast<double>(one.count);
      const std::size_t places = comm.inter ? 0 : std::min(comm.size(), kPlaces);
      to.places.assign(one.places.begin(),
                       one.places.begin() + static_cast<std::ptrdiff_t>(places));
    }
    entry.operation = operation_of(key);
    entry.communicator = comm.name;
    entry.communicator_id = key >> 8;
    entry.processes = comm.size();
    entry.operations = early->count / static_cast<std::int64_t>(comm.size());
    entry.early = spread_of(*early, second);
    entry.after = spread_of(*after, second);
  }
  return list;
}

}  // namespace latecomer::replay
