// SPDX-License-Identifier: BSD-3-Clause
// Every operation whose times MPI guarantees: a violation is found, counted exactly, and gone after
// correction. Operations that guarantee nothing have no violations.
#include <otf2/otf2.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

namespace {

struct Found {
  std::int64_t messages = 0, collectives = 0;
  friend bool operator==(const Found&, const Found&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Found& f) {
    return out << f.messages << " messages, " << f.collectives << " collectives";
  }
};

// Violations before the correction, which must leave none. The ranks are on different nodes with a
// latency of 1 s.
Found violations(TraceBuilder& t) {
  for (int r = 0; r < static_cast<int>(t.model().node_of.size()); ++r) {
    t.node("n" + std::to_string(r), {r});
  }
  replay::Options options;
  options.correction.latency_inside = 1.0;
  const auto report = analyze(t, options);
  const auto& clocks = report.extras()["clocks"];
  if (clocks["steps"].empty()) return {};
  const auto& steps = clocks["steps"];
  INFO(clocks.dump());
  CHECK(steps.back()["name"] == "clc");
  CHECK(steps.back()["messages"] == 0);
  CHECK(steps.back()["collectives"] == 0);
  return {steps[0]["messages"], steps[0]["collectives"]};
}

// Ranks enter at 10, 20, 30, 40 s and leave at 12, 22, 32, 42 s.
Found of_collective(std::string_view function, bool nonblocking, std::uint32_t r) {
  TraceBuilder t(4);
  for (int rank = 0; rank < 4; ++rank) {
    const double enter = 10 * (rank + 1);
    if (nonblocking) {
      t.icollective(rank, function, at(enter), req(1), root(r));
      t.wait(rank, at(enter + 1), leave(enter + 2), req(1));
    } else {
      t.collective(rank, function, at(enter), leave(enter + 2), root(r));
    }
  }
  return violations(t);
}

}  // namespace

TEST_CASE("messages of all kinds: sent at 10 s, received at 5 s") {
  const auto from_zero = [](auto&& send, auto&& receive) {
    TraceBuilder t(2);
    send(t);
    receive(t);
    return violations(t);
  };
  const auto blocking = [](TraceBuilder& t) { t.send(0, at(10), leave(11), to(1)); };
  const auto plain = [](TraceBuilder& t) { t.recv(1, at(1), leave(5), from(0)); };
  CHECK(from_zero(blocking, plain) == Found{1, 0});
  CHECK(from_zero(
            [](TraceBuilder& t) {
              t.isend(0, at(10), leave(11), to(1), req(1)).wait(0, at(12), req(1));
            },
            plain) == Found{1, 0});
  CHECK(from_zero(blocking, [](TraceBuilder& t) {
          t.irecv(1, at(1), leave(2), from(0), req(1)).wait(1, at(3), leave(5), req(1));
        }) == Found{1, 0});
  CHECK(from_zero(blocking, [](TraceBuilder& t) {
          t.irecv(1, at(1), leave(2), from(0), req(1)).test(1, at(3), leave(5), req(1));
        }) == Found{1, 0});
  CHECK(from_zero(
            [](TraceBuilder& t) {
              t.send_init(0, at(1), to(1), req(1));
              for (const double s : {10.0, 30.0})
                t.start(0, at(s), req(1)).wait(0, at(s + 1), req(1));
            },
            [](TraceBuilder& t) {
              t.recv_init(1, at(1), from(0), req(1));
              // The second message is fine: it is sent at 30 s.
              t.start(1, at(2), req(1)).waitall(1, at(3), leave(5), req(1));
              t.start(1, at(22), req(1)).waitall(1, at(23), leave(35), req(1));
            }) == Found{1, 0});
  // Sendrecv: messages go in both directions, and rank 1 is 7 s early.
  TraceBuilder t(2);
  t.sendrecv(0, at(10), leave(12), to(1), from(1)).sendrecv(1, at(3), leave(5), to(0), from(0));
  CHECK(violations(t) == Found{1, 0});
  // Received within the latency, and exactly after it.
  for (const double received : {10.5, 11.0}) {
    TraceBuilder near(2);
    near.send(0, at(10), leave(11), to(1)).recv(1, at(1), leave(received), from(0));
    CHECK(violations(near) == Found{received < 11 ? 1 : 0, 0});
  }
}

