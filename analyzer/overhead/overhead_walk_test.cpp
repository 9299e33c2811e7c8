// SPDX-License-Identifier: BSD-3-Clause
// Overhead between the events of one location: its place, its length, and what there is no room
// for.
#include "analyzer/overhead/overhead_walk.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <utility>
#include <vector>

using namespace latecomer;
using namespace latecomer::replay;
using trace::Ticks;

namespace {

constexpr std::uint32_t kProgram = 0, kWork = 1, kSend = 2, kFlush = 3;

// Costs of whole ticks.
constexpr EventCosts::Cost ticks(Ticks count) { return count << EventCosts::kFractionBits; }

// Nodes: program, work, MPI_Send below work, a flush below program.
PathCosts costs_of(Ticks region, Ticks mpi) {
  trace::Definitions definitions;
  definitions.regions.resize(4);
  definitions.regions[2].mpi = true;
  definitions.flush_region = 3;
  definitions.off_region = trace::kNone;
  trace::GlobalCallTree tree;
  tree.nodes = {{trace::kNone, 0}, {kProgram, 1}, {kWork, 2}, {kProgram, 3}};
  tree.from_local = {0, 1, 2, 3};
  EventCosts costs;
  costs.region = ticks(region);
  costs.mpi = ticks(mpi);
  return {definitions, tree, costs};
}

trace::LocationEvents with(std::initializer_list<std::pair<Ticks, std::uint32_t>> changes,
                           Ticks last) {
  trace::LocationEvents events;
  events.first = changes.begin()->first;
  events.last = last;
  for (const auto& [time, node] : changes) events.timeline.open(time, node);
  return events;
}

struct Found {
  std::vector<std::vector<Ticks>> pieces;  // begin, end, kind
  Ticks missing = 0;
};
Found overhead(const trace::LocationEvents& events, const PathCosts& costs) {
  Found found;
  OverheadWalk walk(events, costs);
  walk.go_on_to(OverheadWalk::kNoMore, [&](Ticks begin, Ticks end, OverheadKind kind) {
    found.pieces.push_back({begin, end, static_cast<Ticks>(kind)});
  });
  found.missing = walk.missing();
  return found;
}
constexpr Ticks kOfMpi = 0, kOfRegion = 1, kOfStack = 2, kOfSample = 3, kOfFlush = 4;
using Pieces = std::vector<std::vector<Ticks>>;

}  // namespace

TEST_CASE("overhead of enters and leaves follows them, as far as there is time") {
  const auto events = with({{0, kWork}, {10, kProgram}, {12, kWork}, {40, kProgram}}, 50);
  const auto found = overhead(events, costs_of(3, 0));
  CHECK(found.pieces ==
        Pieces{{0, 3, kOfRegion}, {10, 12, kOfRegion}, {12, 15, kOfRegion}, {40, 43, kOfRegion}});
  CHECK(found.missing == 1);
}

TEST_CASE("overhead of events at one time is taken together; a new stretch is no event") {
  const auto events = with({{0, kProgram}, {5, kWork}, {5, kSend}, {9, kWork}, {9, kProgram}}, 30);
  const auto found = overhead(events, costs_of(1, 2));
  // 5: enters of work and MPI_Send. 9: leaves.
  CHECK(found.pieces == Pieces{{5, 8, kOfMpi}, {9, 12, kOfRegion}});
  CHECK(found.missing == 0);
}

TEST_CASE("overhead: fractions of ticks add up") {
  auto costs = costs_of(0, 0);
  costs.nodes[kWork].cost = ticks(1) / 2;
  const auto events = with({{0, kWork}, {10, kProgram}, {20, kWork}, {30, kProgram}}, 40);
  CHECK(overhead(events, costs).pieces == Pieces{{10, 11, kOfRegion}, {30, 31, kOfRegion}});
}

TEST_CASE("overhead of a stack and of samples is before the event that follows") {
  auto costs = costs_of(1, 1);
  costs.stack = ticks(3);
  costs.sample = ticks(2);
  // Only the first MPI_Send unwinds a stack. Its function is entered at the same time.
  auto events = with({{0, kProgram}, {10, kWork}, {10, kSend}, {12, kWork}, {20, kSend}}, 22);
  events.sample_times = {{.time = 4}, {.time = 5}, {.time = 15}};
  CHECK(overhead(events, costs).pieces == Pieces{{3, 7, kOfSample},
                                                 {7, 10, kOfStack},
                                                 {10, 12, kOfMpi},
                                                 {12, 13, kOfMpi},
                                                 {18, 20, kOfSample},
                                                 {20, 21, kOfMpi}});
}

TEST_CASE("overhead: flushes are as long as recorded") {
  const auto events = with({{0, kWork}, {10, kProgram}, {12, kFlush}, {20, kProgram}}, 30);
  CHECK(overhead(events, costs_of(1, 1)).pieces ==
        Pieces{{0, 1, kOfRegion}, {10, 11, kOfRegion}, {12, 20, kOfFlush}});
}

TEST_CASE("overhead can be passed in parts") {
  const auto events = with({{0, kWork}, {10, kProgram}}, 30);
  const auto costs = costs_of(4, 0);
  OverheadWalk walk(events, costs);
  Ticks sum = 0;
  const auto add = [&](Ticks begin, Ticks end, OverheadKind) { sum += end - begin; };
  walk.go_on_to(1, add);
  CHECK(sum == 1);
  walk.go_on_to(10, add);
  CHECK(sum == 4);
  CHECK(walk.piece().begin == 10);
  walk.go_on_to(12, add);
  CHECK(sum == 6);
}
