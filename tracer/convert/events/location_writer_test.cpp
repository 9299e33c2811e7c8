// SPDX-License-Identifier: BSD-3-Clause
// Records of one thread, and the events that are made of them.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/convert/converted.hpp"
#include "tests/support/environment_variable.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

constexpr std::uint32_t kCreateHandle = 17;

// The events of the main thread of rank 0.
Lines events_of(Experiment& experiment) {
  experiment.finish();
  const Converted c = converted(experiment);
  CHECK(c.archive.errors.empty());
  for (const ReadLocation& d : c.archive.locations) CHECK(d.events.size() == d.stated_events);
  return c.archive.location(0).events;
}

void define_function(Experiment& e, std::uint32_t id, const std::string& name) {
  e.add(0, record::RegionDefinition{id, "user", "function", name, "", "a.c", 1, 2});
}

}  // namespace

TEST_CASE("blocking messages") {
  Experiment e(2);
  auto& w = e.thread(0);
  w.enter(mpi("MPI_Send"), 10);
  w.send({0, 1, 7, 64}, 10);
  w.leave(mpi("MPI_Send"), 12);
  w.enter(mpi("MPI_Recv"), 12);
  w.recv({0, 1, 8, std::uint64_t{1} << 40}, 20);
  w.leave(mpi("MPI_Recv"), 20);
  e.thread(1);
  CHECK(events_of(e) == Lines{"10 Enter MPI_Send", "10 MpiSend 1 MPI_COMM_WORLD tag 7 bytes 64",
                              "12 Leave MPI_Send", "12 Enter MPI_Recv",
                              "20 MpiRecv 1 MPI_COMM_WORLD tag 8 bytes 1099511627776",
                              "20 Leave MPI_Recv"});
}

TEST_CASE("nonblocking messages and their requests") {
  Experiment e(2);
  auto& w = e.thread(0);
  w.irecv_request(1, 5);
  w.isend({0, 1, 3, 8}, 2, 6);
  w.request_test(1, 7);
  w.isend_complete(2, 8);
  w.irecv({0, 1, 4, 16}, 1, 9);
  w.irecv_request(std::uint64_t{1} << 50, 10);
  w.request_cancelled(std::uint64_t{1} << 50, 11);
  e.thread(1);
  CHECK(events_of(e) == Lines{"5 MpiIrecvRequest request 1",
                              "6 MpiIsend 1 MPI_COMM_WORLD tag 3 bytes 8 request 2",
                              "7 MpiRequestTest request 1", "8 MpiIsendComplete request 2",
                              "9 MpiIrecv 1 MPI_COMM_WORLD tag 4 bytes 16 request 1",
                              "10 MpiIrecvRequest request 1125899906842624",
                              "11 MpiRequestCancelled request 1125899906842624"});
}

TEST_CASE("collective operations") {
  Experiment e(2);
  auto& w = e.thread(0);
  w.enter(mpi("MPI_Bcast"), 10);
  w.collective_begin(10);
  w.collective_end({0, 1, 1, 0, 512}, 15);
  w.leave(mpi("MPI_Bcast"), 15);
  w.enter(mpi("MPI_Ibarrier"), 20);
  w.nonblocking_request(4, 20);
  w.leave(mpi("MPI_Ibarrier"), 21);
  w.nonblocking_complete({0, 0, record::kRootNone, 0, 0}, 4, 30);
  w.collective_begin(31);
  w.collective_end({1, 1, record::kRootSelf, 1, 2}, 32);
  e.thread(1);
  CHECK(events_of(e) == Lines{"10 Enter MPI_Bcast", "10 MpiCollectiveBegin",
                              "15 MpiCollectiveEnd 1 MPI_COMM_WORLD root 1 bytes 0 512",
                              "15 Leave MPI_Bcast", "20 Enter MPI_Ibarrier",
                              "20 NonBlockingCollectiveRequest request 4", "21 Leave MPI_Ibarrier",
                              "30 NonBlockingCollectiveComplete 0 MPI_COMM_WORLD root -1 bytes 0 0 "
                              "request 4",
                              "31 MpiCollectiveBegin",
                              "32 MpiCollectiveEnd 1 MPI_COMM_SELF root -2 bytes 1 2"});
}