TEST_CASE("collective operations: exits that the others' enters contradict") {
  // Enters 10 20 30 40, exits 12 22 32 42. N to N: ranks 0, 1, 2 leave before rank 3 has entered.
  // Rank 3 as the root that sends gives the same. Rank 0 as the root that receives: only rank 0.
  // Prefix: no violation, because the later ranks are late.
  struct Expected {
    const char* name;
    std::uint32_t root;
    std::int64_t collectives;
  };
  constexpr auto kNone = OTF2_COLLECTIVE_ROOT_NONE;
  for (const auto& [name, root, expected] : {Expected{"barrier", kNone, 3},
                                             {"allreduce", kNone, 3},
                                             {"allgather", kNone, 3},
                                             {"allgatherv", kNone, 3},
                                             {"alltoall", kNone, 3},
                                             {"reduce_scatter", kNone, 3},
                                             {"reduce_scatter_block", kNone, 3},
                                             {"bcast", 3, 3},
                                             {"scatter", 3, 3},
                                             {"scatterv", 3, 3},
                                             {"bcast", 0, 0},
                                             {"gather", 0, 1},
                                             {"gatherv", 0, 1},
                                             {"reduce", 0, 1},
                                             {"reduce", 3, 0},
                                             {"scan", kNone, 0},
                                             {"exscan", kNone, 0},
                                             // The totals of bytes do not show which rank sends to
                                             // which.
                                             {"alltoallv", kNone, 0},
                                             {"alltoallw", kNone, 0}}) {
    INFO(name << " with root " << root);
    CHECK(of_collective(std::string("MPI_") + name, false, root) == Found{0, expected});
    CHECK(of_collective(std::string("MPI_I") + name, true, root) == Found{0, expected});
  }
}

TEST_CASE("Alltoallv and Alltoallw are guaranteed if everybody sends to everybody") {
  // Ranks 0 and 1 leave (12, 22) before rank 2 has entered (30). If one process does not record
  // that its counts are positive, nothing is guaranteed.
  for (const char* name : {"MPI_Alltoallv", "MPI_Ialltoallv", "MPI_Alltoallw", "MPI_Ialltoallw"}) {
    for (const int silent : {3, 0, 1, 2}) {
      TraceBuilder t(3);
      for (int rank = 0; rank < 3; ++rank) {
        const double enter = 10 * (rank + 1);
        const auto add = [&](auto... words) {
          if (name[4] == 'I') {
            t.icollective(rank, name, at(enter), req(1), words...);
            t.wait(rank, at(enter + 1), leave(enter + 2), req(1));
          } else {
            t.collective(rank, name, at(enter), leave(enter + 2), words...);
          }
        };
        rank == silent ? add() : add(all_positive{});
      }
      INFO(name << " silent " << silent);
      CHECK(violations(t) == Found{0, silent == 3 ? 2 : 0});
    }
  }
}

TEST_CASE("scans: a rank that leaves before a lower one has come") {
  for (const char* name : {"MPI_Scan", "MPI_Exscan"}) {
    TraceBuilder t(3);  // rank 0 enters at 10; rank 1 leaves at 5, rank 2 at 15
    t.collective(name, {{10, 12}, {3, 5}, {4, 15}});
    CHECK(violations(t) == Found{0, 1});
  }
}

TEST_CASE("without data nothing is guaranteed, but by a barrier") {
  TraceBuilder t(2);
  t.collective("MPI_Allreduce", {{1, 2}, {5, 6}}, bytes(0));
  t.collective("MPI_Bcast", {{7, 8}, {7, 8}}, bytes(0), root(0));
  CHECK(violations(t) == Found{0, 0});
}

