// SPDX-License-Identifier: BSD-3-Clause
// LocationBuilder: times of call paths, order of receives, and records that do not fit.
#include "analyzer/trace/events/location_builder.hpp"

#include <catch2/catch.hpp>

#include "analyzer/trace/events/core/call_row.hpp"

using namespace latecomer::trace;

namespace {

enum RegionId : std::uint32_t { kProgram, kMain, kRecv, kWait, kFlush, kOff };

// Two processes on two metahosts; the ids of regions and of communicator 0 equal their index.
Definitions two_processes() {
  Definitions d;
  for (const char* name : {"prog", "main", "MPI_Recv", "MPI_Wait", "flush", "off"}) {
    Region region;
    region.name = name;
    region.mpi = region.name.starts_with("MPI_");
    d.region_ids.add(d.regions.size());
    d.regions.push_back(region);
  }
  d.program_region = kProgram;
  d.flush_region = kFlush;
  d.off_region = kOff;
  d.metahosts.resize(2);
  d.processes.resize(2);
  d.processes[1].metahost = 1;
  d.locations.resize(2);
  d.locations[0].process = 0;
  d.locations[1].process = 1;
  Comm world;
  world.members = {0, 1};
  world.spans_metahosts = true;
  d.comm_ids.add(0);
  d.comms.push_back(world);
  return d;
}

struct Fixture {
  Definitions definitions = two_processes();
  CallTree tree{kProgram};
  LocationBuilder builder{definitions, tree, 0};

  // The events read for a run that ended at that time.
  LocationEvents finish(Ticks end_of_run) {
    auto out = builder.finish();
    out.events = 1;
    out.close(end_of_run);
    return out;
  }
};

}  // namespace

TEST_CASE("time between two events belongs to the innermost open region") {
  Fixture f;
  //  0 enter main   3 enter recv   7 leave recv   9 leave main     main 3 + 2, recv 4
  f.builder.enter(0, kMain);
  f.builder.enter(3, kRecv);
  f.builder.leave(7, kRecv);
  f.builder.leave(9, kMain);
  const auto out = f.finish(f.builder.regions.last());
  CHECK(out.time == std::vector<Ticks>{0, 5, 4});
  CHECK(out.visits == std::vector<std::int64_t>{1, 1, 1});
  CHECK(f.tree.nodes()[2].parent == 1);
}

TEST_CASE("receives stand in the order of posting, not of completion") {
  Fixture f;
  f.builder.enter(0, kWait);
  f.builder.messages.receive_posted(1, 11);
  f.builder.messages.receive_posted(2, 12);
  f.builder.messages.ireceive(5, 1, 0, 7, 800, 12);
  f.builder.messages.ireceive(6, 1, 0, 7, 400, 11);
  f.builder.leave(8, kWait);
  const auto out = f.finish(f.builder.regions.last());
  REQUIRE(out.receives.size() == 2);
  CHECK(out.bytes(out.receives[0]) == 400);
  CHECK(out.bytes(out.receives[1]) == 800);
  CHECK(out.receives[1].other == 0);
  CHECK(out.receives[0].peer == 1);
  CHECK(out.calls.size() == 1);
  CHECK(out.calls[0].leave == 8);
  CHECK(out.calls[0].crosses_metahosts);
}

TEST_CASE("messages know the call that posts or completes them, and any size") {
  Fixture f;
  f.builder.enter(0, kWait);
  f.builder.messages.isend(1, 1, 0, 7, 0x7fffffff, 1);
  f.builder.messages.isend(2, 1, 0, 7, std::uint64_t{1} << 40, 2);
  f.builder.messages.isend(3, 1, 0, 7, 0x80000000, 3);
  f.builder.leave(4, kWait);
  f.builder.enter(5, kWait);
  f.builder.messages.isend_complete(6, 2);
  f.builder.leave(7, kWait);
  const auto out = f.finish(f.builder.regions.last());
  CHECK(out.bytes(out.sends[0]) == 0x7fffffff);
  CHECK(out.bytes(out.sends[1]) == std::uint64_t{1} << 40);
  CHECK(out.bytes(out.sends[2]) == 0x80000000);
  CHECK(out.sends[0].other == kNone);  // never completed
  CHECK(out.sends[1].call == 0);
  CHECK(out.sends[1].other == 1);
}

TEST_CASE("cancelled operations have no partner") {
  Fixture f;
  f.builder.enter(0, kWait);
  f.builder.messages.isend(1, 1, 0, 7, 8, 1);
  f.builder.messages.receive_posted(2, 2);
  f.builder.messages.request_cancelled(3, 1);
  f.builder.messages.request_cancelled(4, 2);
  f.builder.leave(5, kWait);
  const auto out = f.finish(f.builder.regions.last());
  CHECK(out.sends[0].peer == kNone);
  CHECK(out.receives[0].peer == kNone);
  CHECK(out.quality[Quality::kUnresolvedRequests] == 0);
}

