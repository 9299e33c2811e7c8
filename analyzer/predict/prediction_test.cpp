// SPDX-License-Identifier: BSD-3-Clause
// Predictions of changed runs: traces of a few lines, the arithmetic, the exact numbers.
#include "analyzer/predict/prediction.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/replay/sampled_trace.hpp"
#include "tests/replay/two_ranks.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

// Patterns of these tests are whole names of functions.
Result<predict::ChosenPaths> choose(const report::Definitions& d, const std::string& name) {
  predict::ChosenPaths chosen;
  for (const auto& path : d.call_paths) {
    const bool fits = d.regions[path.region].name == name;
    const bool below = path.parent != report::kNone && chosen.with_callees[path.parent];
    chosen.fitting.push_back(fits);
    chosen.with_callees.push_back(fits || below);
  }
  return chosen;
}

struct Wanted {
  const char* option;
  const char* value;
};

report::Prediction predicted(const TraceBuilder& trace, std::initializer_list<Wanted> changes) {
  replay::Options options;
  options.what_if.emplace().choose = choose;
  for (const auto& [option, value] : changes) {
    const auto change = predict::read_change(option, value);
    if (!change) throw std::runtime_error(change.problem().text());
    options.what_if->changes.push_back(*change);
  }
  return analyze(trace, options).prediction();
}

double wait_before(const report::Prediction& prediction, const std::string& metric) {
  for (const auto& one : prediction.by_state) {
    if (one.metric == metric) return one.before;
  }
  return 0;
}
double wait_after(const report::Prediction& prediction, const std::string& metric) {
  for (const auto& one : prediction.by_state) {
    if (one.metric == metric) return one.after;
  }
  return 0;
}

}  // namespace

TEST_CASE("prediction: the slower of two twice as fast") {
  // 0 works 4 / 2 = 2 and sends at 3. 1 has worked at 3: it waits for nothing, and the message is
  // there at 3 + 2 = 5. It comes to MPI_Finalize at 5 + 5 = 10, which ends at 11. 0 comes at 3 + 1
  // + 4 = 8 and waits 2.
  const auto prediction = predicted(two(), {{"speed", "work@rank 0 x2"}});
  CHECK(prediction.recorded == 13);
  CHECK(prediction.predicted == 11);
  CHECK(prediction.least == 11);
  CHECK(prediction.most == 11);
  CHECK(prediction.changed_before == 4);
  CHECK(prediction.changed_after == 2);
  CHECK(prediction.changed_call_paths == 1);
  CHECK(prediction.changed_locations == 1);
  CHECK(wait_before(prediction, "mpi_latesender") == 2);
  CHECK(wait_after(prediction, "mpi_latesender") == 0);
  CHECK(wait_before(prediction, "mpi_finalize_wait") == 2);
  CHECK(wait_after(prediction, "mpi_finalize_wait") == 2);
  REQUIRE(prediction.by_rank.size() == 2);
  CHECK(prediction.by_rank[0].before == 2);
  CHECK(prediction.by_rank[1].before == 2);
  CHECK(prediction.by_rank[1].after == 0);
  CHECK(prediction.changes == std::vector<std::string>{"--speed 'work@rank 0 x2'"});
}

