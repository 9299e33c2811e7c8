// SPDX-License-Identifier: BSD-3-Clause
// Files outside MPI: bytes and times by call path and location.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

// Handle 1 belongs to another library than MPI.
void operate(TraceBuilder& t, int rank, const char* function, double begin, double end,
             OTF2_IoOperationMode mode, std::uint64_t bytes) {
  t.enter(rank, function, at(begin));
  t.raw(rank, at(begin), [=](OTF2_EvtWriter* out, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_IoOperationBegin(out, nullptr, stamp, 1, mode, OTF2_IO_OPERATION_FLAG_NONE,
                                    bytes, 7);
  });
  t.raw(rank, at(end), [=](OTF2_EvtWriter* out, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_IoOperationComplete(out, nullptr, stamp, 1, bytes, 7);
  });
  t.leave(rank, at(end));
}

}  // namespace

TEST_CASE("file uses: bytes and times, by call path, most time first") {
  TraceBuilder t(2);
  t.model().files = true;
  operate(t, 0, "write", 1, 3, OTF2_IO_OPERATION_MODE_WRITE, 50);
  operate(t, 0, "write", 3, 4, OTF2_IO_OPERATION_MODE_WRITE, 25);
  operate(t, 0, "fsync", 4, 9, OTF2_IO_OPERATION_MODE_FLUSH, 0);
  operate(t, 1, "read", 1, 2, OTF2_IO_OPERATION_MODE_READ, 10);
  // How MPI itself reads a file is not listed.
  t.enter(1, "MPI_File_read", at(3));
  operate(t, 1, "read", 3, 5, OTF2_IO_OPERATION_MODE_READ, 10);
  t.leave(1, at(5));
  const auto report = analyze(t);
  const auto& uses = report.extras().at("file_uses");
  REQUIRE(uses.size() == 3);
  CHECK(uses[0].at("storing") == 5);
  CHECK(uses[0].at("location") == 0);
  CHECK(uses[1].at("writing") == 3);
  CHECK(uses[1].at("bytes_written") == 75);
  CHECK(uses[1].at("operations") == 2);
  CHECK(uses[1].at("call_path") != uses[0].at("call_path"));
  CHECK(uses[2].at("location") == 1);
  CHECK(uses[2].at("reading") == 1);
  CHECK(uses[2].at("bytes_read") == 10);
  CHECK(uses[2].at("file") == uses[0].at("file"));
  CHECK_FALSE(report.extras().contains("other_file_uses"));
}

TEST_CASE("file uses: the time of calls that open or close") {
  // open takes 2 s and close 1 s. Handles may also be created where no call is.
  TraceBuilder t(1);
  t.model().files = true;
  const auto created = [](OTF2_EvtWriter* out, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_IoCreateHandle(out, nullptr, stamp, 1, OTF2_IO_ACCESS_MODE_WRITE_ONLY,
                                  OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE);
  };
  t.enter(0, "main", at(0)).raw(0, at(1), created);
  t.enter(0, "open", at(1)).raw(0, at(3), created).leave(0, at(3));
  operate(t, 0, "write", 3, 4, OTF2_IO_OPERATION_MODE_WRITE, 50);
  t.enter(0, "close", at(4)).raw(0, at(5), [](OTF2_EvtWriter* out, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_IoDestroyHandle(out, nullptr, stamp, 1);
  });
  t.leave(0, at(5)).leave(0, at(5));
  for (const char* name : {"open", "close"}) {
    t.model().regions[t.model().region(name)].role = OTF2_REGION_ROLE_FILE_IO_METADATA;
  }
  const auto uses = analyze(t).extras().at("file_uses");
  REQUIRE(uses.size() == 3);
  CHECK(uses[0].at("opening") == 2);
  CHECK(uses[1].at("opening").get<double>() + uses[2].at("opening").get<double>() == 1);
}

TEST_CASE("file uses: a stream that is written when it is closed") {
  // fclose takes 3 s: its data are written until 3, and 1 s is left for closing.
  TraceBuilder t(1);
  t.model().files = true;
  t.enter(0, "fclose", at(1));
  t.raw(0, at(1), [](OTF2_EvtWriter* out, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_IoOperationBegin(out, nullptr, stamp, 1, OTF2_IO_OPERATION_MODE_WRITE,
                                    OTF2_IO_OPERATION_FLAG_NONE, 50, 7);
  });
  t.raw(0, at(3), [](OTF2_EvtWriter* out, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_IoOperationComplete(out, nullptr, stamp, 1, 50, 7);
  });
  t.raw(0, at(4), [](OTF2_EvtWriter* out, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_IoDestroyHandle(out, nullptr, stamp, 1);
  });
  t.leave(0, at(4));
  t.model().regions[t.model().region("fclose")].role = OTF2_REGION_ROLE_FILE_IO_METADATA;
  const auto uses = analyze(t).extras().at("file_uses");
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].at("writing") == 2);
  CHECK(uses[0].at("opening") == 1);
}

TEST_CASE("file uses: none without files") {
  TraceBuilder t(1);
  t.call(0, "MPI_File_read", at(1), leave(2));
  CHECK_FALSE(analyze(t).extras().contains("file_uses"));
}

TEST_CASE("file uses: what is not listed is summed up") {
  // Rank 0 writes 203 times at call paths of their own: 1 byte in 1 s, 2 bytes in 2 s and so on.
  // The three that are not listed have 1 + 2 + 3 of both.
  TraceBuilder t(2);
  t.model().files = true;
  double now = 0;
  for (int i = 1; i <= 203; ++i) {
    const std::string caller = "f" + std::to_string(i);
    t.enter(0, caller, at(now));
    operate(t, 0, "write", now, now + i, OTF2_IO_OPERATION_MODE_WRITE, static_cast<unsigned>(i));
    t.leave(0, at(now += i));
  }
  const auto extras = analyze(t).extras();
  REQUIRE(extras.at("file_uses").size() == 200);
  CHECK(extras.at("file_uses")[199].at("writing") == 4);
  const auto& others = extras.at("other_file_uses");
  CHECK(others.at("rows") == 3);
  CHECK(others.at("bytes_written") == 6);
  CHECK(others.at("bytes_read") == 0);
  CHECK(others.at("seconds") == 6);
}
