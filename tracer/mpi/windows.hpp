// SPDX-License-Identifier: BSD-3-Clause
// Windows of this process: local ids, numbers on which all members agree, and open transfers.
#pragma once

#include <mpi.h>

#include "tracer/mpi/communicators.hpp"
#include "tracer/record/writer.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::mpi {

namespace windows {

// Adds a new window. All members of the communicator make their windows in the same order, so its
// number there identifies it. Null if the communicator is unknown.
WindowInfo* add(MPI_Win win, MPI_Comm comm);
[[nodiscard]] WindowInfo* find(MPI_Win win);
// Forgets a window that is about to be freed; restores it if MPI refused to free it.
WindowInfo* remove(MPI_Win win);
void restore(MPI_Win win, WindowInfo* info);
// Logs the name that the program gave to a window.
void set_name(MPI_Win win);

// Logs the members of a group the first time. kNoGroup if it has processes of other worlds.
std::uint32_t group_of(MPI_Group group);

}  // namespace windows

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
  std::uint32_t op_ = 0;  // 0: no record at the end
};

}  // namespace latecomer::mpi
