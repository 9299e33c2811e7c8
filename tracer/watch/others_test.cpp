// SPDX-License-Identifier: BSD-3-Clause
// Watchers that share the ranks of a run find together what one watcher of all ranks finds.
#include "tracer/watch/others.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "tests/support/random_calls.hpp"

using namespace latecomer::watch;
using latecomer::patterns::CollectiveOperation;
using latecomer::test::define;
using latecomer::test::kRanks;
using latecomer::test::Program;
using latecomer::test::random_program;
using latecomer::test::WatchedCall;

namespace {

using Numbers = std::map<std::string, std::int64_t>;

// Adds what a watcher knows. Numbers of one watcher only, and those that are sums of all.
void add(Numbers& all, const Watcher& watcher) {
  const WaitSums sums = watcher.waits();
  const auto name = [](auto... parts) {
    std::string text;
    ((text += parts, text += ' '), ...);
    return text;
  };
  const auto n = [](auto number) { return std::to_string(static_cast<std::int64_t>(number)); };
  for (Rank rank = 0; rank < sums.ranks().size(); ++rank) {
    const RankSums& one = sums.ranks()[rank];
    all[name("caused", n(rank))] += one.caused;
    if (watcher.is_elsewhere(rank)) continue;
    all[name("mpi", n(rank))] += one.mpi;
    all[name("run", n(rank))] += one.run();
    all[name("known", n(rank))] += one.known();
    // Recent waits of senders are counted before it is known which messages were eager.
    all[name("recent", n(rank))] += one.recent_mpi.between(0, 1000);
    for (std::size_t kind = 0; kind < kWaitKinds; ++kind) {
      all[name("count", n(rank), n(kind))] += one.waits[kind].count;
      all[name("time", n(rank), n(kind))] += one.waits[kind].time;
    }
  }
  for (const auto& [key, sum] : sums.places()) {
    const auto& [path, kind, rank] = key;
    all[name("place", n(path), n(kind), n(rank), n(sum.count))] += sum.time;
  }
  for (const auto& [key, sum] : sums.causes()) {
    const auto& [path, kind, rank] = key;
    all[name("cause", n(path), n(kind), n(rank))] += sum.time;
  }
  for (const auto& [key, sum] : sums.node_pairs()) {
    const auto& [kind, waiting, other] = key;
    all[name("pair", n(kind), n(waiting), n(other))] += sum.time;
  }
  for (const auto& [site, of] : watcher.collectives().sites()) {
    const std::string key = name("site", n(site.comm), n(site.operation), n(site.path));
    all[key] = of.operations;
    for (const auto& [rank, one] : of.ranks) {
      std::string text = name(key, n(rank), n(one.first), n(one.last), n(one.left_first));
      for (const auto count : one.arrivals) text += ' ' + n(count);
      for (const auto count : one.departures) text += ' ' + n(count);
      all[text + " arrival"] += one.arrival.sum();
      all[text + " median"] += one.departure.latest_median();
    }
  }
  all["matched"] += watcher.messages().matched;
  all["pending"] += watcher.messages().pending + watcher.collectives().counts().pending;
  all["left out"] += watcher.messages().left_out() + watcher.collectives().counts().left_out();
  all["finished"] += watcher.collectives().counts().finished;
  all["seen"] += watcher.collectives().counts().seen + watcher.messages().sends;
}

// Numbers that differ; empty: none.
std::string difference(const Numbers& found, const Numbers& expected) {
  std::string text;
  for (const auto& [name, number] : expected) {
    const auto at = found.find(name);
    if (at == found.end() || at->second != number)
      text += name + ": " + (at == found.end() ? "none" : std::to_string(at->second)) + " for " +
              std::to_string(number) + '\n';
  }
  for (const auto& [name, number] : found) {
    if (!expected.contains(name)) text += name + ": " + std::to_string(number) + '\n';
  }
  return text;
}

// Several watchers, each of which tells the others in order.
struct Watchers {
  std::vector<std::size_t> owner;
  std::vector<std::unique_ptr<Watcher>> all;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<RemoteOperation>> queues;

