// SPDX-License-Identifier: BSD-3-Clause
// Finds communicators on which processes started persistent operations in different orders.
#include "analyzer/match/persistent.hpp"

#include <map>
#include <set>
#include <utility>

#include "archive/hash.hpp"

namespace latecomer::replay {
namespace {

using trace::Collective;

// Hash of the order of operations that a process started on a communicator.
struct Order {
  std::uint32_t comm = 0;
  std::uint64_t hash = 0;
};
// Persistent operation on a communicator, by its number there.
struct Series {
  std::uint32_t comm = 0, series = 0;
  friend auto operator<=>(const Series&, const Series&) = default;
};

bool any_persistent(const std::vector<trace::LocationEvents>& mine) {
  for (const auto& events : mine) {
    for (const auto& kind : events.kinds) {
      if (kind.series != 0) return true;
    }
    for (const auto& gap : events.collective_gaps) {
      if (gap.series != 0) return true;
    }
  }
  return false;
}

void put_orders(const trace::Definitions& definitions,
                const std::vector<trace::LocationEvents>& mine, parallel::Packer& pack) {
  std::map<std::uint32_t, std::uint64_t> orders;
  const auto flush = [&] {
    for (const auto& [comm, hash] : orders) pack.put(Order{comm, hash});
    orders.clear();
  };
  std::uint32_t process = trace::kNone;
  for (const auto& events : mine) {
    if (definitions.locations[events.location].process != process) flush();
    process = definitions.locations[events.location].process;
    for (const auto& own : events.collectives) {
      if (own.kind == Collective::kOpen) continue;
      auto& hash = orders[events.kinds[own.kind].comm];
      hash = hash_with(hash, events.kinds[own.kind].series + 1);
    }
    // The order inside a gap is unknown. The hash is made unique, so that no two processes agree.
    for (const auto& gap : events.collective_gaps) {
      orders[gap.comm] ^= spread(std::uint64_t{process} + 1);
    }
  }
  flush();
}

template <typename T>
std::vector<T> all_of(parallel::Packer& pack, parallel::Processes& processes) {
  std::vector<T> out;
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker in(bytes); !in.done();) out.push_back(in.get<T>());
  }
  return out;
}

// Communicators on which the processes started operations in different orders.
std::set<std::uint32_t> unordered(const std::vector<Order>& orders) {
  std::map<std::uint32_t, std::uint64_t> first;
  std::set<std::uint32_t> out;
  for (const auto& [comm, hash] : orders) {
    if (first.try_emplace(comm, hash).first->second != hash) out.insert(comm);
  }
  return out;
}

}  // namespace

void separate_persistent(trace::Definitions& definitions, std::vector<trace::LocationEvents>& mine,
                         parallel::Processes& processes) {
  if (processes.max(any_persistent(mine) ? 1 : 0) == 0) return;
  parallel::Packer pack;
  put_orders(definitions, mine, pack);
  const auto comms = unordered(all_of<Order>(pack, processes));
  std::set<Series> here;
  for (const auto& events : mine) {
    for (const auto& kind : events.kinds) {
      if (kind.series != 0 && comms.contains(kind.comm)) here.insert({kind.comm, kind.series});
    }
    for (const auto& gap : events.collective_gaps) {
      if (gap.series != 0 && comms.contains(gap.comm)) here.insert({gap.comm, gap.series});
    }
  }
  for (const auto& series : here) pack.put(series);
  const auto all = all_of<Series>(pack, processes);
  std::map<Series, std::uint32_t> own;
  for (const auto& series : std::set<Series>(all.begin(), all.end())) {
    own[series] = static_cast<std::uint32_t>(definitions.comms.size());
    definitions.comms.push_back(trace::Comm(definitions.comms[series.comm]));
  }
  for (auto& events : mine) {
    for (auto& kind : events.kinds) {
      const auto found = own.find({kind.comm, kind.series});
      if (found != own.end()) kind.comm = found->second;
    }
    for (auto& gap : events.collective_gaps) {
      const auto found = own.find({gap.comm, gap.series});
      if (found != own.end()) gap.comm = found->second;
    }
  }
}

}  // namespace latecomer::replay