TEST_CASE("prediction: what limits the changed run") {
  // Recorded: 0 works 1..5 and sends; 1 has the message at 7, works until 12 and lets 0 wait
  // from 10. The critical path: 0 until 5, 1 from there to 13. Waits: 2 for the work of 0, 2 for
  // what 1 did outside of functions. With the work of 0 twice as fast it sends at 3, when 1 comes.
  // 1 waits for nothing, ends at 11, and 0 waits 10 - 8 for it: all waiting has its cause in 1.
  const auto prediction = predicted(two(), {{"speed", "work@rank 0 x2"}});
  REQUIRE(prediction.limits);
  const auto& limits = *prediction.limits;
  CHECK(limits.caused_before == 4);
  CHECK(limits.caused_after == 2);
  // The delay of 1 is divided between its receive and its own work.
  REQUIRE(limits.causes.size() == 3);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(limits.causes[i].rank == 1);
  }
  CHECK(limits.causes[0].before + limits.causes[1].before == Approx(2));
  CHECK(limits.causes[0].after + limits.causes[1].after == Approx(2));
  CHECK(limits.causes[2].names == std::vector<std::string>{"program", "work"});
  CHECK(limits.causes[2].rank == 0);
  CHECK(limits.causes[2].before == 2);
  CHECK(limits.causes[2].after == 0);
  const auto wait = [&](const std::string& metric) {
    return std::ranges::find(limits.waits, metric, &report::Prediction::Limit::metric);
  };
  REQUIRE(wait("mpi_latesender") != limits.waits.end());
  CHECK(wait("mpi_latesender")->before == 2);
  CHECK(wait("mpi_latesender")->after == 0);
  CHECK(wait("mpi_finalize_wait")->after == 2);
  // The run becomes 2 shorter, and so does its critical path.
  CHECK(limits.path_before - limits.path_after == 2);
}

TEST_CASE("prediction: work in balance") {
  // The mean is (4 + 2) / 2 = 3. 0 sends at 4. 1 keeps its 2, waits 4 - 3 = 1, and has room for the
  // work that it gets. The message comes at 6. 1: 6 + 5 = 11, then 1 in MPI_Finalize.
  const auto prediction = predicted(two(), {{"balance", "work"}});
  CHECK(prediction.predicted == 12);
  CHECK(prediction.changed_before == 4);
  CHECK(prediction.changed_after == 3);
  CHECK(prediction.changed_locations == 1);
  CHECK(wait_after(prediction, "mpi_latesender") == 1);
  CHECK(prediction.moved_work == 1);  // 4 - 3, which 1 does where it waits 1
}

TEST_CASE("prediction: balance and speed at once") {
  // 0 works 3 / 3 = 1, 1 works 2 / 3: the message is there at 2 + 2 = 4, then 5 and 1: 10.
  const auto prediction = predicted(two(), {{"balance", "work"}, {"speed", "work x3"}});
  CHECK(prediction.predicted == 10);
  CHECK(prediction.changed_after == Approx(1 + 2.0 / 3));
}

TEST_CASE("prediction: a function that only one of two has, in balance") {
  // The mean of 4 and nothing is 2: 0 sends at 3, the message comes at 5; 5 + 5 + 1.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .enter(0, "work", at(1))
      .leave(0, at(5))
      .send(0, at(5), leave(6), to(1))
      .recv(1, at(3), leave(7), from(0))
      .finalize({{10, 13}, {12, 13}});
  CHECK(predicted(t, {{"balance", "work"}}).predicted == 11);
}

TEST_CASE("prediction: half of the latency, and a slower network") {
  // The only message takes 2, all of it latency. Half: 5 + 1 = 6, then 5 and 1. Three times: 5 + 6
  // = 11, then 5 and 1.
  CHECK(predicted(two(), {{"latency", "x0.5"}}).predicted == 12);
  CHECK(predicted(two(), {{"latency", "x3"}}).predicted == 17);
  CHECK(predicted(two(), {{"bandwidth", "x2"}}).predicted == 13);
}

TEST_CASE("prediction: latency and bandwidth of long messages") {
  // A message of 1 byte takes 2, one of 1 MB takes 8: 2 of it are latency, 6 the rest.
  //   0   init 0..1    send 2..2   send 5..5     finalize 20..21
  //   1   init 0..1    recv 1..4   recv 4..13    finalize 20..21
  // With half of the bandwidth the second one takes 2 + 12 = 14, from 5 to 19. Then 7 and 1.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .send(0, at(2), to(1), bytes(1))
      .send(0, at(5), to(1), bytes(1'000'000))
      .recv(1, at(1), leave(4), from(0), bytes(1))
      .recv(1, at(4), leave(13), from(0), bytes(1'000'000))
      .finalize({{20, 21}, {20, 21}});
  CHECK(predicted(t, {{"bandwidth", "x0.5"}}).predicted == 27);
  // With twice the latency: 4 + 6 = 10, two more than recorded.
  CHECK(predicted(t, {{"latency", "x2"}}).predicted == 23);
}

