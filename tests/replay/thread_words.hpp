// SPDX-License-Identifier: BSD-3-Clause
// Score-P's records of OpenMP, as functions for synthetic traces.
#pragma once

#include "tests/support/trace_builder.hpp"

namespace latecomer::test {

inline constexpr const char* kParallel = "!$omp parallel @program.c:3";
inline constexpr const char* kEnd = "!$omp implicit barrier @program.c:9";
inline constexpr const char* kBarrier = "!$omp barrier @program.c:5";
inline constexpr const char* kCritical = "!$omp critical @program.c:6";
inline constexpr std::uint32_t kTeam =
    77;  // communicator of the team: nothing needs its definition

inline void fork(TraceBuilder& t, Place who, double time) {
  t.raw(who, at(time), [](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
    OTF2_EvtWriter_ThreadFork(w, nullptr, at, OTF2_PARADIGM_OPENMP, 2);
  });
}
inline void join(TraceBuilder& t, Place who, double time) {
  t.raw(who, at(time), [](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
    OTF2_EvtWriter_ThreadJoin(w, nullptr, at, OTF2_PARADIGM_OPENMP);
  });
}
inline void begin(TraceBuilder& t, Place who, double time) {
  t.raw(who, at(time), [](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
    OTF2_EvtWriter_ThreadTeamBegin(w, nullptr, at, kTeam);
  });
}
inline void end(TraceBuilder& t, Place who, double time) {
  t.raw(who, at(time), [](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
    OTF2_EvtWriter_ThreadTeamEnd(w, nullptr, at, kTeam);
  });
}
inline void visit(TraceBuilder& t, Place who, const char* region, double from, double to) {
  t.enter(who, region, at(from)).leave(who, region, at(to));
}
inline void lock(TraceBuilder& t, Place who, double time, bool acquire, std::uint32_t order) {
  t.raw(who, at(time), [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
    acquire ? OTF2_EvtWriter_ThreadAcquireLock(w, nullptr, at, OTF2_PARADIGM_OPENMP, 5, order)
            : OTF2_EvtWriter_ThreadReleaseLock(w, nullptr, at, OTF2_PARADIGM_OPENMP, 5, order);
  });
}

// Master: solve 0..20; fork 2, team 2..12, region 3..11, join 13. Thread 1: team 4..12, region
// 5..11. Both end with an implicit barrier until 10, which the master enters at 6, thread 1 at 9.
inline TraceBuilder one_region() {
  auto t = TraceBuilder(1);
  const auto worker = thread_of(0, 1);
  t.enter(0, "solve", at(0));
  fork(t, 0, 2);
  begin(t, 0, 2);
  t.enter(0, kParallel, at(3));
  visit(t, 0, kEnd, 6, 10);
  t.leave(0, kParallel, at(11));
  end(t, 0, 12);
  join(t, 0, 13);
  t.leave(0, "solve", at(20));
  begin(t, worker, 4);
  t.enter(worker, kParallel, at(5));
  visit(t, worker, kEnd, 9, 10);
  t.leave(worker, kParallel, at(11));
  end(t, worker, 12);
  return t;
}

}  // namespace latecomer::test
