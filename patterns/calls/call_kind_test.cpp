// SPDX-License-Identifier: BSD-3-Clause
// Kinds of calls, by region name.
#include "patterns/calls/call_kind.hpp"

#include <catch2/catch.hpp>

using namespace latecomer::patterns;

TEST_CASE("calls that start and end MPI") {
  CHECK(call_kind("MPI_Init") == CallKind::kInit);
  CHECK(call_kind("MPI_Init_thread") == CallKind::kInit);
  CHECK(call_kind("MPI_Finalize") == CallKind::kFinalize);
  CHECK(call_kind("MPI_Initialized") == CallKind::kOther);
  CHECK(call_kind("MPI_Finalized") == CallKind::kOther);
}

TEST_CASE("calls that complete requests") {
  CHECK(call_kind("MPI_Test") == CallKind::kTest);
  CHECK(call_kind("MPI_Testany") == CallKind::kTest);
  CHECK(call_kind("MPI_Testall") == CallKind::kTest);
  CHECK(call_kind("MPI_Testsome") == CallKind::kTest);
  CHECK(call_kind("MPI_Wait") == CallKind::kWaitSingle);
  CHECK(call_kind("MPI_Waitany") == CallKind::kWaitSingle);
  CHECK(call_kind("MPI_Waitall") == CallKind::kWaitMultiple);
  CHECK(call_kind("MPI_Waitsome") == CallKind::kWaitMultiple);
}

TEST_CASE("calls that ask for messages") {
  for (const char* name : {"MPI_Probe", "MPI_Mprobe", "mpi_probe"}) {
    CHECK(call_kind(name) == CallKind::kProbe);
  }
  for (const char* name : {"MPI_Iprobe", "MPI_Improbe"}) {
    CHECK(call_kind(name) == CallKind::kProbeNow);
  }
  for (const char* name : {"MPI_Mprobe", "MPI_Improbe", "MPI_Mrecv", "MPI_IMRECV"}) {
    CHECK(is_matched(name));
  }
  for (const char* name : {"MPI_Probe", "MPI_Iprobe", "MPI_Recv", "MPI_Irecv"}) {
    CHECK_FALSE(is_matched(name));
  }
}

TEST_CASE("names are compared whole and without case") {
  CHECK(call_kind("mpi_waitall") == CallKind::kWaitMultiple);
  CHECK(call_kind("MPI_TEST") == CallKind::kTest);
  CHECK(call_kind("MPI_Test_cancelled") == CallKind::kOther);
  CHECK(call_kind("MPI_Win_wait") == CallKind::kOther);
  CHECK(call_kind("wait") == CallKind::kOther);
  CHECK(call_kind("") == CallKind::kOther);
}

TEST_CASE("calls that all processes of a file make together") {
  using enum CollectiveOperation;
  CHECK(file_operation("MPI_File_open") == kFileOpen);
  CHECK(file_operation("mpi_file_close") == kFileClose);
  CHECK(file_operation("MPI_File_sync") == kFileSync);
  for (const char* name : {"MPI_File_read_all", "MPI_File_read_at_all_c", "MPI_File_read_ordered",
                           "MPI_File_read_all_begin", "MPI_File_read_ordered_begin_c"}) {
    CHECK(file_operation(name) == kFileRead);
  }
  for (const char* name : {"MPI_File_write_all_c", "MPI_File_write_at_all_begin"}) {
    CHECK(file_operation(name) == kFileWrite);
  }
  CHECK(file_operation("MPI_File_read_ordered_end") == kFileReadEnd);
  CHECK(file_operation("MPI_File_write_at_all_end") == kFileWriteEnd);
  for (const char* name : {"MPI_File_set_view", "MPI_File_set_size", "MPI_File_preallocate",
                           "MPI_File_seek_shared", "MPI_File_set_info", "MPI_File_set_atomicity"}) {
    CHECK(file_operation(name) == kFileSet);
  }
  for (const char* name :
       {"MPI_File_read", "MPI_File_write_at", "MPI_File_read_shared", "MPI_File_iwrite_all",
        "MPI_File_iread_at_all_c", "MPI_File_seek", "MPI_File_set_errhandler", "MPI_File_get_size",
        "MPI_Allreduce", "open", ""}) {
    INFO(name);
    CHECK_FALSE(file_operation(name));
  }
}

TEST_CASE("how calls send") {
  using latecomer::patterns::send_mode;
  using latecomer::patterns::SendMode;
  for (const char* name : {"MPI_Send", "MPI_Isend", "mpi_send", "MPI_Send_init", "MPI_Send_c"}) {
    INFO(name);
    CHECK(send_mode(name) == SendMode::kStandard);
  }
  for (const char* name : {"MPI_Ssend", "MPI_Issend", "MPI_Ssend_init"}) {
    INFO(name);
    CHECK(send_mode(name) == SendMode::kSynchronous);
  }
  for (const char* name : {"MPI_Bsend", "MPI_Ibsend", "MPI_Rsend", "MPI_Irsend"}) {
    INFO(name);
    CHECK(send_mode(name) == SendMode::kUnblocked);
  }
  for (const char* name : {"MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Isendrecv"}) {
    INFO(name);
    CHECK(send_mode(name) == SendMode::kSendrecv);
  }
  CHECK(send_mode("MPI_Start") == SendMode::kPersistent);
  CHECK(send_mode("MPI_Startall") == SendMode::kPersistent);
  CHECK(send_mode("MPI_Pready") == SendMode::kPersistent);
  CHECK(send_mode("MPI_Pready_list") == SendMode::kPersistent);
  for (const char* name : {"MPI_Recv", "MPI_Irecv", "MPI_Init", "MPI_", "MPI_I", "send", ""}) {
    INFO(name);
    CHECK(send_mode(name) == SendMode::kNone);
  }
}

TEST_CASE("calls that begin and end epochs of one-sided communication") {
  CHECK(epoch_call("MPI_Win_post") == EpochCall::kPost);
  CHECK(epoch_call("MPI_Win_start") == EpochCall::kStart);
  CHECK(epoch_call("MPI_Win_complete") == EpochCall::kComplete);
  CHECK(epoch_call("MPI_WIN_WAIT") == EpochCall::kWait);
  CHECK(epoch_call("MPI_Win_test") == EpochCall::kTest);
  CHECK(epoch_call("MPI_Win_flush_all") == EpochCall::kFlush);
  CHECK(epoch_call("MPI_Win_flush_local") == EpochCall::kNone);
  CHECK(epoch_call("MPI_Win_fence") == EpochCall::kNone);
}