TEST_CASE("intercommunicators: between the groups only") {
  // Groups {0, 1} and {2, 3}. Enters 10 20 1 2, exits 25 26 3 30: ranks 2 and 3 need 20 s of rank
  // 1. Rank 2 is violated, rank 3 is fine; 0 and 1 need 2 s of rank 3 only.
  for (const char* name : {"MPI_Barrier", "MPI_Allreduce", "MPI_Alltoall"}) {
    TraceBuilder t(4);
    const auto inter = t.intercommunicator({0, 1}, {2, 3});
    const double enters[] = {10, 20, 1, 2}, exits[] = {25, 26, 3, 30};
    const std::uint64_t some = name[4] == 'B' ? 0 : 8;
    for (int r = 0; r < 4; ++r) {
      t.collective(r, name, at(enters[r]), leave(exits[r]), on(inter), sent(some), received(some));
    }
    INFO(name);
    CHECK(violations(t) == Found{0, 1});
  }
  // Rank 0 leaves before rank 1 of its own group has entered, which is fine.
  TraceBuilder own(3);
  const auto inter = own.intercommunicator({0, 1}, {2});
  own.collective(0, "MPI_Barrier", at(1), leave(5), on(inter));
  own.collective(1, "MPI_Barrier", at(10), leave(12), on(inter));
  own.collective(2, "MPI_Barrier", at(2), leave(13), on(inter));
  CHECK(violations(own) == Found{0, 0});
}

TEST_CASE("intercommunicators: operations with a root") {
  // Rank 1 broadcasts to ranks 2 and 3 at 20 s; rank 0 does not take part. Rank 2 leaves too early.
  const auto run = [](const char* name, bool to_all) {
    TraceBuilder t(4);
    const auto inter = t.intercommunicator({0, 1}, {2, 3});
    const double enters[] = {10, 20, 1, 2}, exits[] = {11, 26, 3, 30};
    const std::uint32_t roots[] = {OTF2_COLLECTIVE_ROOT_THIS_GROUP, OTF2_COLLECTIVE_ROOT_SELF, 1,
                                   1};
    for (int r = 0; r < 4; ++r) {
      const std::uint64_t at_root = r == 1 ? 16 : 0, at_others = r > 1 ? 8 : 0;
      t.collective(r, name, at(enters[r]), leave(exits[r]), on(inter), root(roots[r]),
                   sent(to_all ? at_root : at_others), received(to_all ? at_others : at_root));
    }
    return violations(t);
  };
  CHECK(run("MPI_Bcast", true) == Found{0, 1});
  CHECK(run("MPI_Scatter", true) == Found{0, 1});
  CHECK(run("MPI_Reduce", false) == Found{0, 0});  // the root leaves last, at 26 s

  // Rank 1 is the root that gathers from ranks 2 and 3. Rank 3 enters at 40 s.
  TraceBuilder t(4);
  const auto inter = t.intercommunicator({0, 1}, {2, 3});
  const double enters[] = {10, 20, 1, 40};
  const std::uint32_t roots[] = {OTF2_COLLECTIVE_ROOT_THIS_GROUP, OTF2_COLLECTIVE_ROOT_SELF, 1, 1};
  for (int r = 0; r < 4; ++r) {
    t.collective(r, "MPI_Gather", at(enters[r]), leave(enters[r] + 5), on(inter), root(roots[r]),
                 sent(r > 1 ? 8 : 0), received(r == 1 ? 16 : 0));
  }
  CHECK(violations(t) == Found{0, 1});
}

TEST_CASE("operations that are incomplete are no constraints") {
  TraceBuilder t(3);
  t.collective("MPI_Barrier", {{1, 2}, {5, 6}, absent});
  t.send(0, at(9), to(1), tag(3));
  t.recv(1, at(7), leave(8), from(0), tag(4));
  CHECK(violations(t) == Found{0, 0});
}
