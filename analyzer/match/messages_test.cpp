// SPDX-License-Identifier: BSD-3-Clause
// Matching of random messages and collectives on any number of processes, compared with brute
// force.
#include <mpi.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include "analyzer/match/collectives.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/match/partition.hpp"
#include "analyzer/trace/events/core/by_instance.hpp"

using namespace latecomer;
using trace::LocationEvents;

namespace {

constexpr std::uint32_t kRanks = 7;

trace::Definitions ranks_and_comms(std::uint64_t events) {
  trace::Definitions d;
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    d.processes.push_back({.name = "", .node = 0, .metahost = 0, .locations = {r}});
    d.locations.push_back({.id = r, .name = "", .process = r, .thread = 0, .events = events});
  }
  trace::Comm world, odd, self;
  std::vector<std::uint32_t> all(kRanks);
  std::iota(all.begin(), all.end(), 0);
  world.members = all;
  odd.members = {1, 3, 5};
  self.self = true;
  d.comms = {world, odd, self};
  return d;
}

// The events of all ranks, identical on every process. Each operation has its own Call, whose enter
// time is a unique multiple of `tick`.
std::vector<LocationEvents> random_run(std::mt19937& random, int messages, trace::Ticks tick) {
  std::vector<LocationEvents> all(kRanks);
  trace::Ticks now = 0;
  const auto call = [&](LocationEvents& events) {
    now += tick;
    events.calls.push_back({now, now + tick - 1, 0, false});
    return static_cast<std::uint32_t>(events.calls.size() - 1);
  };
  for (std::uint32_t r = 0; r < kRanks; ++r) all[r].location = r;
  for (int i = 0; i < messages; ++i) {
    const std::uint32_t from = random() % kRanks, to = random() % kRanks;
    const std::uint32_t comm = random() % 2, tag = random() % 3;
    if (random() % 10 != 0) {
      const auto at = call(all[from]);
      all[from].sends.push_back({to, comm, tag, at, at, 8, now + tick - 1});
    }
    if (random() % 10 != 0) {
      const auto at = call(all[to]);
      all[to].receives.push_back({from, comm, tag, at, at, 8, now});
    }
  }
  return all;
}

std::vector<LocationEvents> hosted(std::vector<LocationEvents>& all,
                                   const std::vector<std::uint32_t>& columns) {
  std::vector<LocationEvents> mine;
  for (const auto c : columns) mine.push_back(std::move(all[c]));
  return mine;
}

}  // namespace

TEST_CASE("every receive gets the send of its channel in order, the rest is unmatched") {
  parallel::Processes processes(MPI_COMM_WORLD);
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const auto definitions = ranks_and_comms(100);
    // Messages with large times and long calls are stored in another way.
    const unsigned bits[] = {0, 20, 33, 41};
    const auto tick = trace::Ticks{1} << bits[seed % 4];
    auto all = random_run(random, 300, tick);
    // Brute force uses a queue per channel.
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>,
             std::vector<trace::Ticks>>
        queues;
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      for (const auto& s : all[r].sends) {
        queues[{r, s.peer, s.comm, s.tag}].push_back(all[r].calls[s.call].enter);
      }
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, trace::Ticks> expected;  // rank, call
    std::int64_t missing_sends = 0, missing_receives = 0;
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      for (const auto& receive : all[r].receives) {
        auto& queue = queues[{receive.peer, r, receive.comm, receive.tag}];
        if (queue.empty()) {
          ++missing_sends;
        } else {
          expected[{r, receive.call}] = queue.front();
          queue.erase(queue.begin());
        }
      }
    }
    for (const auto& [key, queue] : queues) missing_receives += std::ssize(queue);

    const replay::Partition partition(definitions, processes.size());
    const auto mine = hosted(all, partition.locations_of(definitions, processes.rank()));
    std::int64_t matched = 0;
    const replay::MatchedMessages messages(definitions, partition, mine, processes);
    messages.for_each(
        mine, [&](std::size_t l, const trace::Message& receive, const replay::SentMessage& send) {
          ++matched;
          const auto rank = mine[l].location;
          REQUIRE(expected.contains({rank, receive.call}));
          CHECK(expected[{rank, receive.call}] == send.enter);
          CHECK(send.time == send.enter + tick - 1);
          CHECK(send.source == receive.peer);
          return true;
        });
    CHECK(processes.sum(matched) == std::ssize(expected));
    const auto& unmatched = messages.unmatched();
    CHECK(processes.sum(std::ssize(unmatched.receives)) == missing_sends);
    CHECK(processes.sum(std::ssize(unmatched.sends)) == missing_receives);
  }
}

