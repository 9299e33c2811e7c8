// SPDX-License-Identifier: BSD-3-Clause
// Statistics and worst instances on any number of processes, compared with all values sorted in one
// place.
#include "analyzer/booking/statistics.hpp"

#include <mpi.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

using namespace latecomer;
using replay::Instance;
using trace::Ticks;

namespace {

// The smallest value that is at least as large as `quarters` quarters of all values.
Ticks nearest_rank(const std::vector<Ticks>& sorted, std::size_t quarters) {
  std::size_t place = 0;
  while (4 * (place + 1) < quarters * sorted.size()) ++place;
  return sorted[place];
}

bool same(const Instance& a, const Instance& b) {
  return !a.worse_than(b) && !b.worse_than(a) && a.exit == b.exit && a.cause == b.cause;
}

}  // namespace

TEST_CASE("worked example") {
  // Waits 1 2 3 4 10: mean 4, variance (9 + 4 + 1 + 0 + 36) / 5 = 10, quartiles 2 3 4.
  parallel::Processes processes(MPI_COMM_WORLD);
  replay::Statistics statistics(3);
  for (const Ticks wait : {4, 10, 1, 3, 2}) {
    if (wait % processes.size() != processes.rank()) continue;
    statistics.add(2, wait);
    statistics.add(
        2, Instance{wait, 0, wait, 7, static_cast<std::uint32_t>(wait), 0, 0, 0, 1, 0, wait});
  }
  const auto found = statistics.find(processes);
  REQUIRE(found.size() == 1);
  CHECK(found[0].metric == 2);
  CHECK(found[0].count == 5);
  CHECK(found[0].sum == 20);
  CHECK(found[0].variance == Approx(10));
  CHECK(found[0].quartile25 == 2);
  CHECK(found[0].median == 3);
  CHECK(found[0].quartile75 == 4);
  CHECK(found[0].worst.size() == 5);
  CHECK(found[0].worst[0].rank == 10);
  REQUIRE(found[0].by_path.size() == 1);  // all have one call path
  CHECK(found[0].by_path[0].wait == 10);
}

TEST_CASE("waits of more than four bytes") {
  // 1, 2^32 - 1, 2^32, 2^40: the quartiles are the first three.
  parallel::Processes processes(MPI_COMM_WORLD);
  replay::Statistics statistics(1);
  const Ticks waits[] = {Ticks{1} << 40, 1, Ticks{1} << 32, (Ticks{1} << 32) - 1};
  for (int i = 0; i < 4; ++i) {
    if (i % processes.size() == processes.rank()) statistics.add(0, waits[i]);
  }
  const auto found = statistics.find(processes);
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 4);
  CHECK(found[0].sum == waits[0] + waits[1] + waits[2] + waits[3]);
  CHECK(found[0].minimum == 1);
  CHECK(found[0].maximum == waits[0]);
  CHECK(found[0].quartile25 == 1);
  CHECK(found[0].median == waits[3]);
  CHECK(found[0].quartile75 == waits[2]);
}

TEST_CASE("without waits there is nothing") {
  parallel::Processes processes(MPI_COMM_WORLD);
  CHECK(replay::Statistics(5).find(processes).empty());
}

TEST_CASE("random waits against brute force") {
  parallel::Processes processes(MPI_COMM_WORLD);
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);  // gives the same numbers on all processes
    constexpr std::size_t kMetrics = 3;
    replay::Statistics statistics(kMetrics);
    std::vector<std::vector<Instance>> all(kMetrics);
    const auto count = random() % (seed % 2 == 0 ? 30 : 3000);
    // Few bits give many ties. With many bits the sums of 3000 waits still fit, as those of a run
    // do.
    const unsigned bits = 1 + static_cast<unsigned>(random() % 50);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t metric = random() % kMetrics;
      Instance one;
      one.wait = 1 + static_cast<Ticks>(random() >> (64 - bits));
      one.enter = static_cast<Ticks>(random() % 1'000'000);
      one.exit = one.enter + one.wait;
      one.call_path = static_cast<std::uint32_t>(random() % 20);
      one.rank = static_cast<std::uint32_t>(i);
      one.cause = static_cast<std::uint32_t>(random() % 7);
      all[metric].push_back(one);
      if (random() % static_cast<unsigned>(processes.size()) ==
          static_cast<unsigned>(processes.rank())) {
        statistics.add(metric, one.wait);
        statistics.add(metric, one);
      }
    }
    // The distribution must be the same for all processes. It is, because they draw with the same
    // seed.
    const auto found = statistics.find(processes);
    std::size_t next = 0;
    for (std::uint32_t m = 0; m < kMetrics; ++m) {
      auto& instances = all[m];
      if (instances.empty()) continue;
      REQUIRE(next < found.size());
      const auto& one = found[next++];
      INFO("seed " << seed << " metric " << m);
      CHECK(one.metric == m);
      std::ranges::sort(instances,
                        [](const Instance& a, const Instance& b) { return a.worse_than(b); });
      std::vector<Ticks> waits;
      long double mean = 0, squares = 0;
      for (const auto& i : instances) waits.push_back(i.wait);
      std::ranges::sort(waits);
      for (const Ticks w : waits) mean += static_cast<long double>(w) / std::ssize(waits);
      for (const Ticks w : waits) squares += (w - mean) * (w - mean) / std::ssize(waits);
      CHECK(one.count == std::ssize(waits));
      CHECK(one.minimum == waits.front());
      CHECK(one.maximum == waits.back());
      CHECK(one.quartile25 == nearest_rank(waits, 1));
      CHECK(one.median == nearest_rank(waits, 2));
      CHECK(one.quartile75 == nearest_rank(waits, 3));
      CHECK(std::abs(static_cast<long double>(one.variance) - squares) <=
            1e-9L * (squares + mean * mean));
      REQUIRE(one.worst.size() == std::min<std::size_t>(10, instances.size()));
      for (std::size_t i = 0; i < one.worst.size(); ++i) CHECK(same(one.worst[i], instances[i]));
      std::map<std::uint32_t, Instance> paths;
      std::vector<Instance> by_path;
      for (const auto& i : instances) {
        if (paths.try_emplace(i.call_path, i).second) by_path.push_back(i);
      }
      REQUIRE(one.by_path.size() == std::min<std::size_t>(5, by_path.size()));
      for (std::size_t i = 0; i < one.by_path.size(); ++i) CHECK(same(one.by_path[i], by_path[i]));
    }
    CHECK(next == found.size());
  }
}