namespace {

// A message of 1 byte takes 2, one of 1 MB takes 6: 2 of it are latency, 4 the rest. Then four
// ranks come to a collective operation at 10, 10, 10 and 112, and leave it at 125.
//   0   init 0..1   send 1..1   send 3..3   10..125    finalize 130..131
//   1   init 0..1   recv 1..3   recv 3..9   10..125    finalize 130..131
//   2   init 0..1                           10..125    finalize 130..131
//   3   init 0..1                          112..125    finalize 130..131
template <typename... W>
TraceBuilder with_collective(const char* function, W... words) {
  auto t = TraceBuilder(4);
  t.init({{0, 1}, {0, 1}, {0, 1}, {0, 1}})
      .send(0, at(1), to(1), bytes(1))
      .send(0, at(3), to(1), bytes(1'000'000))
      .recv(1, at(1), leave(3), from(0), bytes(1))
      .recv(1, at(3), leave(9), from(0), bytes(1'000'000))
      .collective(function, {{10, 125}, {10, 125}, {10, 125}, {112, 125}}, words...)
      .finalize({{130, 131}, {130, 131}, {130, 131}, {130, 131}});
  return t;
}

}  // namespace

TEST_CASE("prediction: latency and bandwidth of a sum on four ranks") {
  // Two messages one after the other: 2 * 2 of latency, and 4 for the data. 112 + 8 = 120; 5 of the
  // call are its own.
  const auto sum = with_collective("MPI_Allreduce", bytes(1'000'000));
  //   half of the latency      112 + 2 + 4 + 5 = 123, then 5 and 1
  CHECK(predicted(sum, {{"latency", "x0.5"}}).predicted == 129);
  //   twice the bandwidth      112 + 4 + 2 + 5 = 123
  CHECK(predicted(sum, {{"bandwidth", "x2"}}).predicted == 129);
  //   both                     112 + 2 + 2 + 5 = 121
  CHECK(predicted(sum, {{"latency", "x0.5"}, {"bandwidth", "x2"}}).predicted == 127);
  //   half of the bandwidth    112 + 4 + 8 + 5 = 129
  CHECK(predicted(sum, {{"bandwidth", "x0.5"}}).predicted == 135);
  // Data that travel are not waited for. With three times the latency 1 has its first message at 7
  // and its second one at 3 + 6 + 4, so it comes at 14. 0 is blocked until 7 and comes at 14: 98 +
  // 98 + 102.
  CHECK(wait_after(predicted(sum, {{"latency", "x3"}}), "mpi_wait_nxn") == Approx(298));
}

