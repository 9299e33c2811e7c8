// SPDX-License-Identifier: BSD-3-Clause
// Records of file operations: the bytes, and which kind of time the completing calls are.
#include <catch2/catch.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

namespace {

constexpr auto kReads = OTF2_IO_OPERATION_MODE_READ;
constexpr auto kWrites = OTF2_IO_OPERATION_MODE_WRITE;

// Handle 0 belongs to MPI-IO, handle 1 to another library.
TraceBuilder with_files(int ranks) {
  TraceBuilder t(ranks);
  t.model().files = true;
  return t;
}

void begins(TraceBuilder& t, double time, OTF2_IoOperationMode mode, std::uint64_t bytes,
            std::uint64_t id, std::uint32_t handle = 0) {
  t.raw(0, at(time), [=](OTF2_EvtWriter* out, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_IoOperationBegin(out, nullptr, stamp, handle, mode, OTF2_IO_OPERATION_FLAG_NONE,
                                    bytes, id);
  });
}
void ends(TraceBuilder& t, double time, std::uint64_t bytes, std::uint64_t id,
          std::uint32_t handle = 0) {
  t.raw(0, at(time), [=](OTF2_EvtWriter* out, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_IoOperationComplete(out, nullptr, stamp, handle, bytes, id);
  });
}
void cancels(TraceBuilder& t, double time, std::uint64_t id) {
  t.raw(0, at(time), [=](OTF2_EvtWriter* out, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_IoOperationCancelled(out, nullptr, stamp, 0, id);
  });
}
// A call that does a complete operation.
void whole(TraceBuilder& t, const char* function, double enter, double exit,
           OTF2_IoOperationMode mode, std::uint64_t asked, std::uint64_t got) {
  t.enter(0, function, at(enter));
  begins(t, enter, mode, asked, 7);
  ends(t, exit, got, 7);
  t.leave(0, at(exit));
}
// A call that only begins an operation.
void start(TraceBuilder& t, const char* function, double enter, OTF2_IoOperationMode mode,
           std::uint64_t bytes, std::uint64_t id) {
  t.enter(0, function, at(enter));
  begins(t, enter, mode, bytes, id);
  t.leave(0, at(enter));
}

}  // namespace

TEST_CASE("files: bytes by kind of access, as they were moved") {
  auto t = with_files(2);
  whole(t, "MPI_File_read", 1, 2, kReads, 100, 60);  // the file ended
  whole(t, "MPI_File_write_at", 2, 3, kWrites, 30, 30);
  whole(t, "MPI_File_write_at", 3, 4, kWrites, 5, 5);
  whole(t, "MPI_File_read_all", 4, 5, kReads, 7, 7);
  whole(t, "MPI_File_write_ordered", 5, 6, kWrites, 11, 11);
  whole(t, "MPI_File_read_shared", 6, 7, kReads, 9, OTF2_UNDEFINED_UINT64);  // unknown
  const auto report = analyze(t);
  CHECK(report.metric("mpi_file_irbytes").at(rank(0), path("MPI_File_read")) == 60);
  CHECK(report.metric("mpi_file_irbytes").total() == 60);
  CHECK(report.metric("mpi_file_iwbytes").at(rank(0), path("MPI_File_write_at")) == 30 + 5);
  CHECK(report.metric("mpi_file_ibytes").total() == 60 + 35);
  CHECK(report.metric("mpi_file_crbytes").at(path("MPI_File_read_all")) == 7);
  CHECK(report.metric("mpi_file_cwbytes").at(path("MPI_File_write_ordered")) == 11);
  CHECK(report.metric("mpi_file_cbytes").total() == 18);
  CHECK(report.metric("mpi_file_bytes").total() == 60 + 35 + 18);
  CHECK(report.metric("mpi_file_ops").total() == 6);
}

TEST_CASE("files: no bytes where they are not recorded, nor with the rules of the base") {
  TraceBuilder without(1);
  without.call(0, "MPI_File_read", at(1), leave(2));
  CHECK_FALSE(analyze(without).has_metric("mpi_file_bytes"));
  auto t = with_files(1);
  whole(t, "MPI_File_read", 1, 2, kReads, 4, 4);
  replay::Options options;
  options.scalasca_compatible = true;
  CHECK_FALSE(analyze(t, options).has_metric("mpi_file_bytes"));
  CHECK(analyze(t).metric("mpi_file_bytes").total() == 4);
}

