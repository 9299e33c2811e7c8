// SPDX-License-Identifier: BSD-3-Clause
// Pairs of processes whose clocks are compared under each scheme, without any deadlock.
#include "tracer/session/clocks/clock_plan.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <random>
#include <set>

#include "sync/measurement.hpp"

using namespace latecomer;
using namespace latecomer::session;

namespace {

constexpr std::uint8_t kS = 1, kF = 2, kH = 4;

// Metahost 0: ranks 0, 1 on one node, 2 alone. Metahost 1: 3 alone, 4 and 5 on one node, 6 alone.
const std::vector<Place> kTwoMetahosts = {{0, 0}, {0, 0}, {2, 0}, {3, 1}, {4, 1}, {4, 1}, {6, 1}};

// All links from the partners' plans, in the order of ranks.
std::vector<ClockLink> all_links(const std::vector<Place>& places, SyncMode mode,
                                 SyncMoment moment) {
  std::vector<ClockLink> links;
  for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
    for (const ClockLink& link : links_of(rank, places, mode, moment)) {
      if (link.partner == rank) links.push_back(link);
    }
  }
  return links;
}

using Links = std::vector<ClockLink>;

// Simulates the plans of all processes; false if some wait for each other forever.
bool everybody_finishes(const std::vector<Place>& places, SyncMode mode, SyncMoment moment) {
  std::vector<std::deque<ClockLink>> plans;
  for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
    const auto links = links_of(rank, places, mode, moment);
    plans.emplace_back(links.begin(), links.end());
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& plan : plans) {
      if (plan.empty()) continue;
      const ClockLink link = plan.front();
      auto& child = plans[static_cast<std::size_t>(link.child)];
      auto& partner = plans[static_cast<std::size_t>(link.partner)];
      if (child.empty() || partner.empty()) continue;
      if (!(child.front() == link) || !(partner.front() == link)) continue;
      child.pop_front();
      partner.pop_front();
      moved = true;
    }
  }
  for (const auto& plan : plans) {
    if (!plan.empty()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("the hierarchical scheme crosses the slow link once") {
  CHECK(all_links(kTwoMetahosts, SyncMode::kHierarchical, SyncMoment::kInit) ==
        Links{{3, 0, kH, true}, {2, 0, kH, false}, {4, 3, kH, false}, {6, 3, kH, false}});
}

TEST_CASE("the flat schemes measure every clock against rank 0") {
  const Links flat = {{3, 0, kF, true}, {2, 0, kF, false}, {4, 0, kF, true}, {6, 0, kF, true}};
  CHECK(all_links(kTwoMetahosts, SyncMode::kFlat, SyncMoment::kFinalize) == flat);
  Links single = flat;
  for (ClockLink& link : single) link.schemes = kS;
  CHECK(all_links(kTwoMetahosts, SyncMode::kFlatSingle, SyncMoment::kInit) == single);
  CHECK(all_links(kTwoMetahosts, SyncMode::kFlatSingle, SyncMoment::kFinalize).empty());
}

TEST_CASE("all schemes at once measure common links once") {
  CHECK(all_links(kTwoMetahosts, SyncMode::kAll, SyncMoment::kInit) ==
        Links{{3, 0, kS | kF | kH, true},
              {2, 0, kS | kF | kH, false},
              {4, 0, kS | kF, true},
              {6, 0, kS | kF, true},
              {4, 3, kH, false},
              {6, 3, kH, false}});
  CHECK(all_links(kTwoMetahosts, SyncMode::kAll, SyncMoment::kBetween)[2] ==
        ClockLink{4, 0, kF, true});
}

TEST_CASE("processes that share a clock measure nothing") {
  const std::vector<Place> one(8);
  CHECK(all_links(one, SyncMode::kAll, SyncMoment::kInit).empty());
}

TEST_CASE("latencies between all metahosts are measured at the ends of the run") {
  // Metahosts 1 and 2 share the clock of rank 0; metahost 3 has its own.
  const std::vector<Place> places = {{0, 0}, {0, 1}, {0, 2}, {3, 3}};
  const Links expected = {{3, 0, kH, true}, {1, 0, 0, true}, {2, 0, 0, true},
                          {2, 1, 0, true},  {3, 1, 0, true}, {3, 2, 0, true}};
  CHECK(all_links(places, SyncMode::kHierarchical, SyncMoment::kInit) == expected);
  CHECK(all_links(places, SyncMode::kHierarchical, SyncMoment::kFinalize) == expected);
  CHECK(all_links(places, SyncMode::kHierarchical, SyncMoment::kBetween) == Links{expected[0]});
}

TEST_CASE("a clock that reaches into another metahost is measured where its leader is") {
  // Rank 1, master of metahost 1, shares its clock with rank 3, master of metahost 2. Rank 4 is
  // measured against rank 3, whose clock is that of rank 1.
  const std::vector<Place> places = {{0, 0}, {1, 1}, {0, 0}, {1, 2}, {4, 2}};
  CHECK(all_links(places, SyncMode::kHierarchical, SyncMoment::kBetween) ==
        Links{{1, 0, kH, true}, {4, 3, kH, false}});
}

TEST_CASE("property: every clock is measured, and no process waits for ever") {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const auto size = 1 + static_cast<int>(random() % 30);
    const auto metahosts = 1 + random() % 5;
    std::vector<Place> places;
    std::map<std::uint32_t, std::int32_t> index;
    std::map<std::uint32_t, std::int32_t> leaders;
    for (std::int32_t rank = 0; rank < size; ++rank) {
      const auto metahost = static_cast<std::uint32_t>(random() % metahosts);
      const auto clock = static_cast<std::uint32_t>(random() % 12);
      const auto m = index.try_emplace(metahost, static_cast<std::int32_t>(index.size())).first;
      places.push_back({leaders.try_emplace(clock, rank).first->second, m->second});
    }
    for (const SyncMode mode :
         {SyncMode::kFlatSingle, SyncMode::kFlat, SyncMode::kHierarchical, SyncMode::kAll}) {
      for (const SyncMoment moment :
           {SyncMoment::kInit, SyncMoment::kBetween, SyncMoment::kFinalize}) {
        CHECK(everybody_finishes(places, mode, moment));
        std::set<int> measured;
        for (const ClockLink& link : all_links(places, mode, moment)) {
          CHECK(link.partner < link.child);
          if (link.schemes == 0) continue;
          CHECK(places[static_cast<std::size_t>(link.child)].clock == link.child);
          measured.insert(link.child);
        }
        const bool nothing = mode == SyncMode::kFlatSingle && moment != SyncMoment::kInit;
        CHECK(measured.size() == (nothing ? 0 : leaders.size() - 1));
      }
    }
  }
}