TEST_CASE("leave records that do not nest close what lies above, or are ignored") {
  Fixture f;
  f.builder.enter(0, kMain);
  f.builder.enter(1, kRecv);
  f.builder.leave(2, kWait);  // never entered: ignored
  f.builder.leave(4, kMain);  // closes MPI_Recv too
  f.builder.enter(5, kMain);  // open at the end
  f.builder.regions.advance(8);
  const auto out = f.finish(f.builder.regions.last());
  CHECK(out.quality[Quality::kUnbalancedLeaves] == 2);
  CHECK(out.quality[Quality::kUnclosedRegions] == 1);
  CHECK(out.time == std::vector<Ticks>{1, 1 + 3, 3});
}

TEST_CASE("a flush keeps its interval, whatever the next events say") {
  Fixture f;
  //  0 enter main, flush 10..50, the event that triggered it is stamped 12: main 0..10 and 50..60
  f.builder.enter(0, kMain);
  f.builder.regions.buffer_flush(10, 50);
  f.builder.enter(12, kRecv);
  f.builder.leave(40, kRecv);
  f.builder.leave(60, kMain);
  const auto out = f.finish(f.builder.regions.last());
  CHECK(out.time == std::vector<Ticks>{0, 20, 40, 0});
  CHECK(out.quality[Quality::kFlushes] == 1);
}

TEST_CASE("flushes of our own measurement are part of its cost, not worth a note") {
  Fixture f;
  f.definitions.properties["LATECOMER::VERSION"] = "1";
  f.builder.enter(0, kMain);
  f.builder.regions.buffer_flush(10, 50);
  f.builder.leave(60, kMain);
  CHECK(f.finish(f.builder.regions.last()).quality[Quality::kFlushes] == 0);
}

TEST_CASE("references to nothing are counted and left out") {
  Fixture f;
  f.builder.enter(0, kRecv);
  f.builder.messages.send(1, 5, 0, 7, 8);   // no rank 5
  f.builder.messages.send(2, 1, 99, 7, 8);  // no communicator 99
  f.builder.leave(3, kRecv);
  f.builder.enter(4, 77);  // no region 77
  f.builder.leave(5, 77);
  f.builder.messages.send(6, 1, 0, 7, 8);  // outside any MPI call
  const auto out = f.finish(f.builder.regions.last());
  CHECK(out.sends.empty());
  CHECK(out.quality[Quality::kUnknownReferences] == 3);
  CHECK(out.quality[Quality::kRecordsOutsideMpi] == 1);
  CHECK(out.time == std::vector<Ticks>{3, 3});
}

TEST_CASE("what is open when the events stop lasts to the end of the run") {
  Fixture f;
  //  0 enter main   3 enter recv, nothing more; others went on until 20    main 3, recv 17
  f.builder.enter(0, kMain);
  f.builder.enter(3, kRecv);
  f.builder.messages.receive(5, 1, 0, 7, 8);
  const auto out = f.finish(20);
  CHECK(out.time == std::vector<Ticks>{0, 3, 17});
  CHECK(out.last == 20);
  CHECK(out.calls[0].leave == 20);
  CHECK(out.stop.mpi_node == 2);
  CHECK(out.stop.since == 3);
}

TEST_CASE("what is open where a file is cut ends there") {
  Fixture f;
  f.builder.enter(0, kMain);
  f.builder.enter(3, kRecv);
  f.builder.messages.receive(5, 1, 0, 7, 8);
  auto out = f.builder.finish();
  out.events = 3;
  out.complete = false;
  out.close(20);
  CHECK(out.time == std::vector<Ticks>{0, 3, 2});
  CHECK(out.last == 5);
  CHECK(out.calls[0].leave == 5);
}

TEST_CASE("a process that exited did not live until the end of the run") {
  Fixture f;
  f.builder.enter(0, kMain);
  f.builder.regions.program_end(4);
  const auto out = f.finish(20);
  CHECK(out.time == std::vector<Ticks>{0, 4});
  CHECK(out.last == 4);
}