TEST_CASE("prediction: latency and bandwidth of other collective operations") {
  // A barrier has no data: 2 * 2 is latency, the other 9 are its own. Half: 112 + 2 + 9 = 123.
  const auto barrier = with_collective("MPI_Barrier");
  CHECK(predicted(barrier, {{"latency", "x0.5"}}).predicted == 129);
  CHECK(predicted(barrier, {{"bandwidth", "x0.1"}}).predicted == 131);
  // A broadcast from rank 3 is as the sum for those that receive: 112 + 4 + 8 + 5 = 129. The root
  // needs nobody and leaves at 125 as it did, so it gains nothing from a faster network.
  const auto broadcast = with_collective("MPI_Bcast", root(3), bytes(1'000'000));
  CHECK(predicted(broadcast, {{"bandwidth", "x0.5"}}).predicted == 135);
  CHECK(predicted(broadcast, {{"bandwidth", "x2"}}).predicted == 131);
  // A gather of 250,000 bytes each: the root gets 1 MB and ends at 112 + 4 + 8 + 5 = 129.
  const auto gather = with_collective("MPI_Gather", root(0), bytes(250'000));
  CHECK(predicted(gather, {{"bandwidth", "x0.5"}}).predicted == Approx(135));
}

TEST_CASE("prediction: latency of a prefix sum") {
  // One message of unknown size: 20 + 2, then 3 of its own. Twice the latency: 20 + 4 + 3 = 27,
  // then 5 and 1.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .send(0, at(1), to(1), bytes(1))
      .recv(1, at(1), leave(3), from(0), bytes(1))
      .collective("MPI_Scan", {{20, 20}, {10, 25}}, bytes(1'000'000))
      .finalize({{30, 31}, {30, 31}});
  CHECK(predicted(t, {{"latency", "x2"}}).predicted == 33);
  CHECK(predicted(t, {{"bandwidth", "x0.5"}}).predicted == 31);
}

TEST_CASE("prediction: collective operations faster than the latency of a message") {
  // All of the time after the last one has come travels, 13 - 12 = 1, though a message takes 2.
  // Twice the latency: 14, then 17 and 1.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .send(0, at(1), to(1), bytes(1))
      .recv(1, at(1), leave(3), from(0), bytes(1))
      .collective("MPI_Barrier", {{12, 13}, {8, 13}})
      .finalize({{30, 31}, {30, 31}});
  CHECK(predicted(t, {{"latency", "x2"}}).predicted == 32);
  // A run without a message that was waited for shows no latency.
  auto without = TraceBuilder(2);
  without.init({{0, 1}, {0, 1}})
      .collective("MPI_Barrier", {{10, 13}, {12, 13}})
      .finalize({{30, 31}, {30, 31}});
  const auto prediction = predicted(without, {{"latency", "x2"}});
  CHECK(prediction.predicted == 31);
  REQUIRE(prediction.notes.size() == 1);
  CHECK(prediction.notes[0].find("no latency") != std::string::npos);
}

namespace {

// A message inside a node takes 2 - 1 = 1, one between nodes 8 - 3 = 5.
//   a   0   init 0..1   send 1   send 3    finalize 10..11
//   a   1   init 0..1   recv 1..2          finalize 10..11
//   b   2   init 0..1   recv 1..8          finalize 10..11
TraceBuilder on_two_nodes(bool between = true) {
  auto t = TraceBuilder(3);
  t.node("a", {0, 1}).node("b", {2});
  t.init({{0, 1}, {0, 1}, {0, 1}}).send(0, at(1), to(1)).recv(1, at(1), leave(2), from(0));
  if (between) t.send(0, at(3), to(2)).recv(2, at(1), leave(8), from(0));
  t.finalize({{10, 11}, {10, 11}, {10, 11}});
  return t;
}

std::string problem_of(const TraceBuilder& trace, std::initializer_list<Wanted> changes) {
  try {
    predicted(trace, changes);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("prediction: ranks on other nodes") {
  // 1 on b: its message takes 5, so it comes to MPI_Finalize at 1 + 5 + 8 = 14, and 1.
  const auto prediction = predicted(on_two_nodes(), {{"ranks-moved", "1:b"}});
  CHECK(prediction.predicted == 15);
  REQUIRE(prediction.notes.size() == 2);
  CHECK(prediction.notes[0].find("between nodes take") != std::string::npos);
  CHECK(prediction.notes[0].ends_with("1 message"));
  // 2 on a: its message takes 1 and is there at 4. It comes at 4 + 2 and waits 4 for the others.
  const auto near = predicted(on_two_nodes(), {{"ranks-moved", "2:a"}});
  CHECK(near.predicted == 11);
  CHECK(wait_after(near, "mpi_finalize_wait") == 4);
  // Both at once. 0 on b, too: 0 and 1 are on one node again.
  CHECK(predicted(on_two_nodes(), {{"ranks-moved", "1:b"}, {"ranks-moved", "2:a"}}).predicted ==
        15);
  CHECK(predicted(on_two_nodes(), {{"ranks-moved", "0-1:b"}}).predicted == 11);
  // With half of the latency between nodes: 1 + 2.5 + 8 = 11.5. The other one is there at 5.5.
  CHECK(predicted(on_two_nodes(), {{"ranks-moved", "1:b"}, {"latency", "x0.5"}}).predicted == 12.5);
}

TEST_CASE("prediction: ranks that cannot be moved") {
  CHECK(problem_of(on_two_nodes(), {{"ranks-moved", "1:c"}}).find("nodes of the run: a, b") !=
        std::string::npos);
  CHECK(problem_of(on_two_nodes(), {{"ranks-moved", "3:b"}}).find("no rank 3") !=
        std::string::npos);
  // No message between nodes was seen.
  CHECK(problem_of(on_two_nodes(false), {{"ranks-moved", "1:b"}}).find("between nodes") !=
        std::string::npos);
}

TEST_CASE("prediction: a message that was there before its receive takes no time") {
  //   0   init 0..1   send 1..1   recv 1..9    finalize 9..10
  //   1   init 0..1   work 1..8   recv 8..9    send 8 (before)    finalize 9..10
  // 1 works 7, sends at 8 and receives what has long been there: 8 to 9 is the receive's own time.
  // No message was waited for except that of 1: it takes 1. Four times as fast: 1 works 7 / 4, down
  // to the tick; it sends at 2.75 and has received at 3.75. 0 has its message at 3.75.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .send(0, at(1), to(1))
      .recv(0, at(1), leave(9), from(1))
      .enter(1, "work", at(1))
      .leave(1, at(8))
      .send(1, at(8), to(0))
      .recv(1, at(8), leave(9), from(0))
      .finalize({{9, 10}, {9, 10}});
  CHECK(predicted(t, {{"speed", "work x4"}}).predicted == 4.75);
}

TEST_CASE("prediction: least and mean transfer times") {
  // Two messages of one size: the first takes 1, the second 3; both were waited for. The mean is 2.
  //   0   init 0..0   work 0..4   send 4   work 4..8   send 8    finalize 20..20
  //   1   init 0..0   recv 0..5   recv 5..11           finalize 20..20
  // Twice as fast 0 sends at 2 and 4. If a message takes 1, the first is received at 3; the second
  // one is there at 5, and its receive takes 2 of its own: 7, then 9 more: 16. If it takes 2, the
  // same: the second one is there at 6, and the receive takes 1. 0 comes to MPI_Finalize at 4 + 12.
  auto t = TraceBuilder(2);
  t.init({{0, 0}, {0, 0}})
      .enter(0, "work", at(0))
      .leave(0, at(4))
      .send(0, at(4), to(1))
      .enter(0, "work", at(4))
      .leave(0, at(8))
      .send(0, at(8), to(1))
      .recv(1, at(0), leave(5), from(0))
      .recv(1, at(5), leave(11), from(0))
      .enter(1, "rest", at(11))
      .leave(1, at(20))
      .finalize({{20, 20}, {20, 20}});
  auto prediction = predicted(t, {{"speed", "work x2"}});
  CHECK(prediction.predicted == 16);
  CHECK(prediction.most == 16);
  // If the rest of 1 goes, too, 0 is the last one: at 16. If 0's last part (12) were shorter, the
  // models would differ: with twice the latency the messages come at 4 + 2 and 8 + 2, received at
  // 6 and 12: 21. In the mean they take 2, but the first one not more than the 1 that it took: it
  // comes at 4 + 2 = 6, the second one at 8 + 4 = 12, and takes 1: 13, then 9: 22.
  prediction = predicted(t, {{"latency", "x2"}});
  CHECK(prediction.predicted == 21);
  CHECK(prediction.least == 21);
  CHECK(prediction.most == 22);
}

TEST_CASE("prediction: sends that wait for their receives, and an eager limit") {
  // The first send returns before its receive is posted, so 10 bytes are eager. The second one
  // waits from 4 to 8 for its receive, then takes 1.
  //   0   init 0..1   send 2..3             send 4..9    finalize 9..12
  //   1   init 0..1   work 1..3   recv 3..4   work 4..8   recv 8..9   finalize 11..12
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .send(0, at(2), leave(3), to(1), bytes(10))
      .send(0, at(4), leave(9), to(1), bytes(1000))
      .enter(1, "work", at(1))
      .leave(1, at(3))
      .recv(1, at(3), leave(4), from(0), bytes(10))
      .enter(1, "work", at(4))
      .leave(1, at(8))
      .recv(1, at(8), leave(9), from(0), bytes(1000))
      .finalize({{9, 12}, {11, 12}});
  auto prediction = predicted(t, {{"eager-limit", "1000"}});
  CHECK(wait_before(prediction, "mpi_latereceiver") == 4);
  CHECK(wait_after(prediction, "mpi_latereceiver") == 0);
  // 0 ends its send at 5, but 1 is the last one in MPI_Finalize, as before.
  CHECK(prediction.predicted == 12);
  prediction = predicted(t, {{"eager-limit", "999"}});
  CHECK(wait_after(prediction, "mpi_latereceiver") == 4);
  // Work of 1 twice as fast: 1 receives at 2 to 3 what was sent at 2, works until 5 and posts its
  // receive. 0 is there at 4 and waits 1. 1 comes to MPI_Finalize at 5 + 1 + 2 = 8: 9.
  prediction = predicted(t, {{"speed", "work x2"}});
  CHECK(wait_after(prediction, "mpi_latereceiver") == 1);
  CHECK(prediction.predicted == 9);
}

TEST_CASE("prediction: collective operations, and a function of MPI itself") {
  //   0   init 0..0   work 0..6   allreduce 6..8     finalize 8..8
  //   1   init 0..0   work 0..2   allreduce 2..8     finalize 8..8
  // The operation takes 2 after the last one has come. Work twice as fast on 0: it comes at 3, and
  // the operation ends at 5. The operation itself twice as fast: 6 + 1.
  auto t = TraceBuilder(2);
  t.init({{0, 0}, {0, 0}})
      .enter(0, "work", at(0))
      .leave(0, at(6))
      .enter(1, "work", at(0))
      .leave(1, at(2))
      .collective("MPI_Allreduce", {{6, 8}, {2, 8}})
      .finalize({{8, 8}, {8, 8}});
  CHECK(predicted(t, {{"speed", "work@rank 0 x2"}}).predicted == 5);
  CHECK(predicted(t, {{"speed", "MPI_Allreduce x2"}}).predicted == 7);
  // Whatever calls MPI does not make MPI faster: work only.
  CHECK(predicted(t, {{"speed", "program x2"}}).predicted == 5);
  // No balance of four and two ranks of work changes the sum.
  CHECK(predicted(t, {{"balance", "work"}}).predicted == 6);
}

TEST_CASE("prediction: what cannot be predicted is refused") {
  const auto problem = [](std::initializer_list<Wanted> changes) -> std::string {
    try {
      predicted(two(), changes);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(problem({{"speed", "work@rank 2 x2"}}).find("there is no rank 2") != std::string::npos);
  CHECK(problem({{"balance", "MPI_Send"}}).find("no computation") != std::string::npos);
  CHECK(problem({{"no-wait-for-io", ""}}).find("no calls on files") != std::string::npos);
}

TEST_CASE("prediction: functions that only samples know") {
  // Rank 0 is in main for 10, and for 1 after a call that needs nobody. Samples give relax 4 of 5
  // parts of that, 8.8, and norm, which relax calls, 2.2. Rank 1 comes to MPI_Finalize at 12, as
  // recorded.
  //   relax twice as fast: main takes 5.5 / 11 on 0. It comes to MPI_Finalize at 1 + 5.5 and waits
  //   12 - 6.5.
  auto prediction = predicted(sampled_ranks(), {{"speed", "relax x2"}});
  CHECK(prediction.recorded == 13);
  CHECK(prediction.predicted == 13);
  CHECK(prediction.changed_before == 11);
  CHECK(prediction.changed_after == 5.5);
  CHECK(prediction.changed_call_paths == 2);
  CHECK(prediction.by_rank[0].after == 5.5);
  //   norm twice as fast: (8.8 + 1.1) / 11 = 0.9 of 11. 0 waits 12 - 1 - 9.9. One sample has the
  //   standard error of its whole share.
  prediction = predicted(sampled_ranks(), {{"speed", "norm x2"}});
  CHECK(prediction.changed_before == 2.2);
  CHECK(prediction.changed_after == 1.1);
  CHECK(prediction.by_rank[0].after == 1.1);
  CHECK(prediction.sampling_error == 2.2);
}
