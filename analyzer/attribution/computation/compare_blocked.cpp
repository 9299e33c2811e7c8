// SPDX-License-Identifier: BSD-3-Clause
// The host of a location tells its calls to all; then their times are summed over all locations.
#include "analyzer/attribution/computation/compare_blocked.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <tuple>

namespace latecomer::replay {
namespace {

using Blocked = report::LongerComputation::Blocked;
using trace::kNone;

// A function that blocked, the one that called it, and the line of the call: indices in
// Definitions.
struct BlockedKey {
  std::uint32_t function = kNone, caller = kNone, source = kNone;
  friend auto operator<=>(const BlockedKey&, const BlockedKey&) = default;
};
struct BlockedTime {
  std::uint32_t path = 0;
  BlockedKey key;
  std::int64_t nanoseconds = 0;
};
struct Sums {
  std::int64_t own = 0, all = 0;  // nanoseconds
};

// The call in the program. In a library without sources it is the program's function that calls the
// library.
BlockedKey key_of(const Booking& booking, const trace::BlockedPlace& place) {
  const auto& regions = booking.definitions.regions;
  const auto& nodes = booking.tree.nodes;
  const auto has_source = [&](std::uint32_t region) {
    return regions[region].file.starts_with('/');
  };
  const auto at = booking.tree.from_local[place.at];
  const auto caller = place.region == kNone ? nodes[at].region : place.region;
  if (has_source(caller)) return {place.function, caller, place.source};
  for (auto node = at; node != kNone && node != 0; node = nodes[node].parent) {
    if (has_source(nodes[node].region)) return {place.function, nodes[node].region, kNone};
  }
  return {place.function, caller, place.source};
}

// Calls f(location, call path, key, nanoseconds) for each place of the hosted locations.
template <typename F>
void for_each_place(const Booking& booking, F&& f) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;  // sums stay possible
  for (const auto& one : booking.mine) {
    for (const auto& place : one.blocked) {
      f(one.location, booking.tree.from_local[place.node], key_of(booking, place),
        static_cast<std::int64_t>(std::min(place.nanoseconds, kMost)));
    }
  }
}

Blocked named(const trace::Definitions& definitions, const BlockedKey& key, double seconds) {
  const auto& regions = definitions.regions;
  Blocked out{.seconds = seconds};
  if (key.function != kNone) out.function = regions[key.function].name;
  if (key.caller != kNone) {
    out.caller = regions[key.caller].name;
    out.file = regions[key.caller].file;
  }
  if (key.source != kNone) {
    const auto& source = definitions.source_lines[key.source];
    if (source.file != kNone) out.file = definitions.source_files[source.file];
    out.line = source.line;
  }
  return out;
}

}  // namespace

std::vector<std::vector<Blocked>> compare_blocked(const Booking& booking,
                                                  std::span<const ComparedPath> paths,
                                                  parallel::Processes& processes) {
  constexpr std::size_t kMostPlaces = 100;  // of one path, the longest ones
  std::vector<std::map<BlockedKey, Sums>> calls(paths.size());
  parallel::Packer pack;
  for (std::uint32_t i = 0; i < paths.size(); ++i) {
    std::map<BlockedKey, std::int64_t> own;
    for_each_place(booking, [&](std::uint32_t location, std::uint32_t call_path,
                                const BlockedKey& key, std::int64_t nanoseconds) {
      if (call_path == paths[i].call_path && location == paths[i].location) own[key] += nanoseconds;
    });
    std::vector<BlockedTime> longest;
    for (const auto& [key, time] : own) longest.push_back({i, key, time});
    std::ranges::sort(longest, {},
                      [](const BlockedTime& d) { return std::tuple(-d.nanoseconds, d.key); });
    if (longest.size() > kMostPlaces) longest.resize(kMostPlaces);
    for (const auto& one : longest) pack.put(one);
  }
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker part(bytes); !part.done();) {
      const auto one = part.get<BlockedTime>();
      calls[one.path][one.key].own += one.nanoseconds;
    }
  }
  for_each_place(booking, [&](std::uint32_t, std::uint32_t call_path, const BlockedKey& key,
                              std::int64_t nanoseconds) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (call_path != paths[i].call_path) continue;
      if (const auto found = calls[i].find(key); found != calls[i].end()) {
        found->second.all += nanoseconds;
      }
    }
  });
  std::vector<std::int64_t> sums;
  for (const auto& of_path : calls) {
    for (const auto& [key, one] : of_path) sums.push_back(one.all);
  }
  processes.sum(sums);
  auto next = sums.begin();
  std::vector<std::vector<Blocked>> out(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (const auto& [key, one] : calls[i]) {
      const auto rest = static_cast<double>(*next++ - one.own);
      const double longer = 1e-9 * (static_cast<double>(one.own) - rest / paths[i].others);
      if (longer > 0) out[i].push_back(named(booking.definitions, key, longer));
    }
    std::ranges::stable_sort(out[i], std::greater{}, &Blocked::seconds);
    if (out[i].size() > report::LongerComputation::kMostBlocked) {
      out[i].resize(report::LongerComputation::kMostBlocked);
    }
  }
  return out;
}

}  // namespace latecomer::replay