TEST_CASE("communicators come into being inside the operation that makes them") {
  Experiment e(1);
  auto& w = e.thread(0);
  w.program_begin(1);
  w.enter(mpi("MPI_Init"), 2);
  w.collective_begin(2);
  w.comm_create(0, 5);
  w.comm_create(1, 6);
  w.collective_end({0, kCreateHandle, record::kRootNone, 0, 0}, 7);
  w.leave(mpi("MPI_Init"), 7);
  w.collective_begin(8);
  w.comm_destroy(1, 9);
  w.collective_end({1, 18, record::kRootNone, 0, 0}, 9);
  w.program_end(10);
  CHECK(events_of(e) ==
        Lines{"1 ProgramBegin /bin/app -x 7", "2 Enter MPI_Init", "2 MpiCollectiveBegin",
              "5 CommCreate MPI_COMM_WORLD", "6 CommCreate MPI_COMM_SELF",
              "7 MpiCollectiveEnd 17 MPI_COMM_WORLD root -1 bytes 0 0", "7 Leave MPI_Init",
              "8 MpiCollectiveBegin", "9 CommDestroy MPI_COMM_SELF",
              "9 MpiCollectiveEnd 18 MPI_COMM_SELF root -1 bytes 0 0", "10 ProgramEnd"});
}

TEST_CASE("a collective operation that failed has neither begin nor end") {
  Experiment e(1);
  auto& w = e.thread(0);
  w.enter(mpi("MPI_Comm_dup"), 1);
  w.collective_begin(1);
  w.leave(mpi("MPI_Comm_dup"), 2);
  w.collective_begin(3);
  w.collective_begin(4);
  w.collective_end({0, 0, record::kRootNone, 0, 0}, 5);
  w.collective_end({0, 0, record::kRootNone, 0, 0}, 6);
  CHECK(events_of(e) == Lines{"1 Enter MPI_Comm_dup", "2 Leave MPI_Comm_dup",
                              "4 MpiCollectiveBegin",
                              "5 MpiCollectiveEnd 0 MPI_COMM_WORLD root -1 bytes 0 0"});
}

TEST_CASE("extended records of unknown kinds are left out and counted") {
  Experiment e(1);
  auto& w = e.thread(0);
  const record::ExtendedKind plain{record::Family::kMadeUp, 1},
      naming{record::Family::kMadeUp, 0x81};
  e.add(0, record::RegionDefinition{4096, "user", "function", "f", "", "f.c", 1, 2});
  w.enter(mpi("MPI_Barrier"), 10);
  w.extended(plain, 10, {});
  w.collective_begin(10);
  w.extended(naming, 11, std::vector<std::uint64_t>{4096, 2, 3, 4, 5, 6});
  w.collective_end({0, 0, record::kRootNone, 0, 0}, 20);
  w.leave(mpi("MPI_Barrier"), 20);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.location(0).events ==
        Lines{"10 Enter MPI_Barrier", "10 MpiCollectiveBegin",
              "20 MpiCollectiveEnd 0 MPI_COMM_WORLD root -1 bytes 0 0", "20 Leave MPI_Barrier"});
  CHECK(c.report.records_mended == 2);
  CHECK(c.archive.properties.at("LATECOMER::RECORDS_MENDED") == "2");
  CHECK(c.archive.properties.at("OTF2::MPI_COMMUNICATION_COMPLETE") == "true");
  REQUIRE(c.report.notes.size() == 1);
  CHECK(c.report.notes[0].ends_with(": 2 records are of kinds that this release does not know"));
  // The region is defined, so that another release makes the same archive of the records.
  CHECK(std::ranges::any_of(c.archive.regions, [](const std::string& region) {
    return region.find(": f|") != std::string::npos;
  }));
}

