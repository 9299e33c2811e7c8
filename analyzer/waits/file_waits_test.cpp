// SPDX-License-Identifier: BSD-3-Clause
// Waits at collective calls on files: traces of a few lines, the arithmetic, the exact numbers.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

namespace {

constexpr const char* kAccess = "mpi_io_collective_wait";
constexpr const char* kManagement = "mpi_mgmt_file_wait";

std::int64_t quality(const AnalyzedTrace& report, const std::string& name) {
  for (const auto& one : report.extras()["quality"]) {
    if (one["name"] == name) return one["count"].get<std::int64_t>();
  }
  return 0;
}

}  // namespace

TEST_CASE("wait at files: where nobody leaves before the last one comes") {
  // enter 3 9 4, leave 10 11 10: the earliest leave is 10, after 9: waits 6 0 5. Then enter 13 19
  // 14, leave 15 20 20: rank 0 left at 15, before 19: no process waited.
  for (const auto& [name, metric] :
       {std::pair("MPI_File_open", kManagement), std::pair("MPI_File_close", kManagement),
        std::pair("MPI_File_sync", kManagement), std::pair("MPI_File_set_view", kManagement),
        std::pair("MPI_File_write_all", kAccess), std::pair("MPI_File_read_at_all_c", kAccess),
        std::pair("MPI_File_write_ordered", kAccess),
        std::pair("MPI_File_read_ordered_begin", kAccess),
        std::pair("MPI_File_write_at_all_end", kAccess)}) {
    TraceBuilder t(3);
    const auto file = t.file();
    t.file_call(name, file, {{3, 10}, {9, 11}, {4, 10}});
    t.file_call(name, file, {{13, 15}, {19, 20}, {14, 20}});
    const auto report = analyze(t);
    INFO(name);
    CHECK(report.metric(metric).at(rank(0), path(name)) == 6_s);
    CHECK(report.metric(metric).at(rank(1)) == 0);
    CHECK(report.metric(metric).at(rank(2)) == 5_s);
    CHECK(report.metric(kAccess).total() + report.metric(kManagement).total() == 11_s);
    // Time in all calls, waits included: 7 + 2 + 6 and 2 + 1 + 6.
    const bool access = metric == kAccess;
    CHECK(report.metric(access ? "mpi_io_collective" : "mpi_mgmt_file").total() == 24_s);
    CHECK(report.metric("mpi_io_individual").total() == 0);
    CHECK(report.metric("syncs_coll").total() == 0);
    CHECK(report.metric("comms_coll").total() == 0);
    CHECK_FALSE(report.partial());
    CHECK_FALSE(analyze(t, compatible()).has_metric(metric));
    CHECK_FALSE(analyze(t, compatible()).has_metric("delay_file"));
  }
}

TEST_CASE("wait at files: calls of one process, or with a request, do not count") {
  // MPI_File_write_at involves no other process. MPI_File_iwrite_all only begins the operation and
  // does not wait.
  TraceBuilder t(2);
  const auto file = t.file();
  t.file_call("MPI_File_write_at", file, {{1, 5}, {4, 5}});
  t.file_call("MPI_File_iwrite_all", file, {{6, 9}, {8, 9}});
  t.file_call("MPI_File_get_size", file, {{10, 13}, {12, 13}});
  // They do not count for the order either: rank 0 calls MPI_File_read in addition.
  t.file_call("MPI_File_read", file, {{13, 14}, absent});
  t.file_call("MPI_File_read_all", file, {{14, 17}, {16, 17}});
  const auto report = analyze(t);
  CHECK(report.metric(kAccess).at(rank(0), path("MPI_File_read_all")) == 2_s);
  CHECK(report.metric(kAccess).total() == 2_s);
  CHECK(report.metric(kManagement).total() == 0);
  CHECK_FALSE(report.partial());
}

TEST_CASE("wait at files: an archive without files cannot name calls on them") {
  // 71 is Latecomer's own number of MPI_File_write_all; as an operation of an archive it is
  // unknown.
  TraceBuilder t(2);
  for (const std::uint32_t process : {0U, 1U}) {
    t.enter(process, "MPI_Barrier", at(1 + 2 * process));
    t.raw(process, at(4), [](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
      OTF2_EvtWriter_MpiCollectiveEnd(w, nullptr, at, 71, 0, OTF2_UNDEFINED_UINT32, 8, 8);
    });
    t.leave(process, at(5));
  }
  const auto report = analyze(t);
  CHECK_FALSE(report.has_metric(kAccess));
  CHECK(report.metric("mpi").total() == 6_s);
}

