// SPDX-License-Identifier: BSD-3-Clause
// A pausing writer: what it counts, what it writes when it continues, and what makes it pause.
#include "tracer/record/unrecorded.hpp"

#include <catch2/catch.hpp>

#include "tests/support/temporary_directory.hpp"
#include "tracer/record/reader.hpp"
#include "tracer/record/writer.hpp"

using namespace latecomer;
using namespace latecomer::record;
using latecomer::test::read_file;
using latecomer::test::TemporaryDirectory;

namespace {

std::vector<Record> records(const std::vector<std::byte>& bytes) {
  auto reader = RecordReader::over(bytes);
  REQUIRE(reader.ok());
  std::vector<Record> all;
  for (Record r; reader->next(r);) all.push_back(r);
  CHECK(reader->damages().empty());
  return all;
}

}  // namespace

TEST_CASE(
    "while recording is off communication is counted, and nothing that crosses an edge is lost") {
  const TemporaryDirectory directory;
  const bool in_file = GENERATE(false, true);
  ThreadWriter w(0, 4096, 100);
  if (in_file) REQUIRE(w.move_to(directory.file("file"), 0) == 0);
  const Message a{7, 3, 42, 1000}, b{7, 3, 43, 1}, wide{kMaxId + 5, 1, 0, 1};
  const Collective c{9, 11, kRootNone, 128, 256};
  w.enter(5000, 101);
  w.irecv_request(1, 102);
  w.nonblocking_request(2, 103);
  w.pause(110);
  REQUIRE(w.paused());
  if (!in_file) REQUIRE(w.move_to(directory.file("file"), 0) == 0);
  w.leave(5000, 111);  // was entered before
  w.enter(5001, 112);
  w.enter(3, 113);  // MPI
  for (int i = 0; i < 1000; ++i) {
    w.send(a, 114);
    w.isend(a, 50, 115);
    w.recv(b, 116);
    w.collective_end(c, 117);
  }
  w.send(b, 118);
  w.send(wide, 119);
  w.irecv_request(20, 120);
  w.irecv(a, 20, 121);  // the whole operation is unseen
  w.irecv(b, 1, 122);   // its beginning was recorded
  w.nonblocking_complete(c, 2, 123);
  w.irecv_request(22, 124);  // its end will be recorded
  w.nonblocking_request(21, 125);
  w.leave(3, 126);
  w.enter(5002, 127);
  w.leave(5002, 128);
  w.resume(130);
  CHECK_FALSE(w.paused());
  w.leave(5001, 140);
  w.close();
  CHECK(w.losses().records == 0);

  const auto all = records(read_file(directory.file("file")));
  std::vector<Kind> kinds;
  for (const Record& r : all) {
    if (r.kind != Kind::kCallPath) kinds.push_back(r.kind);
  }
  CHECK(kinds == std::vector<Kind>{
                     Kind::kEnter, Kind::kIrecvRequest, Kind::kNonblockingRequest,
                     Kind::kMeasurement, Kind::kLeave, Kind::kUnrecorded, Kind::kUnrecorded,
                     Kind::kUnrecorded, Kind::kUnrecorded, Kind::kUnrecorded, Kind::kUnrecorded,
                     Kind::kIrecv, Kind::kNonblockingComplete, Kind::kIrecvRequest,
                     Kind::kNonblockingRequest, Kind::kMeasurement, Kind::kEnter, Kind::kLeave});
  struct Counted {
    UnrecordedOperation operation;
    std::uint64_t comm;
    std::int32_t peer, tag;
    std::uint64_t count;
    bool operator==(const Counted&) const = default;
  };
  std::vector<Counted> counted;
  for (const Record& r : all) {
    if (r.kind == Kind::kUnrecorded) {
      counted.push_back({static_cast<UnrecordedOperation>(r.words[1] & 0xff), r.id, r.peer(),
                         r.tag(), r.words[1] >> kUnrecordedCountShift});
    }
  }
  using enum UnrecordedOperation;
  CHECK(counted == std::vector<Counted>{{kSend, 7, 3, 42, 2000},
                                        {kSend, 7, 3, 43, 1},
                                        {kSend, kMaxId + 5, 1, 0, 1},
                                        {kReceive, 7, 3, 42, 1},
                                        {kReceive, 7, 3, 43, 1000},
                                        {kCollective, 9, 0, 0, 1000}});
  CHECK(all.back().ticks == 140);
}

TEST_CASE("a pause that never ends, or that a full disk ends, leaves what was recorded") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 100);
  REQUIRE(w.move_to(directory.file("file"), 0) == 0);
  w.enter(5, 101);
  w.pause(102);
  for (int i = 0; i < 5000; ++i) w.send({1, 1, 1, 1}, 103);
  SECTION("closed") { w.close(); }
  SECTION("closed, then resumed") {
    w.close();
    w.resume(104);
  }
  const auto all = records(read_file(directory.file("file")));
  REQUIRE(all.size() == 2);
  CHECK(all.back().kind == Kind::kMeasurement);
}

TEST_CASE("a budget is used up once, by all threads together") {
  static int reached;
  reached = 0;
  Budget budget;
  budget.limit = 3 * 4096;
  budget.reached = [] { ++reached; };
  ThreadWriter a(0, 4096, 0), b(1, 4096, 0);
  a.set_budget(&budget);
  b.set_budget(&budget);
  for (int i = 0; i < 600; ++i) a.enter(1, 1);
  CHECK(reached == 0);
  for (int i = 0; i < 600; ++i) b.enter(1, 1);
  for (int i = 0; i < 6000; ++i) b.enter(1, 1);
  CHECK(reached == 1);
}

