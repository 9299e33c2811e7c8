// SPDX-License-Identifier: BSD-3-Clause
// Calls without communication, of which only enter and leave are recorded.
#pragma once

#include "tracer/session/process/session.hpp"

namespace latecomer::mpi {

// Runs a call without communication that a filter leaves out.
template <typename F>
[[gnu::noinline]] int quiet_call(session::ThreadWriter* writer, F&& f) {
  const session::Suspend inside(writer);
  return f();
}

// Records a call without communication: enter, call, leave.
template <typename F>
int plain_call(session::ThreadWriter* writer, RegionId region, F&& f) {
  struct Leave {
    ~Leave() {
      const record::Ticks t = session::now();
      if (session::has_switches()) [[unlikely]]
        session::detail::record_switches(writer, t);
      writer->live_state().left(t);
      writer->leave(region, t);
    }
    session::ThreadWriter* writer;
    RegionId region;
  };
  writer->enter(region, session::now());
  const Leave leave{writer, region};
  const session::Suspend inside(writer, false);
  return f();
}

}  // namespace latecomer::mpi
