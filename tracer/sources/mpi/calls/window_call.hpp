// SPDX-License-Identifier: BSD-3-Clause
// The recipes that make and free windows.
#pragma once

#include <mpi.h>

#include "tracer/session/process/session.hpp"
#include "tracer/sources/mpi/objects/communicators.hpp"
#include "tracer/sources/mpi/objects/windows.hpp"

namespace latecomer::mpi {

// A call that makes or frees a window. It is tracked while recording is off, too.
class WindowCall {
 public:
  explicit WindowCall(record::RegionId region);
  ~WindowCall();
  WindowCall(const WindowCall&) = delete;
  WindowCall& operator=(const WindowCall&) = delete;
  [[nodiscard]] static bool wanted() { return communicators::known(); }

  template <typename F>
  void run(F&& f) {
    const session::Suspend inside(writer_);
    result_ = f();
  }
  int end();

  void begin(MPI_Comm comm);
  void created(MPI_Comm comm, const MPI_Win* win);    // in memory of the program
  void allocated(MPI_Comm comm, const MPI_Win* win);  // in memory of MPI
  void begin_free(const MPI_Win* win);
  void freed();

 private:
  session::ThreadWriter* writer_;  // null: not recording
  record::RegionId region_;
  record::Ticks time_ = 0;  // time of entry
  int result_ = MPI_SUCCESS;
  bool ended_ = false;
  MPI_Win handle_ = MPI_WIN_NULL;  // handle to be freed
  WindowInfo* info_ = nullptr;
  std::uint32_t op_ = 0;      // 0: no record at the end
  CommInfo* comm_ = nullptr;  // communicator of a new window
};

}  // namespace latecomer::mpi