TEST_CASE("calls that are left out are counted, and written before what their order matters to") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 100);
  REQUIRE(w.move_to(directory.file("file"), 0) == 0);
  const Message a{7, 3, 42, 1000}, b{7, 3, 43, 1};
  const Collective c{9, 11, kRootNone, 128, 256};
  const auto left_out = [&](auto&& call) {
    w.begin_left_out();
    w.enter(3, 102);
    call();
    w.leave(3, 104);
    w.end_left_out(false, 104);
  };
  w.irecv_request(1, 101);
  for (int i = 0; i < 1000; ++i) left_out([&] { w.send(a, 103); });
  left_out([&] { w.isend(b, 50, 103); });
  left_out([&] { w.irecv(a, 1, 103); });       // its beginning was recorded
  left_out([&] { w.irecv_request(2, 103); });  // its end will be recorded
  left_out([&] { w.recv(a, 103); });
  left_out([&] { w.collective_end(c, 103); });
  w.enter(4, 105);
  w.send(b, 106);      // so the earlier send to the same partner with the same tag is written first
  w.irecv(b, 2, 107);  // so its beginning is written first
  left_out([&] { w.recv(b, 107); });
  w.irecv_request(4, 108);  // so all receives are written first
  w.leave(4, 109);
  w.program_end(110);
  w.close();
  CHECK(w.losses().records == 0);

  struct Seen {
    Kind kind;
    std::uint64_t ticks;
    bool left_out;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> seen;
  for (const Record& r : records(read_file(directory.file("file")))) {
    const bool has_request = r.kind == Kind::kIrecvRequest || r.kind == Kind::kIrecv;
    seen.push_back({r.kind, r.ticks, has_request && r.left_out()});
  }
  CHECK(seen == std::vector<Seen>{{Kind::kIrecvRequest, 101, false},
                                  {Kind::kEnter, 105, false},
                                  {Kind::kUnrecorded, 106, false},
                                  {Kind::kSend, 106, false},
                                  {Kind::kUnrecorded, 107, false},
                                  {Kind::kIrecv, 107, true},
                                  {Kind::kIrecvRequest, 107, true},
                                  {Kind::kIrecv, 107, false},
                                  {Kind::kUnrecorded, 108, false},
                                  {Kind::kIrecvRequest, 108, false},
                                  {Kind::kLeave, 109, false},
                                  {Kind::kUnrecorded, 110, false},
                                  {Kind::kUnrecorded, 110, false},
                                  {Kind::kProgramEnd, 110, false}});
}

TEST_CASE("collective calls on files are counted, others on them are not") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 100);
  REQUIRE(w.move_to(directory.file("file"), 0) == 0);
  constexpr std::uint32_t kBoth = kFileNonblocking | kFileCollective;
  const auto half = [](RequestId id) { return id | kSplit; };
  w.file_begin(6, 1, kBoth, 8, half(1), 101);  // its second half is not recorded
  w.pause(102);
  w.file_complete(6, 8, half(1), 103);             // 1
  w.file_begin(6, 1, 0, 8, 2, 104);                // of one process: not counted
  w.file_complete(6, 8, 2, 105);                   //
  w.file_begin(6, 1, kFileCollective, 8, 3, 106);  // 2
  w.file_complete(6, 8, 3, 107);                   // the end of 2
  w.file_begin(6, 1, kBoth, 8, 4, 108);            // with a request: not counted
  w.file_complete(6, 8, 4, 109);                   //
  w.file_begin(6, 0, kBoth, 8, half(5), 110);      // 3
  w.file_complete(6, 8, half(5), 111);             // 4
  w.file_closed(6, 112);                           // 5
  w.file_opened(7, 113);                           // 1 of another file
  w.resume(120);
  w.begin_left_out();
  w.enter(3, 121);
  w.file_begin(7, 1, kFileCollective, 8, 6, 122);
  w.file_complete(7, 8, 6, 123);
  w.leave(3, 124);
  w.end_left_out(false, 124);
  w.file_closed(7, 125);  // after the one that is left out
  w.close();

  struct Seen {
    Kind kind;
    std::uint64_t id, ticks, operation, count;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> seen;
  for (const Record& r : records(read_file(directory.file("file")))) {
    if (r.kind == Kind::kMeasurement || r.kind == Kind::kCallPath) continue;
    const bool counts = r.kind == Kind::kUnrecorded;
    seen.push_back({r.kind, r.id, r.ticks, counts ? r.words[1] & 0xff : 0,
                    counts ? r.words[1] >> kUnrecordedCountShift : 0});
  }
  const auto files = static_cast<std::uint64_t>(UnrecordedOperation::kFileCollective);
  CHECK(seen == std::vector<Seen>{{Kind::kFileBegin, 6, 101, 0, 0},
                                  {Kind::kUnrecorded, 6, 120, files, 5},
                                  {Kind::kUnrecorded, 7, 120, files, 1},
                                  {Kind::kUnrecorded, 7, 125, files, 1},
                                  {Kind::kFileClosed, 7, 125, 0, 0}});
}