TEST_CASE("regions nest: leaves are added and dropped") {
  // f calls g and h; an exception leaves g and h. k is left but was never entered.
  Experiment e(1);
  auto& w = e.thread(0);
  define_function(e, 4096, "f");
  define_function(e, 4097, "g");
  define_function(e, 4098, "h");
  define_function(e, 4099, "k");
  w.enter(4096, 1);
  w.enter(4097, 2);
  w.enter(4098, 3);
  w.leave(4099, 4);
  w.leave(4096, 5);
  w.enter(4099, 6);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.location(0).events == Lines{"1 Enter f", "2 Enter g", "3 Enter h", "5 Leave h",
                                              "5 Leave g", "5 Leave f", "6 Enter k", "6 Leave k"});
  CHECK(c.report.records_mended == 3);
  CHECK(c.archive.properties.at("LATECOMER::RECORDS_MENDED") == "3");
  CHECK(c.archive.properties.at("OTF2::MPI_COMMUNICATION_COMPLETE") == "true");
}

TEST_CASE("what is open at the end of the program is left there") {
  Experiment e(1);
  auto& w = e.thread(0);
  define_function(e, 4096, "main");
  w.program_begin(1);
  w.enter(4096, 2);
  w.program_end(9);
  w.leave(4096, 10);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.location(0).events ==
        Lines{"1 ProgramBegin /bin/app -x 7", "2 Enter main", "9 Leave main", "9 ProgramEnd"});
  CHECK(c.report.records_mended == 1);
}

TEST_CASE("regions that are left while recording is off have ended when it was switched off") {
  Experiment e(1);
  auto& w = e.thread(0);
  define_function(e, 4096, "main");
  define_function(e, 4097, "f");
  define_function(e, 4098, "g");
  w.enter(4096, 1);
  w.enter(4097, 2);
  w.measurement(false, 5);
  w.leave(4097, 6);
  w.measurement(true, 8);
  w.enter(4098, 8);
  w.leave(4098, 9);
  w.leave(4096, 10);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.location(0).events == Lines{"1 Enter main", "2 Enter f", "5 Leave f",
                                              "5 MeasurementOff", "8 MeasurementOn", "8 Enter g",
                                              "9 Leave g", "10 Leave main"});
  CHECK(c.report.records_mended == 0);
  CHECK(c.archive.properties.at("OTF2::MPI_COMMUNICATION_COMPLETE") == "false");
}

TEST_CASE("ids that do not fit a record's field") {
  constexpr std::uint32_t kFar = 1 << 20;
  Experiment e(1);
  auto& w = e.thread(0);
  define_function(e, kFar, "far");
  w.enter(kFar, 1);
  w.leave(kFar, 2);
  CHECK(events_of(e) == Lines{"1 Enter far", "2 Leave far"});
}

TEST_CASE("ticks become nanoseconds, and clock offsets are those of the log") {
  // A 3 GHz counter: base 3000 ticks = 5000 ns; offset +100 at 5000 ns, +300 at 5200 ns.
  //   3300 ticks -> 5100 ns -> + 200 = 5300     3000 -> 5000 -> 5100     3600 -> 5200 -> 5500
  Experiment e(2);
  e.begin_log(0);
  e.begin_log(1);
  e.add(1, record::ClockDefinition{"tsc", 3000, 5000, 1.0 / 3, 1});
  e.add_measurement("0 1 0 0 h inside 5000 100 100 100 1 0 1 1");
  e.add_measurement("1 1 0 0 h inside 5200 300 100 100 1 0 1 1");
  e.add(0, record::Property{"wall_minus_clock", "1000000"});
  auto& w = e.thread(1);
  w.enter(mpi("MPI_Init"), 3000);
  w.leave(mpi("MPI_Init"), 3300);
  w.enter(mpi("MPI_Init"), 3600);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.location(1).events == Lines{"5100 Enter MPI_Init", "5300 Leave MPI_Init",
                                              "5500 Enter MPI_Init", "5500 Leave MPI_Init"});
  CHECK(c.archive.begin == 5100);
  CHECK(c.archive.length == 400);
  CHECK(c.archive.wall == 1005100);
}

