// SPDX-License-Identifier: BSD-3-Clause
// Distribution of ranks to processes, on a common file system and on one file system per metahost.
#include "analyzer/match/partition.hpp"

#include <mpi.h>

#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::replay;

namespace {

// Rank r has `events[r]` events. The first `of_first` ranks are on metahost 0, the others on
// metahost 1.
trace::Definitions ranks(const std::vector<std::uint64_t>& events, std::uint32_t of_first) {
  trace::Definitions d;
  d.metahosts = {{0, "bonn"}, {1, "juelich"}};
  d.system = {{"a", "node", trace::kNone}, {"b", "node", trace::kNone}};
  for (std::uint32_t r = 0; r < events.size(); ++r) {
    const std::uint32_t metahost = r < of_first ? 0 : 1;
    d.processes.push_back({.name = "", .node = metahost, .metahost = metahost, .locations = {r}});
    d.locations.push_back({.id = r, .name = "", .process = r, .thread = 0, .events = events[r]});
  }
  return d;
}

std::vector<int> hosts(const Partition& partition, std::uint32_t ranks) {
  std::vector<int> out;
  for (std::uint32_t r = 0; r < ranks; ++r) out.push_back(partition.host_of(r));
  return out;
}

using Hosts = std::vector<int>;
using Bits = std::vector<bool>;

}  // namespace

TEST_CASE("ranks are dealt out in ranges with equal numbers of events") {
  const auto d = ranks({10'000, 10'000, 10'000, 30'000}, 4);
  CHECK(hosts(Partition(d, 1), 4) == Hosts{0, 0, 0, 0});
  CHECK(hosts(Partition(d, 2), 4) == Hosts{0, 0, 0, 1});
  CHECK(Partition(d, 2).locations_of(d, 0) == std::vector<std::uint32_t>{0, 1, 2});
}

TEST_CASE("events are read by those who see them") {
  const auto d = ranks({10'000, 10'000, 10'000, 30'000}, 2);
  // Processes 0 and 2 see ranks 0 and 3, process 1 the others.
  const Visibility v{{Bits{true, false, false, true}, Bits{false, true, true, false}}, {0, 1, 0}};
  CHECK(hosts(Partition(d, v), 4) == Hosts{0, 1, 1, 2});
}

TEST_CASE("files that some see twice and others not at all") {
  const auto d = ranks({10'000, 10'000, 10'000, 10'000}, 2);
  // Process 0 sees ranks 0 to 2, process 1 rank 2; no process sees rank 3.
  const Visibility v{{Bits{true, true, true, false}, Bits{false, false, true, false}}, {0, 1}};
  const auto host = hosts(Partition(d, v), 4);
  CHECK(host[0] == 0);
  CHECK(host[1] == 0);
  CHECK(v.anybody_sees(2));
  CHECK_FALSE(v.anybody_sees(3));
  CHECK(
      unseen_events(d, v) ==
      std::vector<std::string>{"the events of rank 3 were written on metahost juelich (b), and no "
                               "analysis process sees them"});
  CHECK(sees_first(d, v, 0));
  CHECK_FALSE(sees_first(d, v, 1));
}

TEST_CASE("threads of a process stay together where most of them are seen") {
  auto d = ranks({10'000}, 1);
  for (std::uint32_t t = 1; t < 3; ++t) {
    d.processes[0].locations.push_back(t);
    d.locations.push_back({.id = t, .name = "", .process = 0, .thread = t, .events = 5});
  }
  const Visibility v{{Bits{true, false, false}, Bits{false, true, true}}, {0, 1}};
  CHECK(hosts(Partition(d, v), 1) == Hosts{1});
  CHECK(Partition(d, v).locations_of(d, 1) == std::vector<std::uint32_t>{0, 1, 2});
}

TEST_CASE("a location without events is not missed") {
  const auto d = ranks({10'000, 0}, 1);
  const Visibility v{{Bits{true, false}}, {0}};
  CHECK(unseen_events(d, v).empty());
}

TEST_CASE("all processes know what each sees") {
  parallel::Processes processes(MPI_COMM_WORLD);
  const auto bits = [](int process) { return Bits{true, process % 2 == 0, process % 2 != 0}; };
  const auto v = agree_on_visibility(bits(processes.rank()), processes);
  CHECK(v.views.size() == (processes.size() == 1 ? 1 : 2));
  for (int p = 0; p < processes.size(); ++p) {
    for (std::uint32_t l = 0; l < 3; ++l) CHECK(v.sees(p, l) == bits(p)[l]);
  }
  const Bits same = {false, true};
  CHECK(agree_on_visibility(same, processes).views == std::vector<Bits>{same});
}

TEST_CASE("archives of different runs are told apart") {
  parallel::Processes processes(MPI_COMM_WORLD);
  CHECK(check_same_archive(7, "exp", processes).ok());
  const auto status =
      check_same_archive(processes.rank() == processes.size() - 1 ? 8 : 7, "exp", processes);
  if (processes.size() == 1) {
    CHECK(status.ok());
    return;
  }
  REQUIRE_FALSE(status.ok());
  CHECK(
      status.problem().what.starts_with("exp: the analysis processes see archives of different "
                                        "runs: one on process 0 ("));
  CHECK(status.problem().what.find("another one on process " +
                                   std::to_string(processes.size() - 1) + " (") !=
        std::string::npos);
}
