// SPDX-License-Identifier: BSD-3-Clause
// Agents in one process, over sockets of this host: what they gather is what one watcher knows.
#include "tracer/watch/gather/gathering.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "tests/support/random_calls.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tracer/watch/gather/view_client.hpp"

using namespace latecomer::watch;
using latecomer::test::define;
using latecomer::test::kRanks;
using latecomer::test::Program;
using latecomer::test::random_program;
using std::chrono::milliseconds;
using Json = nlohmann::ordered_json;

namespace {

// Each rank is on a host of its own, or shares one; hosts 3 and 4 are another metahost. Host h has
// a clock that is h seconds ahead.
class FakeRun final : public GatherRun {
 public:
  FakeRun(std::vector<std::size_t> of, std::size_t self) : of_(std::move(of)), self_(self) {}
  [[nodiscard]] std::optional<std::vector<AgentHost>> hosts() override {
    std::vector<AgentHost> all(*std::ranges::max_element(of_) + 1);
    for (Rank rank = 0; rank < of_.size(); ++rank) all[of_[rank]].ranks.push_back(rank);
    for (std::size_t host = 0; host < all.size(); ++host) {
      all[host].host = name(host);
      all[host].metahost = host < 3 ? 1 : 2;
    }
    return all;
  }
  static std::string name(std::size_t host) { return "host" + std::to_string(host); }
  [[nodiscard]] std::string own_host() override { return name(self_); }
  // The second communicator becomes known when own ranks use it, or when it was asked for twice.
  [[nodiscard]] const std::vector<Rank>* members(std::uint32_t owner, std::uint32_t) override {
    static const std::vector<Rank> kWorld = {0, 1, 2, 3, 4}, kSome = {0, 1, 2};
    if (owner == kNone) return &kWorld;
    return looked_ < 2 ? nullptr : &kSome;
  }
  [[nodiscard]] CommId comm(std::uint32_t owner, std::uint32_t) override {
    return owner == kNone ? 0 : 1;
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> owner_of(CommId comm) override {
    looked_ = std::max(looked_, comm == 0 ? 0 : 2);
    return {comm == 0 ? kNone : 0, 0};
  }
  [[nodiscard]] std::uint64_t hash_of(PathId path) override { return path + 100; }
  [[nodiscard]] PathId path_of(std::uint64_t hash) override {
    return static_cast<PathId>(hash - 100);
  }
  [[nodiscard]] latecomer::sync::PiecewiseLinear to_global() override {
    if (self_ == 0) return {};
    return latecomer::sync::PiecewiseLinear({{ahead(self_), 0}});
  }
  void look_again() override { ++looked_; }
  static Nanoseconds ahead(std::size_t host) {
    return static_cast<Nanoseconds>(host) * 1'000'000'000;
  }

 private:
  std::vector<std::size_t> of_;
  std::size_t self_;
  int looked_ = 0;
};

// The knowledge of a watcher about its ranks, as a part of the state of the run.
Json state_of(const Watcher& watcher) {
  const WaitSums sums = watcher.waits();
  Json json = {{"format", "latecomer watch 1"},
               {"ended", true},
               {"partial", false},
               {"behind_ns", 0},
               {"ranks", Json::array()},
               {"caused_elsewhere", Json::array()},
               {"collectives", Json::array()},
               {"not_watched", Json::array()}};
  Nanoseconds waiting = 0;
  for (Rank rank = 0; rank < sums.ranks().size(); ++rank) {
    const RankSums& one = sums.ranks()[rank];
    if (watcher.is_elsewhere(rank)) {
      json["caused_elsewhere"].push_back({{"rank", rank}, {"ns", one.caused}});
      continue;
    }
    waiting += one.waiting();
    json["ranks"].push_back(
        {{"rank", rank}, {"waiting_ns", one.waiting()}, {"caused_ns", one.caused}});
  }
  json["waiting_ns"] = waiting;
  json["time_ns"] = 0;
  json["counts"] = {{"messages", watcher.messages().matched},
                    {"collectives_finished", watcher.collectives().counts().finished}};
  json["left_out"] = {{"elsewhere", watcher.messages().elsewhere}};
  return json;
}

struct Agent {
  Watcher watcher;
  std::unique_ptr<Gathering> gathering;
  std::size_t host = 0;
  bool is_last = false;

  void step() {
    REQUIRE(gathering->step(milliseconds(0)));
    if (gathering->wants_state()) gathering->set_state(state_of(watcher), false);
    if (!is_last && gathering->is_settled()) {
      is_last = true;
      watcher.finish();
      gathering->set_state(state_of(watcher), true);
    }
  }
};

struct Agents {
  latecomer::test::TemporaryDirectory directory;
  std::vector<std::unique_ptr<Agent>> all;
  std::vector<std::size_t> of;

