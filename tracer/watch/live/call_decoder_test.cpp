// SPDX-License-Identifier: BSD-3-Clause
// Records of one thread become calls with their operations and times.
#include "tracer/watch/live/call_decoder.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string_view>

#include "tests/support/read_records.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tracer/convert/definitions/mpi_functions.hpp"
#include "tracer/record/writer.hpp"

using namespace latecomer;
using namespace latecomer::watch;
using record::Kind;
using record::Record;
using enum Operation::Kind;

namespace {

// Nanoseconds are ticks.
record::ClockDefinition plain_clock() {
  record::ClockDefinition clock;
  clock.timer = "tsc";
  return clock;
}

std::uint32_t region(std::string_view name) {
  const auto all = convert::mpi_functions();
  const auto found = std::ranges::find_if(all, [&](const auto& f) { return name == f.name; });
  return static_cast<std::uint32_t>(found - all.begin());
}

Record make(Kind kind, std::uint64_t ticks, std::uint64_t id = 0, std::uint64_t w1 = 0,
            std::uint64_t w2 = 0, std::uint64_t w3 = 0, std::uint64_t w4 = 0) {
  Record r;
  r.kind = kind;
  r.id = id;
  r.ticks = ticks;
  r.words = {w1, w2, w3, w4};
  return r;
}

std::vector<DecodedCall> decoded(CallDecoder& decoder, const std::vector<Record>& records) {
  std::vector<DecodedCall> calls;
  for (const Record& r : records)
    decoder.take(r, [&](DecodedCall&& call) { calls.push_back(std::move(call)); });
  return calls;
}

}  // namespace

TEST_CASE("a send belongs to its call, which has a call path and a mode") {
  CallDecoder decoder(plain_clock());
  const auto calls =
      decoded(decoder, {make(Kind::kCallPath, 9, 4), make(Kind::kEnter, 10, region("MPI_Ssend")),
                        make(Kind::kSend, 11, 2, record::pack(record::Message{2, 3, 7, 0}), 100),
                        make(Kind::kLeave, 15, region("MPI_Ssend"))});
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].region == region("MPI_Ssend"));
  CHECK(calls[0].frame == 4);
  CHECK(calls[0].enter == 10);
  CHECK(calls[0].leave == 15);
  CHECK(calls[0].inside == 5);
  REQUIRE(calls[0].operations.size() == 1);
  const Operation& send = calls[0].operations[0];
  CHECK(send.kind == kSend);
  CHECK(send.comm == 2);
  CHECK(send.peer == 3);
  CHECK(send.tag == 7);
  CHECK(send.bytes == 100);
  CHECK(send.request == 0);
  CHECK(send.mode == patterns::SendMode::kSynchronous);
}

TEST_CASE("requests of nonblocking operations join their calls") {
  CallDecoder decoder(plain_clock());
  const auto message = record::pack(record::Message{0, 1, 5, 0});
  const auto calls = decoded(
      decoder,
      {make(Kind::kEnter, 1, region("MPI_Irecv")), make(Kind::kIrecvRequest, 2, 0, 8),
       make(Kind::kLeave, 3, region("MPI_Irecv")), make(Kind::kEnter, 4, region("MPI_Isend")),
       make(Kind::kIsend, 5, 0, message, 8, 9), make(Kind::kLeave, 6, region("MPI_Isend")),
       make(Kind::kEnter, 7, region("MPI_Waitall")), make(Kind::kIrecv, 8, 0, message, 8, 8),
       make(Kind::kIsendComplete, 9, 0, 9), make(Kind::kLeave, 10, region("MPI_Waitall"))});
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].operations[0].kind == kReceiveBegins);
  CHECK(calls[0].operations[0].request == 8);
  CHECK(calls[1].operations[0].request == 9);
  REQUIRE(calls[2].operations.size() == 2);
  CHECK(calls[2].operations[0].kind == kReceive);
  CHECK(calls[2].operations[0].request == 8);
  CHECK(calls[2].operations[0].time == 8);
  CHECK(calls[2].operations[1].kind == kSendEnds);
}

TEST_CASE("a receive that a filtered call completes keeps its request") {
  CallDecoder decoder(plain_clock());
  const auto message = record::pack(record::Message{0, 1, 5, 0});
  const auto calls = decoded(decoder, {make(Kind::kIrecv, 8, 0, message, 8, 7 | record::kLeftOut)});
  REQUIRE(calls.size() == 1);
  REQUIRE(calls[0].operations.size() == 1);
  CHECK(calls[0].operations[0].kind == kReceivesMissing);
  CHECK(calls[0].operations[0].request == 7);
  CHECK(calls[0].operations[0].count == 1);
}