TEST_CASE("one-sided communication: transfers, epochs, locks, and references that nobody defined") {
  Fixture f;
  auto& d = f.definitions;
  d.regions[kWait].epoch = latecomer::patterns::EpochCall::kStart;
  d.comms.push_back(Comm(d.comms[0]));
  d.window_ids.add(7);
  d.windows.push_back({"", 1});
  d.group_ids.add(3);
  d.groups.push_back({1});
  auto& b = f.builder;
  b.enter(0, kRecv);
  b.windows.collective_end(1, 17, 1, 7);
  b.windows.transfer(2, WindowEvent::Kind::kPut, 7, 1, 100, 0);
  b.windows.transfer(3, WindowEvent::Kind::kGet, 7, 0, 0, 50);
  b.windows.transfer(4, WindowEvent::Kind::kPut, 7, 2, 1, 0);  // there is no rank 2
  b.windows.transfer(4, WindowEvent::Kind::kPut, 8, 1, 1, 0);  // there is no window 8
  b.windows.group_sync(5, 7, 3);  // in a call that is not part of an epoch
  b.windows.lock(6, true, 7, 0xffffffff, true);
  b.leave(7, kRecv);
  b.enter(8, kWait);
  b.windows.group_sync(9, 7, 3);
  b.windows.group_sync(9, 7, 4);  // there is no group 4
  b.leave(10, kWait);
  const auto out = f.finish(10);
  REQUIRE(out.collectives.size() == 1);
  CHECK(out.kinds[out.collectives[0].kind].comm == 1);
  REQUIRE(out.window_events.size() == 4);
  CHECK(out.window_events[0].kind == WindowEvent::Kind::kPut);
  CHECK(out.window_events[0].other == 1);
  CHECK(out.window_events[0].epoch == 1);
  CHECK(out.window_events[2].kind == WindowEvent::Kind::kLock);
  CHECK(out.window_events[2].other == kNone);
  CHECK(out.window_events[3].kind == WindowEvent::Kind::kStart);
  CHECK(out.window_events[3].is_epoch());
  CHECK(out.calls[0].crosses_metahosts);
  CHECK(out.calls[1].crosses_metahosts);
  const auto node = out.calls[0].node;
  CHECK(out.transferred.at(node).puts == 1);
  CHECK(out.transferred.at(node).sent == 100);
  CHECK(out.transferred.at(node).received == 50);
  CHECK(out.quality[Quality::kUnknownReferences] == 3);
}

TEST_CASE("a visit that stands for several calls leaves the rest of its time to the caller") {
  Fixture f;
  f.definitions.regions[kWait].test = f.definitions.regions[kWait].watched = true;
  // main 0..100; three calls within 10..31, which take 9: 3 each, 6 in between.
  f.builder.enter(0, kMain);
  f.builder.enter(10, kWait);
  f.builder.regions.leave_row(31, kWait, 3, 9);
  f.builder.leave(100, kMain);
  const auto out = f.finish(100);
  REQUIRE(out.time.size() == 3);
  CHECK(out.time[1] == 100 - 9);
  CHECK(out.time[2] == 9);
  CHECK(out.visits[1] == 1);
  CHECK(out.visits[2] == 3);
  REQUIRE(out.polls.size() == 3);
  CHECK(out.polls[0].enter == 10);
  CHECK(out.polls[0].leave == 13);
  CHECK(out.polls[1].enter == 19);
  CHECK(out.polls[1].leave == 22);
  CHECK(out.polls[2].enter == 28);
  CHECK(out.polls[2].leave == 31);
}

TEST_CASE("probes have calls, also those that one visit stands for") {
  Fixture f;
  f.definitions.regions[kWait].probe = f.definitions.regions[kWait].watched = true;
  f.builder.enter(0, kMain);
  f.builder.enter(10, kWait);
  f.builder.regions.leave_row(31, kWait, 3, 9);  // as above
  f.builder.enter(40, kWait);
  f.builder.leave(50, kWait);
  f.builder.leave(100, kMain);
  const auto out = f.finish(100);
  CHECK(out.visits[2] == 4);
  CHECK(out.time[2] == 9 + 10);
  CHECK(out.polls.size() == 0);
  REQUIRE(out.calls.size() == 4);
  CHECK(out.calls[1].enter == 19);
  CHECK(out.calls[1].leave == 22);
  CHECK(out.calls[3].enter == 40);
  CHECK(out.calls[3].leave == 50);
}

TEST_CASE("a visit that stands for very many calls becomes some with their time") {
  Fixture f;
  f.definitions.regions[kWait].test = f.definitions.regions[kWait].watched = true;
  const Ticks time = 700'000'000'123, end = 1'000'000'000'457;
  f.builder.enter(0, kWait);
  f.builder.regions.leave_row(end, kWait, 5'000'000'000, static_cast<std::uint64_t>(time));
  // The first visit has more time than it lasts, and the leave of the second one is of another
  // region. Both are used as far as possible.
  f.builder.enter(end, kWait);
  f.builder.regions.leave_row(end + 10, kWait, 4, 50);
  f.builder.enter(end + 10, kMain);
  f.builder.enter(end + 20, kWait);
  f.builder.regions.leave_row(end + 30, kMain, 7, 3);
  const auto out = f.finish(end + 30);
  CHECK(out.visits[1] == 5'000'000'004);
  CHECK(out.time[1] == time + 10);
  CHECK(out.time[0] == end - time);
  CHECK(out.polls.size() == static_cast<std::size_t>(CallRow::kMostPieces) + 4 + 1);
  CHECK(out.visits[3] == 1);
  Ticks sum = 0, last = 0;
  for (const auto& poll : out.polls) {
    CHECK(poll.enter >= last);
    last = poll.leave;
    sum += poll.leave - poll.enter;
  }
  CHECK(sum == time + 10 + 10);
}
