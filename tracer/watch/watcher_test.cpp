// SPDX-License-Identifier: BSD-3-Clause
// A random program gives the same result in whatever order its ranks are looked at.
#include "tracer/watch/watcher.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "tests/support/random_calls.hpp"

using namespace latecomer::watch;
using latecomer::patterns::CallKind;
using latecomer::patterns::CollectiveOperation;
using latecomer::patterns::SendMode;
using latecomer::test::define;
using latecomer::test::kRanks;
using latecomer::test::Program;
using latecomer::test::random_program;
using latecomer::test::WatchedCall;

namespace {

// Everything that is known, as text.
std::string told(const Watcher& watcher) {
  std::string text;
  const auto put = [&](auto... values) { ((text += std::to_string(values) + ' '), ...); };
  const WaitSums sums = watcher.waits();
  for (const RankSums& rank : sums.ranks()) {
    put(rank.waiting(), rank.caused, rank.mpi, rank.first, rank.last);
    put(rank.recent_mpi.between(0, 1000));
    for (const Sum& sum : rank.waits) put(sum.count, sum.time);
  }
  for (const auto& [key, sum] : sums.places())
    put(std::get<0>(key), static_cast<int>(std::get<1>(key)), std::get<2>(key), sum.count,
        sum.time);
  for (const auto& [key, sum] : sums.node_pairs())
    put(std::get<1>(key), std::get<2>(key), sum.time);
  for (const auto& [site, all] : watcher.collectives().sites()) {
    put(site.comm, site.operation, site.path, all.operations);
    for (const auto& [rank, one] : all.ranks) {
      put(rank, one.count, one.first, one.last, one.left_first, one.left_last);
      for (const auto count : one.arrivals) put(count);
      for (const auto count : one.departures) put(count);
      for (const TimeSpread* spread : {&one.arrival, &one.departure})
        put(spread->sum(), spread->least(), spread->largest(), spread->deviation(),
            spread->latest_median());
    }
  }
  put(watcher.messages().matched, watcher.messages().pending,
      watcher.collectives().counts().finished);
  return text;
}

}  // namespace

TEST_CASE("the result does not depend on the interleaving of the ranks") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Program program = random_program(seed);
    Watcher one_by_one;
    define(one_by_one);
    for (const auto& calls : program) latecomer::test::tell(one_by_one, calls);
    one_by_one.finish();
    const std::string expected = told(one_by_one);
    REQUIRE(one_by_one.messages().matched > 0);
    REQUIRE(one_by_one.collectives().counts().finished > 0);
    std::mt19937 random(seed + 1000);
    for (int order = 0; order < 10; ++order) {
      Watcher watcher;
      define(watcher);
      std::vector<std::size_t> next(kRanks);
      for (std::vector<Rank> left = {0, 1, 2, 3, 4}; !left.empty();) {
        const std::size_t i = random() % left.size();
        const Rank rank = left[i];
        program[rank][next[rank]].tell(watcher);
        if (++next[rank] == program[rank].size())
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      }
      watcher.finish();
      REQUIRE(told(watcher) == expected);
    }
  }
}

TEST_CASE("waits() does not change what is watched") {
  const Program program = random_program(3);
  Watcher asked, silent;
  define(asked);
  define(silent);
  for (const auto& calls : program) {
    for (const WatchedCall& call : calls) {
      call.tell(asked);
      call.tell(silent);
      static_cast<void>(asked.waits());
    }
  }
  CHECK(told(asked) == told(silent));
}
