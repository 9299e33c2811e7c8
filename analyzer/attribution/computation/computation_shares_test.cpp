// SPDX-License-Identifier: BSD-3-Clause
// Shares of computing time, and the tree of call paths with them.
#include "analyzer/attribution/computation/computation_shares.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "tests/replay/sampled_trace.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

using Shares = std::vector<std::int64_t>;

Shares shares_of(std::int64_t amount, const std::vector<std::uint64_t>& weights) {
  std::vector<trace::SampledPlace> places;
  for (const auto weight : weights) places.push_back({.weight = weight});
  return replay::divided(amount, places);
}

}  // namespace

TEST_CASE("an amount is divided without a rest") {
  // 10 / 7 = 1.43: 4.28, 4.28, 1.43. Rounded down 4 + 4 + 1; the last has the largest rest.
  CHECK(shares_of(10, {3, 3, 1}) == Shares{4, 4, 2});
  CHECK(shares_of(2, {1, 1, 1}) == Shares{1, 1, 0});  // the first among equals
  CHECK(shares_of(0, {1, 2}) == Shares{0, 0});
  CHECK(shares_of(-5, {1, 2}) == Shares{0, 0});
  CHECK(shares_of(5, {}).empty());
  CHECK(shares_of(INT64_MAX, {UINT64_MAX, UINT64_MAX}) == Shares{INT64_MAX / 2 + 1, INT64_MAX / 2});
  std::mt19937_64 random(5);
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::uint64_t> weights(1 + random() % 20);
    for (auto& weight : weights) weight = 1 + (random() >> random() % 64);
    const auto amount = static_cast<std::int64_t>(random() >> (1 + random() % 62));
    const auto shares = shares_of(amount, weights);
    CHECK(std::accumulate(shares.begin(), shares.end(), std::int64_t{0}) == amount);
    // No share differs from the exact one by 1 or more.
    long double all = 0;
    for (const auto weight : weights) all += static_cast<long double>(weight);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const auto exact =
          static_cast<long double>(amount) * static_cast<long double>(weights[i]) / all;
      CHECK(std::abs(static_cast<long double>(shares[i]) - exact) <= 1.01L + exact * 1e-15L);
    }
  }
}