TEST_CASE("collectives meet by communicator and instance") {
  parallel::Processes processes(MPI_COMM_WORLD);
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const auto definitions = ranks_and_comms(100);
    std::vector<LocationEvents> all(kRanks);
    for (std::uint32_t r = 0; r < kRanks; ++r) all[r].location = r;
    struct Truth {
      trace::Ticks latest = INT64_MIN;
      std::uint32_t rank = 0;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Truth> truth;  // comm, instance
    std::array<std::uint32_t, 3> next{};
    std::int64_t expected = 0;
    for (int i = 0; i < 200; ++i) {
      const std::uint32_t comm = random() % 3;
      const auto& members = definitions.comms[comm].members;
      auto& t = truth[{comm, next[comm]++}];
      for (std::uint32_t r = 0; r < kRanks; ++r) {
        if (comm != 2 && std::ranges::find(members, r) == members.end()) continue;
        auto& events = all[r];
        const trace::Ticks begin = random() % 50;  // ties are wanted: the lowest rank counts
        events.calls.push_back({begin, begin, 0, 0});
        events.kinds.push_back({comm, 0xffffffff, 11, false, 8, 8});
        const auto at = static_cast<std::uint32_t>(events.kinds.size() - 1);
        events.collectives.push_back({at, at, at, 0, begin, begin + 1});
        if (comm == 2) continue;
        ++expected;
        if (begin > t.latest) t = {begin, r};
      }
    }
    // One more operation on the world communicator that rank 6 never enters.
    for (std::uint32_t r = 0; r + 1 < kRanks; ++r) {
      all[r].calls.push_back({});
      all[r].kinds.push_back({0, 0xffffffff, 0, false, 0, 0});
      const auto at = static_cast<std::uint32_t>(all[r].kinds.size() - 1);
      all[r].collectives.push_back({at, at, at, 0, 99, 99});
    }

    const replay::Partition partition(definitions, processes.size());
    auto mine = hosted(all, partition.locations_of(definitions, processes.rank()));
    replay::count_instances(definitions, mine, processes);
    std::int64_t matched = 0;
    const auto unmatched = replay::match_collectives(
        definitions, mine, {}, processes,
        [&](std::size_t l, const trace::Collective& own, const replay::CollectiveSummary& sum) {
          ++matched;
          const auto& t = truth[{mine[l].kinds[own.kind].comm, own.instance}];
          CHECK(sum.latest.time == t.latest);
          CHECK(sum.latest.rank == t.rank);
        });
    CHECK(processes.sum(matched) == expected);
    CHECK(processes.sum(std::ssize(unmatched.calls)) == kRanks - 1);
  }
}

