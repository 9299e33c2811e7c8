// SPDX-License-Identifier: BSD-3-Clause
// `single` in programs that GCC compiled. The compiler calls a function where it begins. The thread
// that executes it is in its region until its next barrier or work-sharing construct.
//
// With `copyprivate` there is a call at the end, too, in which the others get the values:
//
//   executor   copy_start (null) | the block | copy_end: the barrier
//   others     copy_start: the barrier
#include <algorithm>

#include "tracer/sources/openmp/runtime_functions.hpp"
#include "tracer/sources/openmp/worksharing.hpp"

namespace latecomer::openmp {
namespace {

using session::detail::thread_state;

// A barrier that follows belongs to the construct.
void barrier_follows(std::uintptr_t place) {
  thread_state.single = process().openmp.singles.find(place);
  thread_state.single_since = 0;
}

void execute(ThreadWriter& w, std::uintptr_t place) {
  const RegionId region = region_of(Construct::kSingle, place);
  if (region == 0) return;
  enter(w, region);
  thread_state.worksharing = region;
}

}  // namespace
}  // namespace latecomer::openmp

using namespace latecomer;
using namespace latecomer::openmp;

extern "C" {

bool GOMP_single_start() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(single_start, place);
  if (real == nullptr) return true;
  end_work();
  const bool executes = real();
  ThreadWriter* const w = member_writer();
  if (w == nullptr) return executes;
  SinglePlace* const single = process().openmp.singles.find(place);
  if (executes && single->ends_at_next()) execute(*w, place);
  thread_state.single = single;
  thread_state.single_since = executes ? 0 : session::now();
  return executes;
}

void* GOMP_single_copy_start() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(single_copy_start, place);
  if (real == nullptr) return nullptr;
  end_work();
  ThreadWriter* const w = member_writer();
  const RegionId barrier = w == nullptr ? 0 : region_of(Construct::kImplicitBarrier, place);
  if (barrier == 0) return real();
  const record::Ticks since = session::now();
  void* const values = real();
  if (values == nullptr) {
    if (member_writer() != nullptr) execute(*w, place);
    return values;
  }
  // Only now is it known that this thread has waited. It may have executed tasks meanwhile.
  // member_writer() would take samples first, which are later than the begin of the wait.
  if (thread_state.paths != nullptr) w->call_path(thread_state.team_path);
  w->enter(barrier, std::max(since, w->last_time()));
  w->leave(barrier, session::now());
  barrier_follows(place);
  return values;
}

void GOMP_single_copy_end(void* values) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(single_copy_end, place);
  if (real == nullptr) return;
  end_work();
  ThreadWriter* const w = member_writer();
  around(w, w == nullptr ? 0 : region_of(Construct::kImplicitBarrier, place),
         [=] { real(values); });
  if (w != nullptr) barrier_follows(place);
}

}  // extern "C"