TEST_CASE("wait at files: each file counts its own, beside collectives of the communicator") {
  // Ranks 1 and 2. File a: enter 1 3 -> 2. Then a barrier. File b: enter 6 5 -> 1.
  TraceBuilder t(3);
  const auto pair = t.communicator({1, 2});
  const auto a = t.file(pair), b = t.file(pair), own = t.file(self);
  t.file_call("MPI_File_write_all", a, {{1, 4}, {3, 4}});
  t.collective("MPI_Barrier", {{4, 4.5}, {4, 4.5}}, on(pair));
  t.file_call("MPI_File_write_all", b, {{6, 7}, {5, 7}});
  t.file_call("MPI_File_close", b, {{8, 9}, {8, 9}});
  t.file_call("MPI_File_read_all", a, {{10, 12}, {11, 12}});
  static_cast<void>(own);
  const auto report = analyze(t);
  CHECK(report.metric(kAccess).at(rank(1)) == 2_s + 1_s);
  CHECK(report.metric(kAccess).at(rank(2)) == 1_s);
  CHECK(report.metric(kManagement).total() == 0);
  CHECK(report.metric("mpi_barrier_wait").total() == 0);
  CHECK_FALSE(report.partial());
}

TEST_CASE("wait at files: grid version, metahost pairs, statistics, worst instance") {
  auto t = TraceBuilder(3).metahost(1, "A", {0}).metahost(2, "B", {1, 2});
  const auto file = t.file();
  t.file_call("MPI_File_open", file, {{1, 2}, {1, 2}, {1, 2}});
  t.file_call("MPI_File_write_all", file, {{3, 10}, {9, 11}, {4, 10}});
  t.file_call("MPI_File_write_all", file, {{12, 14}, {13, 14}, {13, 14}});
  const auto report = analyze(t);
  CHECK(report.metric("grid_io_collective_wait").total() == 11_s + 1_s);
  CHECK(report.metric("metahost_pairs_io_collective_wait_1_2").total() == 6_s + 1_s);
  CHECK(report.metric("metahost_pairs_io_collective_wait_2_2").total() == 5_s);
  CHECK(report.metric("grid_io_collective").total() == 7_s + 2_s + 6_s + 2_s + 1_s + 1_s);
  CHECK(report.metric("grid_mgmt_file").total() == 3_s);
  // Processes waited 6, 5 and 1; the worst operation is the first, 6 + 5, whose cause is rank 1.
  const auto& statistics = report.extras()["statistics"][kAccess];
  CHECK(statistics["count"] == 3);
  CHECK(statistics["worst"][0]["seconds"] == 11);
  CHECK(statistics["worst"][0]["waiting_ranks"] == 2);
  CHECK(statistics["worst"][0]["longest"] == 6);
  CHECK(statistics["worst"][0]["rank"] == 0);
  CHECK(statistics["maximum"] == 6);
  CHECK(statistics["worst"][0]["cause_rank"] == 1);
}

TEST_CASE("wait at files: what is incomplete is left out, and counted") {
  // Rank 1 never comes to the second write. The processes of handle 0 are unknown.
  TraceBuilder t(2);
  const auto file = t.file();
  t.file_call("MPI_File_write_all", file, {{1, 4}, {3, 4}});
  t.file_call("MPI_File_write_all", file, {{5, 9}, absent});
  t.enter(0, "MPI_File_read_all", at(10));
  t.raw(0, at(10), [](OTF2_EvtWriter* w, OTF2_TimeStamp time) {
    OTF2_EvtWriter_IoOperationBegin(w, nullptr, time, 0, OTF2_IO_OPERATION_MODE_READ,
                                    OTF2_IO_OPERATION_FLAG_COLLECTIVE, 8, 1);
  });
  t.leave(0, at(12));
  const auto report = analyze(t);
  CHECK(report.metric(kAccess).total() == 2_s);
  CHECK(quality(report, "unmatched_collectives") == 1);
  CHECK(quality(report, "unknown_file_groups") == 1);
}

TEST_CASE("wait at files: one waits in a read while the other one writes: not the same call") {
  TraceBuilder t(2);
  const auto file = t.file();
  t.file_call("MPI_File_read_all", file, {{1, 4}, absent});
  t.file_call("MPI_File_write_all", file, {absent, {3, 4}});
  const auto report = analyze(t);
  CHECK(report.metric(kAccess).total() == 0);
  CHECK(quality(report, "unmatched_collectives") == 2);
}

