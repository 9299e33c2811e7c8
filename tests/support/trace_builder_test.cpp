// SPDX-License-Identifier: BSD-3-Clause
// The records of the trace builder, read back with OTF2 as one line of text per record.
#include "tests/support/trace_builder.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <sstream>

#include "tests/support/collective_bytes.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace latecomer::test;

namespace {

struct Text {
  std::ostringstream out;
  Text& at(OTF2_TimeStamp t) {
    out << t / 1'000'000'000 << " ";
    return *this;
  }
};

#define RECORD OTF2_LocationRef, OTF2_TimeStamp t, uint64_t, void *u, OTF2_AttributeList *

// Callback body for a record type; `text` prints its arguments.
#define LINE(text)                                    \
  {                                                   \
    static_cast<Text*>(u)->at(t).out << text << "\n"; \
    return OTF2_CALLBACK_SUCCESS;                     \
  }

void set_callbacks(OTF2_EvtReaderCallbacks* cb) {
  OTF2_EvtReaderCallbacks_SetEnterCallback(cb, [](RECORD, OTF2_RegionRef r) LINE("enter " << r));
  OTF2_EvtReaderCallbacks_SetLeaveCallback(cb, [](RECORD, OTF2_RegionRef r) LINE("leave " << r));
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(
      cb, [](RECORD, uint32_t to, OTF2_CommRef c, uint32_t tag, uint64_t n)
              LINE("send " << to << " " << c << " " << tag << " " << n));
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
      cb, [](RECORD, uint32_t from, OTF2_CommRef c, uint32_t tag, uint64_t n)
              LINE("recv " << from << " " << c << " " << tag << " " << n));
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
      cb, [](RECORD, uint32_t to, OTF2_CommRef c, uint32_t tag, uint64_t n, uint64_t id)
              LINE("isend " << to << " " << c << " " << tag << " " << n << " #" << id));
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
      cb, [](RECORD, uint32_t from, OTF2_CommRef c, uint32_t tag, uint64_t n, uint64_t id)
              LINE("irecv " << from << " " << c << " " << tag << " " << n << " #" << id));
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(
      cb, [](RECORD, uint64_t id) LINE("irecv-request #" << id));
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(
      cb, [](RECORD, uint64_t id) LINE("isend-complete #" << id));
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(
      cb, [](RECORD, uint64_t id) LINE("cancelled #" << id));
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(cb, [](RECORD) LINE("begin"));
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
      cb, [](RECORD, OTF2_CollectiveOp op, OTF2_CommRef c, uint32_t root, uint64_t s, uint64_t r)
              LINE("end " << int{op} << " " << c << " " << int(root) << " " << s << " " << r));
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
      cb, [](RECORD, uint64_t id) LINE("collective-request #" << id));
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
      cb, [](RECORD, OTF2_CollectiveOp op, OTF2_CommRef c, uint32_t, uint64_t s, uint64_t r,
             uint64_t id)
              LINE("complete " << int{op} << " " << c << " " << s << " " << r << " #" << id));
  OTF2_EvtReaderCallbacks_SetCommCreateCallback(cb,
                                                [](RECORD, OTF2_CommRef c) LINE("create " << c));
  OTF2_EvtReaderCallbacks_SetCommDestroyCallback(cb,
                                                 [](RECORD, OTF2_CommRef c) LINE("destroy " << c));
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(
      cb, [](RECORD, OTF2_TimeStamp stop) LINE("flush until " << stop / 1'000'000'000));
  OTF2_EvtReaderCallbacks_SetUnknownCallback(cb, [](RECORD) LINE("unknown"));
}

struct OneLocation {
  std::string text;
  std::uint64_t announced = 0;
};

// All records of one location as lines.
OneLocation read_back(const std::string& directory, std::uint64_t location) {
  std::unique_ptr<OTF2_Reader, decltype(&OTF2_Reader_Close)> reader(
      OTF2_Reader_Open((directory + "/traces.otf2").c_str()), OTF2_Reader_Close);
  REQUIRE(reader);
  OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
  struct Wanted {
    std::uint64_t id, events;
  } wanted{location, 0};
  auto* definitions = OTF2_Reader_GetGlobalDefReader(reader.get());
  auto* global = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
      global, [](void* data, OTF2_LocationRef id, OTF2_StringRef, OTF2_LocationType,
                 uint64_t events, OTF2_LocationGroupRef) {
        auto& w = *static_cast<Wanted*>(data);
        if (id == w.id) w.events = events;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_Reader_RegisterGlobalDefCallbacks(reader.get(), definitions, global, &wanted);
  OTF2_GlobalDefReaderCallbacks_Delete(global);
  std::uint64_t count = 0;
  CHECK(OTF2_Reader_ReadAllGlobalDefinitions(reader.get(), definitions, &count) == OTF2_SUCCESS);

  OTF2_Reader_SelectLocation(reader.get(), location);
  OTF2_Reader_OpenDefFiles(reader.get());
  auto* local = OTF2_Reader_GetDefReader(reader.get(), location);
  REQUIRE(local != nullptr);
  CHECK(OTF2_Reader_ReadAllLocalDefinitions(reader.get(), local, &count) == OTF2_SUCCESS);
  OTF2_Reader_CloseDefReader(reader.get(), local);
  OTF2_Reader_OpenEvtFiles(reader.get());
  auto* events = OTF2_Reader_GetEvtReader(reader.get(), location);
  REQUIRE(events != nullptr);
  Text text;
  auto* callbacks = OTF2_EvtReaderCallbacks_New();
  set_callbacks(callbacks);
  OTF2_Reader_RegisterEvtCallbacks(reader.get(), events, callbacks, &text);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  CHECK(OTF2_Reader_ReadAllLocalEvents(reader.get(), events, &count) == OTF2_SUCCESS);
  OTF2_Reader_CloseEvtReader(reader.get(), events);
  return {text.out.str(), wanted.events};
}

std::string records(const TraceBuilder& trace, int rank) {
  const TemporaryDirectory directory;
  trace.write(directory.file("t"));
  return read_back(directory.file("t"), static_cast<std::uint64_t>(rank)).text;
}

}  // namespace

TEST_CASE("a blocking message is a record in a region on both sides") {
  // Regions 0 to 2 are the artificial ones.
  auto t = TraceBuilder(2).send(0, at(5), to(1)).recv(1, at(1), leave(6), from(0), bytes(8));
  CHECK(records(t, 0) == "5 enter 3\n5 send 1 0 0 8\n5 leave 3\n");
  CHECK(records(t, 1) == "1 enter 4\n6 recv 0 0 0 8\n6 leave 4\n");
  CHECK(t.model().regions[3].name == "MPI_Send");
  CHECK(t.model().regions[4].role == OTF2_REGION_ROLE_POINT2POINT);
}

TEST_CASE("requests are completed in the order given, with the message of their start") {
  auto t = TraceBuilder(1)
               .irecv(0, at(1), leave(2), from(3), tag(7), bytes(80), req(1))
               .isend(0, at(3), to(2), req(2))
               .icollective(0, "MPI_Iallreduce", at(4), bytes(16), req(3))
               .irecv(0, at(5), from(1), req(4))
               .cancel(0, at(6), req(4))
               .waitall(0, at(7), leave(9), req(3), req(1), req(4), req(2));
  CHECK(records(t, 0) ==
        "1 enter 3\n2 irecv-request #1\n2 leave 3\n"
        "3 enter 4\n3 isend 2 0 0 8 #2\n3 leave 4\n"
        "4 enter 5\n4 collective-request #3\n4 leave 5\n"
        "5 enter 3\n5 irecv-request #4\n5 leave 3\n"
        "6 enter 6\n6 leave 6\n"
        "7 enter 7\n9 complete 11 0 16 16 #3\n9 irecv 3 0 7 80 #1\n9 cancelled #4\n"
        "9 isend-complete #2\n9 leave 7\n");
  CHECK_THROWS_AS(t.wait(0, at(10), req(1)), std::logic_error);
}

TEST_CASE("persistent requests can be started again") {
  auto t = TraceBuilder(1)
               .recv_init(0, at(1), from(0), req(5))
               .start(0, at(2), req(5))
               .wait(0, at(3), req(5))
               .start(0, at(4), req(5))
               .wait(0, at(5), req(5));
  CHECK(records(t, 0) ==
        "1 enter 3\n1 leave 3\n"
        "2 enter 4\n2 irecv-request #5\n2 leave 4\n3 enter 5\n3 irecv 0 0 0 8 #5\n3 leave 5\n"
        "4 enter 4\n4 irecv-request #5\n4 leave 4\n5 enter 5\n5 irecv 0 0 0 8 #5\n5 leave 5\n");
}

TEST_CASE("a collective has one span per rank of its communicator") {
  TraceBuilder t(3);
  const Comm pair = t.communicator({2, 0});
  // Rank 0 of the pair is world rank 2: it is the root of the broadcast.
  t.collective("MPI_Bcast", {{1, 4}, {2, 5}}, on(pair), root(0), bytes(10));
  CHECK(records(t, 2) == "1 enter 3\n1 begin\n4 end 1 2 0 20 10\n4 leave 3\n");
  CHECK(records(t, 0) == "2 enter 3\n2 begin\n5 end 1 2 0 0 10\n5 leave 3\n");
  CHECK(records(t.collective("MPI_Barrier", {{6, 7}, absent, {6, 7}}), 1).empty());
  CHECK_THROWS_AS(t.collective("MPI_Barrier", {{8, 9}}), std::logic_error);
}

TEST_CASE("communicators are made and destroyed where tracers say so") {
  TraceBuilder t(2);
  const Comm one = t.communicator({1});
  t.init({{0, 1}, {0, 1}}).make_communicator("MPI_Comm_split", one, {{2, 3}, {2, 3}});
  t.finalize({{4, 5}});
  CHECK(records(t, 0) ==
        "0 enter 3\n0 begin\n1 create 0\n1 create 1\n1 end 17 0 -1 0 0\n1 leave 3\n"
        "2 enter 4\n2 begin\n3 end 17 0 -1 0 0\n3 leave 4\n"
        "4 enter 5\n4 begin\n5 destroy 0\n5 destroy 1\n5 end 18 0 -1 0 0\n5 leave 5\n");
  CHECK(records(t, 1).find("3 create 2\n") != std::string::npos);
}

TEST_CASE("unknown records, flushes and wrong event counts are written as asked for") {
  auto t = TraceBuilder(1)
               .enter(0, "main", at(1))
               .unknown_record(0, at(2))
               .flush(0, at(3), 4)
               .leave(0, at(5))
               .announce_events(0, 99);
  const TemporaryDirectory directory;
  t.write(directory.file("t"));
  const auto got = read_back(directory.file("t"), 0);
  CHECK(got.text == "1 enter 3\n2 unknown\n3 flush until 4\n5 leave 3\n");
  CHECK(got.announced == 99);
}

TEST_CASE("clock offsets and threads reach the archive") {
  auto t = TraceBuilder(1)
               .clock_offset(0, 0, ticks(10 * 1'000'000'000L).count)
               .clock_offset(0, 100, ticks(10 * 1'000'000'000L).count)
               .enter(0, "main", at(1))
               .leave(0, at(2))
               .enter(thread_of(0, 1), "work", at(1))
               .leave(thread_of(0, 1), at(2));
  const TemporaryDirectory directory;
  t.write(directory.file("t"));
  CHECK(read_back(directory.file("t"), 0).text == "11 enter 3\n12 leave 3\n");
  CHECK(read_back(directory.file("t"), 1ULL << 32).text == "1 enter 4\n2 leave 4\n");
}

TEST_CASE("going back in time is a mistake of the script") {
  auto t = TraceBuilder(1).enter(0, "main", at(2));
  CHECK_THROWS_WITH(t.leave(0, at(1)), "trace script: rank 0 goes back in time at tick 1000000000");
}

TEST_CASE("bytes of collectives are those that tracers record") {
  // 4 ranks, 8 bytes each, root 0: the values of rank 1.
  const auto check = [](const char* name, std::uint64_t sent, std::uint64_t received) {
    INFO(name);
    const auto b = collective_bytes(collective_operation(name), 4, 1, 0, 8);
    CHECK(b.sent == sent);
    CHECK(b.received == received);
  };
  check("MPI_Barrier", 0, 0);
  check("MPI_Bcast", 0, 8);
  check("MPI_Gather", 8, 0);
  check("MPI_Scatterv", 0, 8);
  check("MPI_Reduce", 8, 0);
  check("MPI_Iallreduce", 32, 32);
  check("MPI_Alltoall", 32, 32);
  check("MPI_Scan", 24, 16);
  check("MPI_Exscan", 16, 8);
  CHECK(collective_operation("MPI_Ireduce_scatter_block") == 16);
  CHECK_THROWS_AS(collective_operation("MPI_Send"), std::invalid_argument);
}
