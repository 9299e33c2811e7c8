// SPDX-License-Identifier: BSD-3-Clause
// Exceptions that an error handler throws leave the MPI call, even through the tracer.
#include <stdexcept>
#include <string>

extern "C" {
#include "conform.h"
}

namespace {

int alive = 0;

struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
};

void throw_error(MPI_Comm*, int* code, ...) { throw std::runtime_error(std::to_string(*code)); }

template <typename F>
bool throws(F&& call) {
  try {
    const Counted guard;
    call();
  } catch (const std::runtime_error&) {
    return alive == 0;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  MPI_Errhandler handler;
  MPI_Comm comm;
  int value = 0, in = -1;
  OK(MPI_Comm_create_errhandler(throw_error, &handler));
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  OK(MPI_Comm_set_errhandler(comm, handler));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
  CHECK(throws([&] { MPI_Send(&value, 1, MPI_INT, size, 0, comm); }));
  CHECK(throws([&] { MPI_Bcast(&value, 1, MPI_INT, size, comm); }));
  CHECK(throws([&] { MPI_Comm_split(comm, 0, 0, nullptr); }));
  CHECK(throws([&] { MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER); }));
  // MPI works as before.
  OK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT,
                  (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE));
  CHECK(in == (rank + size - 1) % size);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  OK(MPI_Comm_free(&comm));
  OK(MPI_Errhandler_free(&handler));
  records("MPI_SEND", 1);
  records("MPI_RECV", 1);
  records("COMM_CREATE", 3);
  records("COMM_DESTROY", 3);
  records("ENTER", 16);
  records("LEAVE", 16);
  write_expected();
  OK(MPI_Finalize());
  if (rank == 0) puts("ok");
  return 0;
}