TEST_CASE("wait at files: a call that never ended is no waiting") {
  // Rank 0 is in its write until the run ends; rank 1 left it long before.
  TraceBuilder t(2);
  const auto file = t.file();
  t.file_call("MPI_File_write_all", file, {absent, {3, 4}});
  t.enter(0, "MPI_File_write_all", at(1));
  t.raw(0, at(1), [=](OTF2_EvtWriter* w, OTF2_TimeStamp time) {
    OTF2_EvtWriter_IoOperationBegin(w, nullptr, time, file.id, OTF2_IO_OPERATION_MODE_WRITE,
                                    OTF2_IO_OPERATION_FLAG_COLLECTIVE, 8, 1);
  });
  CHECK(analyze(t).metric(kAccess).total() == 0);
}

TEST_CASE("wait at files: the one that comes late to the file is the cause") {
  // 1 works 1..7: 0 waits in MPI_File_write_all from 3 to 7.
  auto t = TraceBuilder(2);
  const auto file = t.file();
  t.init({{0, 1}, {0, 1}});
  t.enter(1, "work", at(1)).leave(1, at(7));
  t.file_call("MPI_File_write_all", file, {{3, 8}, {7, 8}});
  t.finalize({{10, 10}, {10, 10}});
  const auto report = analyze(t);
  CHECK(report.metric(kAccess).at(rank(0)) == 4_s);
  // Since MPI_Init rank 1 worked 6, rank 0 spent 2 in the program: all of the 4 are explained.
  CHECK(report.metric("delay_file").at(rank(1), path("work")) == 4_s);
  CHECK(report.metric("delay").total() == 4_s);
  CHECK(report.metric("delay_unknown").total() == 0);
  CHECK(report.metric("mpi_wait_direct_file").at(rank(0)) == 4_s);
  CHECK(report.metric("mpi_wait_terminal_file").at(rank(0)) == 4_s);
  // MPI_Init 1, work 6, MPI_File_write_all 1, program 2.
  CHECK(report.metric("critical_path").total() == 10_s);
  CHECK(report.metric("critical_path").at(rank(1), path("work")) == 6_s);
}

TEST_CASE("wait at files: waits lead to waits, from opening to messages") {
  // 1 works 1..7 and opens the file late. 0 waits there from 2 to 7, leaves at 8 and sends then. 2
  // waits for that message from 2 to 8.
  auto t = TraceBuilder(3);
  const auto pair = t.communicator({0, 1});
  const auto file = t.file(pair);
  t.init({{0, 1}, {0, 1}, {0, 1}});
  t.enter(1, "work", at(1)).leave(1, at(7));
  t.file_call("MPI_File_open", file, {{2, 8}, {7, 8}});
  t.send(0, at(8), leave(9), to(2)).recv(2, at(2), leave(10), from(0));
  t.finalize({{12, 12}, {12, 12}, {12, 12}});
  const auto report = analyze(t);
  CHECK(report.metric(kManagement).at(rank(0), path("MPI_File_open")) == 5_s);
  CHECK(report.metric("mpi_latesender").at(rank(2)) == 6_s);
  CHECK(report.metric("delay_file").at(rank(1), path("work")) == 5_s);
  // Since MPI_Init 0 did MPI_File_open 8 - 2 - 5 = 1 longer than 2 and waited 5: these 6 explain
  // all.
  CHECK(report.metric("delay_latesender").at(rank(0), path("MPI_File_open")) == 1_s);
  CHECK(report.metric("delay_latesender_longterm").at(rank(1), path("work")) == 5_s);
  CHECK(report.metric("mpi_wait_propagating_file").at(rank(0)) == 5_s);
  CHECK(report.metric("mpi_wait_indirect_latesender").at(rank(2)) == 5_s);
  CHECK(report.metric("delay").total() == 11_s);
}

TEST_CASE("wait at files: on the ideal network nobody goes on before all are there") {
  // Outside of MPI 0 works 4, then 4 after the write; 1 works 6, then 1.
  //   0   init 0..1   1..5   write 5..9   9..13    finalize 13
  //   1   init 0..1   1..7   write 7..9   9..10    finalize 10..13
  // Together: both are in the write at 6, 0 ends at 6 + 4 = 10. If 1 leaves before 0 has entered,
  // no process waits: 0 ends at 4 + 4 = 8.
  for (const bool together : {true, false}) {
    auto t = TraceBuilder(2);
    const auto file = t.file();
    t.init({{0, 1}, {0, 1}});
    if (together) {
      t.file_call("MPI_File_write_all", file, {{5, 9}, {7, 9}});
    } else {
      t.file_call("MPI_File_write_all", file, {{5, 6.5}, {7, 9}});
      t.enter(0, "MPI_File_get_size", at(6.5)).leave(0, at(9));
    }
    t.finalize({{13, 13}, {10, 13}});
    INFO(together);
    const auto efficiency = analyze(t).extras()["efficiency"];
    CHECK(efficiency["ideal_run_time"].get<double>() == (together ? 10 : 8));
  }
}
