// SPDX-License-Identifier: BSD-3-Clause
// The state of the measurement in this process.
#pragma once

#include "tracer/state/blocking_state.hpp"
#include "tracer/state/file_state.hpp"
#include "tracer/state/mpi_state.hpp"
#include "tracer/state/openmp_state.hpp"
#include "tracer/state/posix_state.hpp"
#include "tracer/state/session_state.hpp"
#include "tracer/state/user_state.hpp"

namespace latecomer {

// All that the measurement library remembers, except what each thread has of its own
// (thread_state.hpp). Each part belongs to the folder whose name it has, which changes it.
struct Process {
  session::TimerState timer;
  session::SessionState session;
  session::LessState less;
  session::ClockPointState clock_points;
  session::WorldState world;
  mpi::MpiState mpi;
  user::UserState user;
  files::FileState files;
  openmp::OpenMpState openmp;
  posix::PosixState posix;
  blocking::BlockingState blocking;
};

namespace storage {

// Has no destructor that does anything: threads, signal handlers and destructors of the program may
// record until the process has ended.
union Forever {
  constexpr Forever() : process() {}
  ~Forever() {}
  Process process;
};

// The program may call before any constructor of this library has run, so none is needed. The
// symbol is hidden: then its address is part of the instructions, and finding it costs nothing.
extern constinit Forever forever [[gnu::visibility("hidden")]];

}  // namespace storage

inline Process& process() { return storage::forever.process; }

}  // namespace latecomer