// Every process leaves out the operations of an interval of its own. What it would have recorded
// then is a gap. Neighboring gaps are sometimes merged.
TEST_CASE("what one side did not record shifts nothing") {
  parallel::Processes processes(MPI_COMM_WORLD);
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed + 100);
    const auto definitions = ranks_and_comms(100);
    std::vector<LocationEvents> all(kRanks);
    std::vector<std::pair<int, int>> off;
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      all[r].location = r;
      const int from = static_cast<int>(random() % 400);
      off.emplace_back(from, from + static_cast<int>(random() % 200));
    }
    std::map<std::pair<std::uint32_t, trace::Ticks>, trace::Ticks> expected;  // receive -> send
    std::int64_t edges = 0;
    for (int i = 0; i < 500; ++i) {
      const std::uint32_t from = random() % kRanks, to = random() % kRanks;
      const std::uint32_t comm = random() % 2, tag = random() % 2;
      const trace::Ticks sent = 2 * i, received = 2 * i + 1;
      const auto is_off = [&](std::uint32_t r) { return i >= off[r].first && i < off[r].second; };
      const auto add = [&](std::uint32_t rank, std::uint32_t peer, trace::Ticks now, auto& list,
                           auto& gaps) {
        if (is_off(rank)) {
          const auto before = static_cast<std::uint32_t>(list.size());
          if (!gaps.empty() && gaps.back().before == before && gaps.back().peer == peer &&
              gaps.back().comm == comm && gaps.back().tag == tag) {
            ++gaps.back().count;
          } else {
            gaps.push_back({1, before, comm, peer, tag, 0, now});
          }
          return;
        }
        all[rank].calls.push_back({now, now, 0, 0});
        const auto at = static_cast<std::uint32_t>(all[rank].calls.size() - 1);
        list.push_back({peer, comm, tag, at, at, 8, now});
      };
      add(from, to, sent, all[from].sends, all[from].send_gaps);
      add(to, from, received, all[to].receives, all[to].receive_gaps);
      if (!is_off(from) && !is_off(to)) expected[{to, received}] = sent;
      if (is_off(from) != is_off(to)) ++edges;
    }
    const replay::Partition partition(definitions, processes.size());
    auto mine = hosted(all, partition.locations_of(definitions, processes.rank()));
    const replay::MatchedMessages messages(definitions, partition, mine, processes);
    std::int64_t matched = 0;
    messages.for_each(
        mine, [&](std::size_t l, const trace::Message& receive, const replay::SentMessage& send) {
          ++matched;
          CHECK(expected[{mine[l].location, receive.time}] == send.time);
          return true;
        });
    CHECK(processes.sum(matched) == std::ssize(expected));
    CHECK(processes.sum(messages.unmatched().at_edges) == edges);
    CHECK(processes.sum(std::ssize(messages.unmatched().sends)) == 0);
    CHECK(processes.sum(std::ssize(messages.unmatched().receives)) == 0);
    CHECK(processes.sum(messages.unmatched().uneven_channels) == 0);
  }
}

TEST_CASE("gaps that do not fit are told") {
  parallel::Processes processes(MPI_COMM_WORLD);
  const auto definitions = ranks_and_comms(100);
  std::vector<LocationEvents> all(kRanks);
  for (std::uint32_t r = 0; r < kRanks; ++r) all[r].location = r;
  all[0].send_gaps.push_back({5, 0, 0, 1, 3, 0, 7});  // rank 1 has received four of them
  all[1].receive_gaps.push_back({4, 0, 0, 0, 3, 0, 8});
  all[2].receive_gaps.push_back({1, 0, 0, 3, 3, 0, 9});  // rank 3 has sent nothing
  const replay::Partition partition(definitions, processes.size());
  auto mine = hosted(all, partition.locations_of(definitions, processes.rank()));
  const replay::MatchedMessages messages(definitions, partition, mine, processes);
  CHECK(processes.sum(messages.unmatched().uneven_channels) == 2);
}

namespace {

replay::UnmatchedCollectives count_and_match(const trace::Definitions& definitions,
                                             std::vector<LocationEvents>& all,
                                             parallel::Processes& processes,
                                             const replay::OnCollective& on_collective) {
  const replay::Partition partition(definitions, processes.size());
  auto mine = hosted(all, partition.locations_of(definitions, processes.rank()));
  const auto counted = replay::count_instances(definitions, mine, processes);
  return replay::match_collectives(definitions, mine, counted, processes, on_collective);
}

}  // namespace