TEST_CASE("time without a processor is not divided") {
  // 1000 samples of 10 ms are 10 s with an error of 10 / sqrt(1000) = 0.32 s.
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::vector<trace::SampledPlace> places = {
      {.count = 400, .weight = 4'000'000'000, .squares = 400e14},
      {.count = 600, .weight = 6'000'000'000, .squares = 600e14}};
  const auto on = [&](std::int64_t time) { return replay::on_processor(time, kSecond, places); };
  CHECK(on(12 * kSecond) == 10 * kSecond);
  CHECK(on(10 * kSecond + kSecond / 2) == 10 * kSecond + kSecond / 2);
  CHECK(on(9 * kSecond) == 9 * kSecond);
  CHECK(on(0) == 0);
  CHECK(on(-1) == -1);
  CHECK(replay::on_processor(5, kSecond, {}) == 5);
  // 10 samples of 0.9 s beside 100 of 10 ms stand for 10 s, too. Their error is sqrt(8.1 + 0.01) =
  // 2.85 s, so 18 s may all have been on a processor, and 19 s were not.
  const std::vector<trace::SampledPlace> rates = {
      {.count = 10, .weight = 9'000'000'000, .squares = 10 * 0.81e18},
      {.count = 100, .weight = 1'000'000'000, .squares = 100e14}};
  CHECK(replay::on_processor(18 * kSecond, kSecond, rates) == 18 * kSecond);
  CHECK(replay::on_processor(19 * kSecond, kSecond, rates) == 10 * kSecond);
  // Ticks of 100 ns.
  CHECK(replay::on_processor(120'000'000, 10'000'000, places) == 100'000'000);
  // The same samples at one place: only the squares tell.
  const std::vector<trace::SampledPlace> one = {
      {.count = 110, .weight = 10'000'000'000, .squares = 10 * 0.81e18 + 100e14}};
  CHECK(replay::on_processor(18 * kSecond, kSecond, one) == 18 * kSecond);
  CHECK(replay::on_processor(19 * kSecond, kSecond, one) == 10 * kSecond);
  const std::vector<trace::SampledPlace> most = {
      {.count = 1, .weight = UINT64_MAX, .squares = 3.4e38}};
  CHECK(replay::on_processor(INT64_MAX, UINT64_MAX, most) == INT64_MAX);
}

TEST_CASE("computing time goes to the call paths of its samples") {
  // Rank 0 computes from 1 to 11 and from 11 to 12 in main: 11 s. Its samples stand for 1 + 3 s in
  // relax and 1 s in norm: 11 * 4/5 = 8.8 and 11 * 1/5 = 2.2. Rank 1 computes from 1 to 2 and from
  // 11 to 12, without a sample; the one in MPI_Barrier is only counted.
  const auto report = analyze(sampled_ranks());
  const auto time = report.metric("time"), comp = report.metric("comp");
  CHECK(time.at(rank(0), path("main")) == 0);
  CHECK(time.at(rank(0), path("main/relax")) == 8'800_ms);
  CHECK(comp.at(rank(0), path("relax/norm")) == 2'200_ms);
  CHECK(time.at(rank(1), path("main")) == 2_s);
  CHECK(time.at(rank(1), path("relax")) == 0);
  CHECK(time.total() == 26_s);
  CHECK(comp.total() == 13_s);
  CHECK(report.metric("visits").at(path("relax")) == 0);
  // Imbalance compares the times of call paths before they are divided: (11 - 6.5) + (6.5 - 2).
  CHECK(report.metric("imbalance").at(path("main")) == 9_s);
  CHECK(report.metric("imbalance").at(path("relax")) == 0);
}

namespace {

// One rank computes in main from 1 to 13, with 4 samples of 1 s. The kernel says that it had no
// core for 2 s and was blocked for `blocked` s, until second 12.
TraceBuilder switched_rank(std::uint64_t blocked) {
  TraceBuilder t(1);
  t.property("LATECOMER::SAMPLES", "4");
  t.model().generators = {{.period = 1'000'000'000},
                          {.period = 1'000'000'000, .name = "processor time in the kernel"}};
  t.model().counters = {{"preempted", "s", -9}, {"blocked", "s", -9}, {"page faults"}, {"other"}};
  const auto relax = stack(t, {"main", "relax"}, 88);
  t.init({{0, 1}}).enter(0, "main", at(1));
  counted(t, 0, at(1), {7, 0, 0, 100});
  for (int i = 2; i <= 5; ++i) sample(t, 0, at(i), relax, i == 5 ? 1 : 0);
  counted(t, 0, at(12), {7 + 2'000'000'000, blocked * 1'000'000'000, 640, 103});
  t.enter(0, "MPI_Barrier", at(12)).leave(0, at(12)).leave(0, at(13));
  return t.finalize({{13, 14}});
}

}  // namespace

TEST_CASE("time without a core, as the kernel says, is not divided") {
  // main has 12 s. 2 s without a core and 6 s blocked remain there, and 4 s go to relax. One of
  // four samples is in the kernel.
  const auto report = analyze(switched_rank(6));
  CHECK(report.metric("comp").at(path("main")) == 8_s);
  CHECK(report.metric("comp").at(path("main/relax")) == 4_s);
  CHECK(report.metric("comp_preempted").at(path("main")) == 2_s);
  CHECK(report.metric("comp_blocked").at(path("main")) == 6_s);
  CHECK(report.metric("page_faults").at(path("main")) == 640);
  CHECK(report.metric("counter_other").at(path("main")) == 3);
  const auto computation = report.extras().at("computation");
  CHECK(computation.at("not_computing").at("preempted").get<double>() == Approx(2));
  CHECK(computation.at("not_computing").at("blocked").get<double>() == Approx(6));
  CHECK(computation.at("not_computing").at("kernel").get<double>() == Approx(1));
  CHECK(computation.at("not_computing").at("off_processor").get<double>() == Approx(0));
  CHECK(report.metric("comp").total() == 12_s);
}

TEST_CASE("more time without a core than there is") {
  // 2 s and 10 s fill the 12 s. 30 s, as in a damaged archive, are cut to the same.
  for (const std::uint64_t blocked : {10, 30}) {
    const auto report = analyze(switched_rank(blocked));
    CHECK(report.metric("comp_blocked").at(path("main")) == 10_s);
    CHECK(report.metric("comp").at(path("main")) == 12_s);
    CHECK(report.metric("comp").total() == 12_s);
  }
}

TEST_CASE("counters that are not computed") {
  auto t = sampled_ranks();
  CHECK_THROWS(analyze(std::move(t)).metric("comp_blocked").total());
}

namespace {

// Three ranks that enter and leave functions at random, with or without samples. With `others` the
// samples are in functions that are never entered.
TraceBuilder random_run(std::uint64_t seed, bool others, bool samples) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t end) { return random() % end; };
  const std::vector<std::string> names = {"main", "solve", "relax", "norm", "MPI_Bcast", "tiny"};
  const std::string mark = others ? "'" : "";
  TraceBuilder t(3);
  if (samples) t.property("LATECOMER::SAMPLES", "1");
  for (const std::uint64_t period : {0, 1, 10'000'000, 2'000'000'000}) {
    t.model().generators.push_back({.period = period});
  }
  std::vector<std::uint32_t> stacks;
  for (int i = 0; i < 20; ++i) {
    std::vector<std::string> functions = {"main" + mark};
    for (auto depth = below(6); depth > 0; --depth) {
      functions.push_back(names[below(names.size())] + mark);
    }
    if (functions.size() > 1 && below(4) == 0) functions.erase(functions.begin());
    stacks.push_back(stack(t, functions, static_cast<std::uint32_t>(below(3))));
  }
  t.init({{0, 1}, {0, 1}, {0, 1}});
  for (int rank = 0; rank < 3; ++rank) {
    int open = 0;
    for (int i = 0; i < 60; ++i) {
      const auto now = at(2 + i);
      const auto kind = below(10), name = below(names.size()), context = below(stacks.size() + 1),
                 generator = below(5);
      if (kind < 3) {
        t.enter(rank, names[name], now);
        ++open;
      } else if (kind < 5 && open > 0) {
        t.leave(rank, now);
        --open;
      } else if (samples && kind < 9) {
        sample(t, rank, now, context < stacks.size() ? stacks[context] : 777,
               static_cast<std::uint32_t>(generator));
      }
    }
    for (; open > 0; --open) t.leave(rank, at(70));
  }
  t.finalize({{80, 81}, {80, 81}, {80, 81}});
  return t;
}

// Times of a call path with all below it.
std::int64_t inclusive(const AnalyzedTrace& report, const char* metric, const std::string& where) {
  std::int64_t sum = 0;
  const auto all = report.call_paths();
  for (const auto& one : all) {
    if (one == where || one.starts_with(where + "/")) sum += report.metric(metric).at(path(one));
  }
  return sum;
}

}  // namespace

TEST_CASE("samples change no sum, and no inclusive time of an open call path") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const bool others = seed % 2 == 0;
    const auto with = analyze(random_run(seed, others, true)),
               without = analyze(random_run(seed, others, false));
    for (const char* metric : {"time", "comp", "mpi", "imbalance", "visits"}) {
      CAPTURE(metric);
      CHECK(with.metric(metric).total() == without.metric(metric).total());
    }
    // A function that is entered may also be sampled where it was not entered. Then it has more.
    for (const auto& where : without.call_paths()) {
      CAPTURE(where);
      for (const char* metric : {"time", "comp"}) {
        const auto more = inclusive(with, metric, where) - inclusive(without, metric, where);
        CHECK(more >= 0);
        if (others) CHECK(more == 0);
      }
    }
  }
}