TEST_CASE("a single clock offset counts for the whole run") {
  Experiment e(2);
  auto& w = e.thread(1);
  e.add(1, record::ClockDefinition{"monotonic", 0, 0, 1.0, 1});
  e.add_measurement("0 1 0 0 f inside 50 7 1 1 1 0 1 1");
  w.enter(mpi("MPI_Init"), 10);
  w.leave(mpi("MPI_Init"), 20);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.location(1).events == Lines{"17 Enter MPI_Init", "27 Leave MPI_Init"});
  CHECK(c.archive.properties.at("LATECOMER::CLOCKS::SCHEME") == "flat");
}

TEST_CASE("messages on an intercommunicator name ranks of the other side") {
  Experiment e(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) e.thread(rank);
  e.add(0, record::CommDefinition{2, "inter", 0, 5, 0, {0}, {2, 1}});
  e.add(1, record::CommDefinition{2, "inter", 0, 5, 0, {}, {}});
  e.thread(0).send({2, 1, 3, 4}, 10);
  e.thread(0).send({2, 2, 3, 4}, 11);  // there is no rank 2
  e.thread(1).recv({2, 0, 3, 4}, 12);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.comms.back() == "2: |3,4|0");
  CHECK(c.archive.groups[3] == "3: members 0");
  CHECK(c.archive.groups[4] == "4: members 2 1");
  CHECK(c.archive.location(0).events == Lines{"10 MpiSend 1 comm2 tag 3 bytes 4"});
  CHECK(c.archive.location(1).events == Lines{"12 MpiRecv 0 comm2 tag 3 bytes 4"});
  CHECK(c.report.records_mended == 1);
}

TEST_CASE("a thousand communicators") {
  Experiment e(2);
  e.thread(0);
  e.thread(1);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    e.add(0, record::CommDefinition{2 + i, "intra", 0, 2 + i, i == 0 ? 0 : 1 + i, {0, 1}, {}});
    e.add(1, record::CommDefinition{2 + i, "intra", 0, 2 + i, i == 0 ? 0 : 1 + i, {}, {}});
    e.thread(1).send({2 + i, 0, 1, i}, 10 + i);
  }
  e.finish();
  const Converted c = converted(e);
  REQUIRE(c.archive.comms.size() == 1002);
  CHECK(c.archive.groups.size() == 3);
  CHECK(c.archive.comms[500] == "500: |2|499|1");
  REQUIRE(c.archive.location(1).events.size() == 1000);
  CHECK(c.archive.location(1).events[700] == "710 MpiSend 0 comm702 tag 1 bytes 700");
}

TEST_CASE("records on a communicator whose definition is lost are left out") {
  Experiment e(2);
  e.thread(1);
  auto& w = e.thread(0);
  w.send({9, 1, 1, 1}, 1);
  w.collective_begin(2);
  w.collective_end({9, 0, record::kRootNone, 0, 0}, 3);
  w.isend({9, 1, 1, 1}, 5, 4);
  w.isend_complete(5, 5);
  w.isend_complete(6, 6);
  w.comm_create(9, 7);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.location(0).events == Lines{"6 MpiIsendComplete request 6"});
  CHECK(c.report.records_mended == 4);
  CHECK(c.archive.properties.at("OTF2::MPI_COMMUNICATION_COMPLETE") == "false");
}