TEST_CASE("files: records of another library, inside of MPI or not, are not MPI's") {
  auto t = with_files(1);
  t.enter(0, "read", at(1));
  begins(t, 1, kReads, 50, 1, 1);
  ends(t, 2, 50, 1, 1);
  t.leave(0, at(2)).enter(0, "MPI_File_read", at(3));
  begins(t, 3, kReads, 50, 1);
  t.enter(0, "read", at(3));
  begins(t, 3, kReads, 64, 1, 1);
  ends(t, 4, 64, 1, 1);
  t.leave(0, at(4));
  ends(t, 5, 50, 1);
  t.leave(0, at(5));
  CHECK(analyze(t).metric("mpi_file_bytes").total() == 50);
}

TEST_CASE("files: time in the calls that complete operations is file I/O") {
  // iread at 1 completes in MPI_Wait 2..5. iwrite_all at 6 is tested unsuccessfully 7..8 and
  // completes in the test 9..11. Bytes are booked where the operations began.
  auto t = with_files(1);
  start(t, "MPI_File_iread", 1, kReads, 20, 1);
  t.enter(0, "MPI_Wait", at(2));
  ends(t, 5, 20, 1);
  t.leave(0, at(5));
  start(t, "MPI_File_iwrite_all", 6, kWrites, 30, 1);
  t.test(0, at(7), leave(8)).enter(0, "MPI_Test", at(9));
  ends(t, 11, 30, 1);
  t.leave(0, at(11));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_io_individual").at(path("MPI_Wait")) == 3_s);
  CHECK(report.metric("mpi_io_collective").at(path("MPI_Test")) == 1_s + 2_s);
  CHECK(report.metric("mpi_io").total() == 6_s);
  CHECK(report.metric("mpi_point2point").total() == 0);
  CHECK(report.metric("mpi_communication").total() == 0);
  CHECK(report.metric("mpi").total() == 6_s);
  CHECK(report.metric("mpi_file_irbytes").at(path("MPI_File_iread")) == 20);
  CHECK(report.metric("mpi_file_cwbytes").at(path("MPI_File_iwrite_all")) == 30);
  CHECK(report.metric("polling").total() == 3_s);
  replay::Options options;
  options.scalasca_compatible = true;
  CHECK(analyze(t, options).metric("mpi_point2point").total() == 6_s);
}

TEST_CASE("files: calls that complete messages as well count as point-to-point") {
  // MPI_Waitall 2..6 completes a read and a message whose send enters at 4: 2 s of Late Sender.
  auto t = with_files(2);
  t.irecv(0, at(0), from(1), req(1));
  start(t, "MPI_File_iread", 1, kReads, 20, 1);
  t.enter(0, "MPI_Waitall", at(2));
  ends(t, 6, 20, 1);
  t.raw(0, at(6), [](OTF2_EvtWriter* out, OTF2_TimeStamp stamp) {
    OTF2_EvtWriter_MpiIrecv(out, nullptr, stamp, 1, 0, 0, 8, 1);
  });
  t.leave(0, at(6)).send(1, at(4), to(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_point2point").at(rank(0), path("MPI_Waitall")) == 4_s);
  CHECK(report.metric("mpi_latesender").total() == 2_s);
  CHECK(report.metric("mpi_io").total() == 0);
  CHECK(report.metric("mpi_file_bytes").total() == 20);
}

TEST_CASE("files: operations that never end, were cancelled, or never began") {
  auto t = with_files(1);
  start(t, "MPI_File_iread", 1, kReads, 20, 1);
  start(t, "MPI_File_iread", 2, kReads, 20, 2);
  t.enter(0, "MPI_Wait", at(3));
  cancels(t, 3, 1);
  ends(t, 4, 20, 1);  // but the operation was cancelled
  ends(t, 4, 20, 9);
  t.leave(0, at(4));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_file_bytes").total() == 0);
  CHECK(report.metric("mpi_point2point").total() == 1_s);
}