  Agents(std::vector<std::size_t> hosts, GatherOptions options) : of(std::move(hosts)) {
    options.address = "127.0.0.1";
    const std::size_t count = *std::ranges::max_element(of) + 1;
    for (std::size_t host = 0; host < count; ++host) {
      Agent& one = *all.emplace_back(std::make_unique<Agent>());
      one.host = host;
      define(one.watcher);
      for (Rank rank = 0; rank < kRanks; ++rank) {
        if (of[rank] != host) one.watcher.set_elsewhere(rank);
      }
      auto begun =
          Gathering::begin(folder(), options, std::make_unique<FakeRun>(of, host), one.watcher);
      REQUIRE(begun);
      one.gathering = std::move(*begun);
    }
  }
  [[nodiscard]] std::string folder() const { return directory.file(""); }
  // Tells the calls of all ranks; the clock of each host is ahead.
  void run(const Program& program) {
    for (Rank rank = 0; rank < kRanks; ++rank) {
      const std::size_t host = of[rank];
      if (!all[host]) continue;
      for (auto call : program[rank]) {
        const Nanoseconds ahead = FakeRun::ahead(host);
        call.event.enter += ahead;
        call.event.leave += ahead;
        for (Operation& operation : call.operations) {
          operation.begin += ahead;
          operation.time += ahead;
        }
        call.tell(all[host]->watcher);
        step();
      }
    }
  }
  void step() {
    for (const auto& one : all) {
      if (one) one->step();
    }
  }
  template <typename F>
  void until(F&& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      REQUIRE(std::chrono::steady_clock::now() < end);
      step();
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  void end() {
    for (const auto& one : all) {
      if (one) one->gathering->end();
    }
    until([&] {
      return std::ranges::all_of(all,
                                 [](const auto& one) { return !one || one->gathering->is_done(); });
    });
  }
  [[nodiscard]] Json state() const { return all[0]->gathering->state(); }
};

GatherOptions fast(std::size_t arity) {
  GatherOptions options;
  options.arity = arity;
  options.rate = milliseconds(10);
  return options;
}

Json expected(const Program& program) {
  Watcher one;
  define(one);
  for (const auto& calls : program) latecomer::test::tell(one, calls);
  one.finish();
  return state_of(one);
}

void check_equal(const Json& state, const Json& of_one) {
  for (const char* name : {"ranks", "waiting_ns", "counts", "left_out"})
    CHECK(state.at(name) == of_one.at(name));
}

}  // namespace

TEST_CASE("agents gather what one watcher of all ranks knows, in any tree") {
  unsigned seed = 0;
  for (const std::vector<std::size_t>& of :
       {std::vector<std::size_t>{0, 1, 2, 3, 4}, {0, 0, 1, 1, 2}, {0, 1, 0, 1, 0}}) {
    for (const std::size_t arity : {1, 2, 4}) {
      const Program program = random_program(++seed);
      Agents agents(of, fast(arity));
      agents.run(program);
      agents.end();
      const Json state = agents.state();
      REQUIRE(state.at("waiting_ns").get<Nanoseconds>() > 0);
      check_equal(state, expected(program));
      CHECK(state.at("partial") == false);
      for (const auto& one : agents.all) {
        CHECK(one->gathering->dropped() == 0);
        CHECK(one->gathering->notes().empty());
      }
    }
  }
}

// Host 1 has its last state only when host 2 has already ended: the root does not wait for host 2
// to take its words.
TEST_CASE("an agent may end before others have told all") {
  const Program program = random_program(34);
  Agents agents({0, 1, 2, 3, 4}, fast(4));
  agents.run(program);
  agents.all[1]->is_last = true;  // keeps it from finishing
  for (const auto& one : agents.all) one->gathering->end();
  agents.until([&] { return agents.all[2]->gathering->is_done(); });
  agents.all[2].reset();
  agents.all[1]->is_last = false;
  agents.until([&] { return agents.all[0]->gathering->is_done(); });
  check_equal(agents.state(), expected(program));
}

TEST_CASE("an agent that was gone and is back counts again, also at the root") {
  GatherOptions options = fast(1);
  options.patience = milliseconds(400);
  Agents agents({0, 1, 2, 3, 4}, options);
  const auto not_watched = [&] {
    const Json state = agents.state();
    return state.contains("not_watched") && state.contains("ranks")
               ? state.at("not_watched").size() + (state.at("ranks").size() == kRanks ? 0 : 100)
               : 1000;
  };
  agents.until([&] { return not_watched() == 0; });
  auto held = std::move(agents.all[2]);  // below host 1, which tells the root
  agents.until([&] { return not_watched() % 100 == 1; });
  agents.all[2] = std::move(held);
  agents.until([&] { return not_watched() == 0; });
}

TEST_CASE("states are sent when a view asks, in pull mode") {
  GatherOptions options = fast(2);
  options.pull = true;
  const Program program = random_program(31);
  Agents agents({0, 1, 2, 3, 4}, options);
  agents.run(program);
  const auto view = ViewClient::open(agents.folder());
  REQUIRE(view);
  REQUIRE(*view);
  const Json all = expected(program);
  agents.until([&] {
    static_cast<void>((*view)->step(milliseconds(0)));
    const Json& state = (*view)->state();
    return state.contains("counts") && state.at("counts") == all.at("counts");
  });
  agents.end();
  check_equal(agents.state(), all);
}

TEST_CASE("views come and go, and see the same") {
  const Program program = random_program(32);
  Agents agents({0, 1, 2, 2, 1}, fast(2));
  agents.run(program);
  const auto until = [&](ViewClient& view, auto&& condition) {
    agents.until([&] {
      static_cast<void>(view.step(milliseconds(0)));
      return condition(view.state());
    });
  };
  const auto has_ranks = [](const Json& state) {
    return state.contains("ranks") && state.at("ranks").size() == kRanks;
  };
  auto first = ViewClient::open(agents.folder());
  REQUIRE(first);
  until(**first, has_ranks);
  auto second = ViewClient::open(agents.folder());
  until(**second, has_ranks);
  first->reset();  // goes away
  agents.end();
  auto late = ViewClient::open(agents.folder());
  until(**late, has_ranks);
  const auto is_all = [&](const Json& state) {
    return has_ranks(state) && state == agents.state();
  };
  until(**second, is_all);
  until(**late, is_all);
  agents.all[0]->gathering->say_goodbye();
  until(**late, [&](const Json&) { return (*late)->is_last(); });
  CHECK((*late)->state() == agents.state());
}

TEST_CASE("who has another key is refused, and told so") {
  Agents agents({0, 1, 1, 1, 1}, fast(2));
  agents.until([&] { return std::filesystem::exists(agents.folder() + "/front"); });
  latecomer::test::TemporaryDirectory other;
  REQUIRE(make_run_key(other.file("key")));
  std::filesystem::copy(agents.folder() + "/front", other.file("front"));
  auto view = ViewClient::open(other.file(""));
  REQUIRE(view);
  std::optional<latecomer::Problem> problem;
  agents.until([&] {
    static_cast<void>((*view)->step(milliseconds(0)));
    problem = (*view)->problem(milliseconds(0));
    return problem && problem->what.find("refuses the key") != std::string::npos;
  });
  CHECK((*view)->state().empty());
  // One that knows the public key of the run, but has a pair of its own, gets as far as the agent.
  const auto key = read_run_key(agents.folder() + "/key");
  const auto own = read_run_key(other.file("key"));
  REQUIRE(key);
  REQUIRE(own);
  auto sockets = Sockets::make(*own);
  REQUIRE(sockets);
  std::string endpoint;
  std::ifstream(agents.folder() + "/front") >> endpoint;
  auto client = (*sockets)->connect(endpoint, "", Sockets::kMost, key->public_key);
  REQUIRE(client);
  std::vector<std::string> notes;
  agents.until([&] {
    (*sockets)->wait(milliseconds(0));
    for (const std::string& note : agents.all[0]->gathering->notes()) notes.push_back(note);
    return !notes.empty();
  });
  CHECK(notes.front() == "refused a connection from 127.0.0.1: it has not the key of the run");
  CHECK((*client)->state() != Client::State::kConnected);
}

TEST_CASE("an agent that is gone is named, and operations with its ranks are left out") {
  GatherOptions options = fast(1);
  options.patience = milliseconds(400);
  const Program program = random_program(33);
  Agents agents({0, 1, 2, 3, 4}, options);
  agents.until([&] {
    const Json state = agents.state();
    return state.contains("ranks") && state.at("ranks").size() == kRanks;
  });
  agents.all[4].reset();  // a leaf below host 3
  agents.run(program);
  agents.end();
  const Json state = agents.state();
  REQUIRE(state.at("not_watched").size() == 1);
  CHECK(state.at("not_watched")[0].at("rank") == 4);
  CHECK(state.at("not_watched")[0].at("why") == "no word from the agent of host host4 for 0 s");
  CHECK(state.at("partial") == true);
  CHECK(state.at("left_out").at("elsewhere").get<int>() > 0);
  // The communicator of ranks 0 to 2 is complete.
  CHECK(state.at("counts").at("collectives_finished").get<int>() > 0);
}

TEST_CASE("a neighbor that does not listen costs bounded memory, and what is dropped is counted") {
  GatherOptions options = fast(2);
  Agents agents({0, 1, 1, 1, 1}, options);
  agents.until([&] {
    const Json state = agents.state();
    return state.contains("ranks") && state.at("ranks").size() == kRanks;
  });
  Agent& root = *agents.all[0];
  constexpr int kMany = 800'000;
  for (int i = 0; i < kMany; ++i) {
    const Nanoseconds t = 10 * i;
    latecomer::test::WatchedCall(0, t, t + 1).send(1).tell(root.watcher);
    if (i % 1000 == 0) root.step();
  }
  CHECK(root.gathering->dropped() > 0);
  CHECK(root.gathering->dropped() < kMany);
  CHECK(root.watcher.messages().sends == kMany);
}