TEST_CASE("for Scalasca 2.5") {
  const Variable compat("LATECOMER_COMPAT", "scalasca25");
  Experiment e(2);
  auto& w = e.thread(0);
  e.thread(1);
  e.add(0, record::CommDefinition{2, "inter", 0, 5, 0, {0}, {1}});
  e.add(1, record::CommDefinition{2, "inter", 0, 5, 0, {}, {}});
  e.add(0, record::CommDefinition{3, "intra", 0, 6, 0, {0, 1}, {}});
  e.add(1, record::CommDefinition{3, "intra", 0, 6, 0, {}, {}});
  w.program_begin(1);
  w.collective_begin(2);
  w.comm_create(0, 3);
  w.collective_end({0, kCreateHandle, record::kRootNone, 0, 0}, 3);
  w.send({2, 0, 1, 1}, 4);
  w.isend({2, 0, 1, 1}, 1, 5);
  w.isend_complete(1, 6);
  w.irecv({0, 1, 9, 1}, 2, 7);  // its request is from another thread
  w.irecv_request(3, 8);
  w.irecv({0, 1, 9, 1}, 3, 9);
  w.collective_begin(10);
  w.collective_end({0, 0, record::kRootNone, 0, 0}, 11);
  w.measurement(false, 12);
  CHECK(events_of(e) ==
        Lines{"1 ProgramBegin /bin/app -x 7", "7 MpiRecv 1 MPI_COMM_WORLD tag 9 bytes 1",
              "8 MpiIrecvRequest request 3", "9 MpiIrecv 1 MPI_COMM_WORLD tag 9 bytes 1 request 3",
              "10 MpiCollectiveBegin", "11 MpiCollectiveEnd 0 MPI_COMM_WORLD root -1 bytes 0 0",
              "12 MeasurementOff", "12 MeasurementOn", "12 ProgramEnd"});
  const ReadArchive archive = read_archive(e.path());
  CHECK(archive.comms.size() == 2);
  CHECK(archive.comms[0] == "0: MPI_COMM_WORLD|2|-|0");
  CHECK(archive.properties.at("LATECOMER::COMPAT") == "scalasca25");
}

