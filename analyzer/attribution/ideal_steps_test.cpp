// SPDX-License-Identifier: BSD-3-Clause
// Time outside of MPI that the steps of the ideal replay consist of.
#include "analyzer/attribution/time_outside_mpi.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace latecomer;

namespace {

constexpr std::uint32_t kProgram = 0, kMpi = 1;
const std::vector<std::uint8_t> kMpiNodes = {0, 1};

//   10 program   14 MPI   20 program   30 the end
trace::LocationEvents with_calls(std::initializer_list<trace::Call> calls) {
  trace::LocationEvents events;
  events.first = 10;
  events.last = 30;
  events.timeline.open(10, kProgram);
  events.timeline.open(14, kMpi);
  events.timeline.open(20, kProgram);
  for (const auto& call : calls) events.calls.push_back(call);
  return events;
}

}  // namespace

TEST_CASE("time outside of MPI: up to a change, at it, twice at a moment, behind the last one") {
  const auto events = with_calls({{12, 12}, {14, 14}, {17, 17}, {22, 22}, {22, 22}});
  replay::TimeOutsideMpi outside(events, kMpiNodes);
  CHECK(outside.until_call(0) == 2);
  CHECK(outside.until_call(1) == 4);
  CHECK(outside.until_call(2) == 4);
  CHECK(outside.until_call(3) == 6);
  CHECK(outside.until_call(4) == 6);
  CHECK(outside.until_end() == 14);
}

TEST_CASE("time outside of MPI: calls tell the same where they are all") {
  const auto events = with_calls({{14, 20, kMpi}, {25, 25, kMpi}});
  const auto check = [](auto outside) {
    auto other = outside;
    CHECK(outside.until_call(0) == 4);
    CHECK(outside.until_call(1) == 9);
    CHECK(outside.until_end() == 14);
    CHECK(other.until_call(1) == 9);
  };
  check(replay::TimeOutsideMpi(events, kMpiNodes));
  check(replay::TimeBetweenCalls(events));
}

TEST_CASE("time outside of MPI of a location without events") {
  const trace::LocationEvents none;
  CHECK(replay::TimeOutsideMpi(none, kMpiNodes).until_end() == 0);
  CHECK(replay::TimeBetweenCalls(none).until_end() == 0);
}
