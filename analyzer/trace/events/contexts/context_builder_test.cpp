// SPDX-License-Identifier: BSD-3-Clause
// Calling contexts: the regions that are left and entered, and how long each was open.
#include <catch2/catch.hpp>

#include "analyzer/trace/events/location_builder.hpp"

using namespace latecomer::trace;

namespace {

enum RegionId : std::uint32_t { kProgram, kMain, kSolve, kExchange, kRecv, kPoll };
// Ids of contexts: kMain > kSolve > kExchange > kRecv > kPoll, and kMain > kRecv.
enum ContextId : std::uint32_t { kInMain = 10, kInSolve, kInExchange, kInRecv, kInPoll, kOther };

struct Fixture {
  Definitions definitions;
  CallTree tree{kProgram};
  LocationBuilder builder{make(definitions), tree, 0};

  static Definitions& make(Definitions& d) {
    for (const char* name : {"prog", "main", "solve", "exchange", "MPI_Recv", "poll"}) {
      Region region;
      region.name = name;
      region.mpi = region.name.starts_with("MPI_");
      d.region_ids.add(d.regions.size());
      d.regions.push_back(region);
    }
    d.program_region = kProgram;
    d.processes.resize(1);
    d.locations.resize(1);
    d.locations[0].process = 0;
    const auto add = [&](ContextId id, RegionId region, std::uint32_t parent, bool inside_mpi) {
      d.context_ids.add(id);
      d.contexts.push_back({region, d.context_ids.find(parent), inside_mpi});
    };
    add(kInMain, kMain, kNone, false);
    add(kInSolve, kSolve, kInMain, false);
    add(kInExchange, kExchange, kInSolve, false);
    add(kInRecv, kRecv, kInExchange, false);
    add(kInPoll, kPoll, kInRecv, true);
    add(kOther, kRecv, kInMain, false);
    return d;
  }

  // Time and visits of the call path that begins at the program.
  std::pair<Ticks, std::int64_t> of(const LocationEvents& events,
                                    std::initializer_list<RegionId> path) {
    std::uint32_t node = 0;
    for (const auto region : path) {
      const auto size = tree.size();
      node = tree.child(node, region, 0);
      REQUIRE(tree.size() == size);  // it exists
    }
    return {events.time[node], events.visits[node]};
  }
};

using Cell = std::pair<Ticks, std::int64_t>;

}  // namespace

TEST_CASE("regions between the known and the entered one are entered with it") {
  Fixture f;
  f.builder.contexts.enter(0, kInMain, 1);   // nothing is open: everything is new
  f.builder.contexts.enter(10, kInRecv, 4);  // solve, exchange, MPI_Recv are new in main
  f.builder.contexts.leave(15, kInRecv);     // exchange continues
  f.builder.contexts.enter(17, kInRecv, 2);  // the same exchange
  f.builder.contexts.leave(20, kInRecv);
  f.builder.contexts.enter(22, kInRecv, 3);  // another exchange, in the same solve
  f.builder.contexts.leave(23, kInRecv);
  f.builder.contexts.enter(30, kOther, 2);  // solve is left at 30 at the latest
  f.builder.contexts.leave(34, kOther);
  f.builder.contexts.leave(40, kInMain);
  auto events = f.builder.finish();
  CHECK(events.events == 10);
  CHECK(f.of(events, {kMain}) == Cell(10 + 6, 1));  // [0, 10), [34, 40)
  CHECK(f.of(events, {kMain, kSolve}) == Cell(0, 1));
  CHECK(f.of(events, {kMain, kSolve, kExchange}) == Cell(2 + 2 + 7, 2));  // 15-17, 20-22, 23-30
  CHECK(f.of(events, {kMain, kSolve, kExchange, kRecv}) == Cell(5 + 3 + 1, 3));
  CHECK(f.of(events, {kMain, kRecv}) == Cell(4, 1));
  CHECK(events.quality.values() == QualityCounts().values());
}

TEST_CASE("samples move the open path, and what MPI calls itself belongs to the call") {
  Fixture f;
  f.builder.contexts.enter(0, kInMain, 1);
  f.builder.contexts.enter(5, kInExchange, 3);  // a sample: main > solve > exchange
  f.builder.contexts.enter(8, kInSolve, 1);     // exchange is over
  f.builder.contexts.enter(9, kInSolve, 0);     // nothing happened
  f.builder.contexts.enter(10, kInRecv, 3);
  f.builder.contexts.enter(12, kInPoll, 2);  // sampled inside of MPI_Recv
  f.builder.contexts.leave(16, kInRecv);
  f.builder.contexts.leave(20, kInMain);  // closes all that is open in main
  auto events = f.builder.finish();
  CHECK(f.of(events, {kMain}) == Cell(5, 1));
  CHECK(f.of(events, {kMain, kSolve}) == Cell(2, 1));                    // [8, 10)
  CHECK(f.of(events, {kMain, kSolve, kExchange}) == Cell(3 + 4, 2));     // [5, 8), [16, 20)
  CHECK(f.of(events, {kMain, kSolve, kExchange, kRecv}) == Cell(6, 1));  // [10, 16)
  CHECK(events.quality.values() == QualityCounts().values());
}

TEST_CASE("contexts that are not defined, not open, or promise too much") {
  Fixture f;
  f.builder.contexts.enter(0, 99, 1);           // an undefined context
  f.builder.contexts.leave(1, kInMain);         // not open
  f.builder.contexts.enter(2, kInExchange, 1);  // claims to be open
  f.builder.contexts.leave(5, kInExchange);
  f.builder.contexts.enter(6, kInMain, 1000);  // longer than any path: everything is new
  f.builder.contexts.leave(8, kInMain);
  auto events = f.builder.finish();
  CHECK(events.quality[Quality::kUnknownReferences] == 1);
  CHECK(events.quality[Quality::kUnbalancedLeaves] == 1);
  CHECK(f.of(events, {kMain, kSolve, kExchange}) == Cell(3, 1));
  CHECK(f.of(events, {kMain}) == Cell(2, 2));
}