TEST_CASE("more events than OTF2 holds in memory") {
  constexpr std::uint64_t kCalls = 400'000;  // 9 + 3 + 9 + 3 bytes each: 9.6 MB
  Experiment e(1);
  auto& w = e.thread(0);
  for (std::uint64_t i = 0; i < kCalls; ++i) {
    w.enter(mpi("MPI_Comm_rank"), 3 * i + 1);
    w.leave(mpi("MPI_Comm_rank"), 3 * i + 2);
  }
  const Lines all = events_of(e);
  REQUIRE(all.size() == 2 * kCalls);
  CHECK(all[2 * 123'456 + 1] == "370370 Leave MPI_Comm_rank");
  CHECK(all.back() == "1199999 Leave MPI_Comm_rank");
}

TEST_CASE("one-sided communication") {
  Experiment e(2);
  auto& w = e.thread(0);
  e.add(0, record::WindowDefinition{4, 0, 0});
  e.add(0, record::GroupDefinition{2, {1}});
  w.rma_collective_begin(10);
  w.window_create(4, 12);
  w.rma_collective_end(4, 21, record::kLevelProcess, 12);
  w.rma_put({4, 1, 8}, 5, 13);
  w.rma_get({4, 0, 16}, 6, 14);
  w.rma_atomic({4, 1, 8}, 7, 4, 5, 15);
  w.rma_complete(4, 5, 16);
  w.rma_complete_remote(4, 5, 16);
  w.rma_group_sync(4, record::kLevelProcess, true, 2, 17);
  w.rma_request_lock(4, record::kEverybody, true, 18);
  w.rma_request_lock(4, 1, false, 18);
  w.rma_release_lock(4, 1, 19);
  w.rma_sync(4, 0, 20);
  w.rma_put({4, 2, 8}, 5, 21);                               // there is no rank 2
  w.rma_put({4, -1, 8}, 5, 21);                              // a negative rank is no target
  w.rma_put({5, 0, 8}, 5, 21);                               // an unknown window
  w.rma_group_sync(4, record::kLevelProcess, false, 3, 21);  // an unknown group
  w.window_destroy(4, 22);
  e.thread(1);
  CHECK(events_of(e) ==
        Lines{"10 RmaCollectiveBegin", "12 RmaWinCreate 0", "12 RmaCollectiveEnd 0 op 21 level 1",
              "13 RmaPut 0 to 1 bytes 8 matching 5", "14 RmaGet 0 from 0 bytes 16 matching 6",
              "15 RmaAtomic 0 at 1 type 7 bytes 8 4 matching 5",
              "16 RmaOpCompleteNonBlocking 0 matching 5", "16 RmaOpCompleteRemote 0 matching 5",
              "17 RmaGroupSync 0 level 1 group 3", "18 RmaRequestLock 0 of 4294967295 shared",
              "18 RmaRequestLock 0 of 1 exclusive", "19 RmaReleaseLock 0 of 1", "20 RmaSync 0 of 0",
              "22 RmaWinDestroy 0"});
}

TEST_CASE("unsuccessful tests in a row become one visit that says what it stands for") {
  Experiment e(1);
  auto& w = e.thread(0);
  const auto test = [&](std::uint64_t begin, std::uint64_t end) {
    w.enter(mpi("MPI_Test"), begin);
    w.leave_unsuccessful(mpi("MPI_Test"), end);
  };
  test(10, 13);
  test(20, 24);
  test(30, 31);
  w.enter(mpi("MPI_Test"), 40);  // this one completes something
  w.leave(mpi("MPI_Test"), 42);
  test(50, 55);
  CHECK(events_of(e) == Lines{"10 Enter MPI_Test", "31 Leave MPI_Test calls 3 time 8",
                              "40 Enter MPI_Test", "42 Leave MPI_Test", "50 Enter MPI_Test",
                              "55 Leave MPI_Test"});
}

TEST_CASE("operations on files, of handles that the members of a communicator share") {
  Experiment e(2);
  for (const std::uint32_t rank : {0U, 1U}) {
    e.begin_log(rank);
    // Rank 1 has another file first, which it opened on its own.
    const std::uint32_t shared = rank;
    if (rank == 1) {
      e.add(1, record::FileDefinition{0, "/own"});
      e.add(1, record::FileHandleDefinition{0, 0, 1, 0, record::kReadOnly, 0, record::kAppend});
    }
    e.add(rank, record::FileDefinition{shared, "/shared"});
    e.add(rank, record::FileHandleDefinition{shared, shared, 0, 0, record::kReadWrite,
                                             record::kCreate | record::kExclusive,
                                             record::kDeleteOnClose});
  }
  auto& w = e.thread(0);
  w.file_opened(0, 10);
  w.file_begin(0, 1, 2, 4096, 7, 11);
  w.file_complete(0, 4000, 7, 15);
  w.file_moved(0, -8, record::kFromEnd, 4088, 16);
  w.file_call(0, 16);
  w.file_begin(0, 0, 1, 100, 8, 17);
  w.file_issued(0, 8, 18);
  w.file_complete(0, 100, 8, 30);
  w.file_deleted(0, 31);
  w.file_begin(0, 1, 3, 10, 9 | record::kSplit, 31);
  w.file_complete(0, 10, 9 | record::kSplit, 31);
  w.file_closed(0, 32);
  w.file_closed(5, 33);  // its definition is lost
  auto& v = e.thread(1);
  v.file_opened(1, 10);
  v.file_opened(0, 12);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.archive.location(0).events ==
        Lines{"10 IoCreateHandle 0 mode 2 creation 9 status 256",
              "11 IoOperationBegin 0 mode 1 flags 2 bytes 4096 request 7",
              "15 IoOperationComplete 0 bytes 4000 request 7", "16 IoSeek 0 by -8 from 2 to 4088",
              "16 Parameter 1 is 0", "17 IoOperationBegin 0 mode 0 flags 1 bytes 100 request 8",
              "18 IoOperationIssued 0 request 8", "30 IoOperationComplete 0 bytes 100 request 8",
              "31 IoDeleteFile 0 0", "31 IoOperationBegin 0 mode 1 flags 3 bytes 10 request 9",
              "31 IoOperationComplete 0 bytes 10 request 9", "32 IoDestroyHandle 0"});
  CHECK(c.archive.location(1).events == Lines{"10 IoCreateHandle 0 mode 2 creation 9 status 256",
                                              "12 IoCreateHandle 1 mode 0 creation 0 status 2"});
}