TEST_CASE("collectives that some did not record are told from those that some never entered") {
  parallel::Processes processes(MPI_COMM_WORLD);
  const auto definitions = ranks_and_comms(100);
  std::vector<LocationEvents> all(kRanks);
  const auto barrier = [&](std::uint32_t r, trace::Ticks begin) {
    all[r].calls.push_back({begin, begin + 1, 0, 0});
    all[r].kinds.push_back({0, 0xffffffff, 0, false, 0, 0});
    const auto at = static_cast<std::uint32_t>(all[r].kinds.size() - 1);
    all[r].collectives.push_back({at, at, at, 0, begin, begin + 1});
  };
  // Ten barriers; rank 0 did not record 3 to 6, rank 1 not 5. Rank 6 never enters the eleventh.
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    all[r].location = r;
    for (int i = 0; i < 11; ++i) {
      if (i == 10 && r == 6) continue;
      const bool off = (r == 0 && i >= 3 && i < 7) || (r == 1 && i == 5);
      if (!off) barrier(r, 100 * i + r);
      if (r == 0 && i == 3) all[r].collective_gaps.push_back({4, 3, 0, 0, 0, 0, 300});
      if (r == 1 && i == 5) all[r].collective_gaps.push_back({1, 5, 0, 0, 0, 0, 500});
    }
  }
  std::int64_t matched = 0;
  const auto unmatched = count_and_match(
      definitions, all, processes,
      [&](std::size_t, const trace::Collective& own, const replay::CollectiveSummary& sum) {
        ++matched;
        CHECK(sum.latest.time == 100 * (own.begin / 100) + kRanks - 1);
      });
  CHECK(processes.sum(matched) == 6 * kRanks);
  CHECK(processes.sum(std::ssize(unmatched.at_edges)) == 4 * kRanks - 5);
  CHECK(processes.sum(std::ssize(unmatched.calls)) == kRanks - 1);
}

TEST_CASE("an operation of others shifts and completes nothing") {
  // Ranks 1 and 4 have a communicator. Rank 0 claims to have taken part in their first operation,
  // rank 5 in one that no other rank has. Both are not members.
  parallel::Processes processes(MPI_COMM_WORLD);
  auto definitions = ranks_and_comms(100);
  definitions.comms[1].members = {1, 4};
  std::vector<LocationEvents> all(kRanks);
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    all[r].location = r;
    if (r != 0 && r != 1 && r != 4 && r != 5) continue;
    for (int i = 0; i < (r == 0 ? 1 : r == 5 ? 3 : 2); ++i) {
      const auto at = static_cast<std::uint32_t>(i);
      all[r].calls.push_back({100 * i + r, 100 * i + 50, 0, 0});
      all[r].kinds.push_back({1, 0xffffffff, 0, false, 0, 0});
      all[r].collectives.push_back({at, at, at, 0, 100 * i + r, 100 * i + 50});
    }
  }
  std::int64_t matched = 0;
  const auto unmatched = count_and_match(
      definitions, all, processes,
      [&](std::size_t, const trace::Collective& own, const replay::CollectiveSummary& sum) {
        ++matched;
        CHECK(sum.participants == 2);
        CHECK(sum.latest.time == 100 * (own.begin / 100) + 4);
      });
  CHECK(processes.sum(matched) == 4);
  CHECK(processes.sum(std::ssize(unmatched.calls)) == 1 + 3);
  CHECK(unmatched.at_edges.empty());
}

TEST_CASE("values by instance, however far they are apart") {
  trace::ByInstance<int> values;
  values[0xffffffff] = 3;
  values[1] = 1;
  values[70'000] = 2;
  std::vector<int> found;
  values.for_each([&](int value) {
    if (value != 0) found.push_back(value);
  });
  CHECK(found == std::vector{1, 2, 3});
  CHECK(values[70'000] == 2);
}

TEST_CASE("as many unrecorded operations as a trace likes take no time") {
  // Ranks 0 to 2 say that they did not record 2^32 - 16 operations; the largest possible number is
  // 14 more. Their next operations meet there. The others have an operation that no other rank has.
  parallel::Processes processes(MPI_COMM_WORLD);
  const auto definitions = ranks_and_comms(100);
  std::vector<LocationEvents> all(kRanks);
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    all[r].location = r;
    all[r].calls.push_back({100 + r, 200, 0, false});
    all[r].kinds.push_back({0, 0xffffffff, 0, false, 0, 0});
    all[r].collectives.push_back({0, 0, 0, 0, 100 + r, 200});
    if (r < 3) all[r].collective_gaps.push_back({0xfffffff0, 0, 0, 0, 0, 0, 50});
  }
  const auto unmatched = count_and_match(definitions, all, processes,
                                         [](std::size_t, const trace::Collective&,
                                            const replay::CollectiveSummary&) { CHECK(false); });
  CHECK(processes.sum(std::ssize(unmatched.at_edges) + std::ssize(unmatched.calls)) == kRanks);
}