TEST_CASE("a collective operation has the times of its begin and end") {
  CallDecoder decoder(plain_clock());
  record::Collective reduce;
  reduce.op = 12;
  reduce.root = 1;
  const auto calls = decoded(
      decoder, {make(Kind::kEnter, 10, region("MPI_Reduce")), make(Kind::kCollectiveBegin, 11),
                make(Kind::kCollectiveEnd, 19, 0, record::pack(reduce), 8, 0),
                make(Kind::kLeave, 20, region("MPI_Reduce"))});
  REQUIRE(calls.size() == 1);
  const Operation& o = calls[0].operations.at(0);
  CHECK(o.kind == kCollective);
  CHECK(o.operation == 12);
  CHECK(o.peer == 1);
  CHECK(o.begin == 11);
  CHECK(o.time == 19);
  CHECK(o.sends);
  CHECK_FALSE(o.receives);
}

TEST_CASE("an end of a collective operation without its begin is left out") {
  CallDecoder decoder(plain_clock());
  const auto calls = decoded(
      decoder, {make(Kind::kEnter, 10, region("MPI_Barrier")), make(Kind::kCollectiveEnd, 19),
                make(Kind::kLeave, 20, region("MPI_Barrier"))});
  CHECK(calls.at(0).operations.empty());
  CHECK(decoder.counts().outside_calls == 1);
}

TEST_CASE("a flush delays the call after it") {
  // Flush from 12 to 15; the enter of the call was read at 11: it begins at 15.
  CallDecoder decoder(plain_clock());
  const auto calls = decoded(
      decoder,
      {make(Kind::kEnter, 5, region("MPI_Barrier")), make(Kind::kLeave, 10, region("MPI_Barrier")),
       make(Kind::kFlush, 10, 0, 12, 3), make(Kind::kEnter, 11, region("MPI_Barrier")),
       make(Kind::kLeave, 20, region("MPI_Barrier"))});
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].leave == 10);
  CHECK(calls[1].enter == 15);
  CHECK(calls[1].leave == 20);
}

TEST_CASE("a row of unsuccessful polls has its time in MPI") {
  // 5 polls from 100 to 200 that took 30 together
  CallDecoder decoder(plain_clock());
  const auto calls = decoded(decoder, {make(Kind::kEnter, 100, region("MPI_Test")),
                                       make(Kind::kLeaveUnsuccessful, 200, region("MPI_Test"),
                                            5 | std::uint64_t{30} << record::kPollCountBits)});
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].inside == 30);
  CHECK(decoder.counts().unsuccessful == 5);
}

TEST_CASE("what was not recorded has a place, also outside calls") {
  CallDecoder decoder(plain_clock());
  const auto what = static_cast<std::uint64_t>(record::UnrecordedOperation::kCollective);
  const auto calls = decoded(
      decoder,
      {make(Kind::kUnrecorded, 5, 3, 0, what | std::uint64_t{7} << record::kUnrecordedCountShift)});
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].operations[0].kind == kCollectivesMissing);
  CHECK(calls[0].operations[0].count == 7);
  CHECK(calls[0].operations[0].comm == 3);
}

TEST_CASE("after a loss, leaves of unknown calls are ignored") {
  CallDecoder decoder(plain_clock());
  CHECK(decoded(decoder, {make(Kind::kEnter, 1, region("MPI_Recv"))}).empty());
  decoder.lose();
  const auto calls = decoded(decoder, {make(Kind::kLeave, 5, region("MPI_Recv")),
                                       make(Kind::kEnter, 6, region("MPI_Barrier")),
                                       make(Kind::kLeave, 7, region("MPI_Barrier"))});
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].enter == 6);
}

TEST_CASE("functions of the program are no calls of MPI") {
  CallDecoder decoder(plain_clock());
  const std::uint64_t own = record::kFirstOwnRegion + 3;
  const auto calls =
      decoded(decoder, {make(Kind::kEnter, 1, own), make(Kind::kEnter, 2, region("MPI_Barrier")),
                        make(Kind::kLeave, 3, region("MPI_Barrier")), make(Kind::kLeave, 4, own)});
  CHECK(calls.size() == 1);
}