  explicit Watchers(std::vector<std::size_t> of) : owner(std::move(of)) {
    const std::size_t count = *std::ranges::max_element(owner) + 1;
    for (std::size_t w = 0; w < count; ++w) {
      Watcher& one = *all.emplace_back(std::make_unique<Watcher>());
      define(one);
      for (Rank rank = 0; rank < kRanks; ++rank) {
        if (owner[rank] != w) one.set_elsewhere(rank);
      }
      one.tell_others([this, w, count](const RemoteOperation& operation) {
        for (std::size_t to = 0; to < count; ++to) {
          if (to != w) queues[{w, to}].push_back(operation);
        }
      });
    }
  }
  // Hands over the first of those that are on their way.
  void deliver(std::pair<std::size_t, std::size_t> way) {
    all[way.second]->take(queues[way].front());
    queues[way].pop_front();
  }
  void deliver_all() {
    for (bool any = true; any;) {
      any = false;
      for (auto& [way, queue] : queues) {
        for (; !queue.empty(); any = true) deliver(way);
      }
    }
  }
  [[nodiscard]] Numbers numbers() const {
    Numbers sum;
    for (const auto& one : all) add(sum, *one);
    return sum;
  }
};

}  // namespace

TEST_CASE("watchers that share the ranks find together what one finds") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Program program = random_program(seed);
    Watcher one;
    define(one);
    for (const auto& calls : program) latecomer::test::tell(one, calls);
    one.finish();
    Numbers expected;
    add(expected, one);
    REQUIRE(expected["matched"] > 0);
    REQUIRE(expected["finished"] > 0);
    std::mt19937 random(seed + 1000);
    for (const std::vector<std::size_t>& owner : {std::vector<std::size_t>{0, 0, 1, 1, 1},
                                                  {0, 1, 2, 3, 4},
                                                  {0, 1, 0, 1, 0},
                                                  {1, 2, 2, 0, 1}}) {
      Watchers watchers(owner);
      std::vector<std::size_t> next(kRanks);
      for (std::vector<Rank> left = {0, 1, 2, 3, 4}; !left.empty();) {
        const std::size_t i = random() % left.size();
        const Rank rank = left[i];
        program[rank][next[rank]].tell(*watchers.all[owner[rank]]);
        if (++next[rank] == program[rank].size())
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        for (auto& [way, queue] : watchers.queues) {
          if (!queue.empty() && random() % 3 == 0) watchers.deliver(way);
        }
      }
      watchers.deliver_all();
      for (const auto& watcher : watchers.all) watcher->finish();
      watchers.deliver_all();
      CHECK(difference(watchers.numbers(), expected) == "");
    }
  }
}

// Rank 0 of one watcher sends three messages to rank 1 of another; the second one is not told.
//
//   rank 0   sends at 0, 100, 200
//   rank 1   receives 10 to 20, 60 to 150, 170 to 250: waits 0, 40 (not known), 30
TEST_CASE("what is lost between watchers is left out, and later messages still match") {
  Watcher receiver;
  receiver.define(0, {0, 1});
  receiver.set_elsewhere(0);
  std::vector<RemoteOperation> told;
  Watcher sender;
  sender.define(0, {0, 1});
  sender.set_elsewhere(1);
  sender.tell_others([&](const RemoteOperation& operation) { told.push_back(operation); });
  WatchedCall(0, 0, 5).send(1).tell(sender);
  WatchedCall(0, 100, 105).send(1).tell(sender);
  WatchedCall(0, 200, 205).send(1).tell(sender);
  REQUIRE(told.size() == 3);
  WatchedCall(1, 10, 20).receive(0).tell(receiver);
  WatchedCall(1, 60, 150).receive(0).tell(receiver);
  WatchedCall(1, 170, 250).receive(0).tell(receiver);
  receiver.take(told[0]);
  receiver.take(told[2]);
  CHECK(latecomer::test::wait_of(receiver.waits(), 1, WaitKind::kLateSender) == 30);
  CHECK(receiver.messages().matched == 2);
  CHECK(receiver.messages().not_recorded == 1);
  CHECK(receiver.messages().pending == 0);
  CHECK(sender.messages().pending == 3);  // nobody has told it of the receives
}

// Rank 1 is cut at the begin of its wait for rank 0 of the other watcher, which has lost records.
TEST_CASE("a loss is told to the others") {
  Watchers watchers({0, 1, 1, 1, 1});
  using latecomer::patterns::CollectiveOperation;
  WatchedCall(1, 100, 200).collective(CollectiveOperation::kBarrier).tell(*watchers.all[1]);
  watchers.all[0]->lose(0);
  watchers.deliver_all();
  WatchedCall(2, 150, 200).collective(CollectiveOperation::kBarrier).tell(*watchers.all[1]);
  const CollectiveCounts& counts = watchers.all[1]->collectives().counts();
  CHECK(counts.after_loss == 2);
  CHECK(counts.pending == 0);
  CHECK(watchers.all[1]->waits().ranks()[1].known_until == 100);
  CHECK(watchers.all[1]->waits().ranks()[2].known_until == 150);
}
