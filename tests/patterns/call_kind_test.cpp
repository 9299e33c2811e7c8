// SPDX-License-Identifier: BSD-3-Clause
// Kinds of calls by region name.
#include "patterns/call_kind.hpp"

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

TEST_CASE("names are compared whole and without case") {
  CHECK(call_kind("mpi_waitall") == CallKind::kWaitMultiple);
  CHECK(call_kind("MPI_TEST") == CallKind::kTest);
  CHECK(call_kind("MPI_Test_cancelled") == CallKind::kOther);
  CHECK(call_kind("MPI_Win_wait") == CallKind::kOther);
  CHECK(call_kind("wait") == CallKind::kOther);
  CHECK(call_kind("") == CallKind::kOther);
}
