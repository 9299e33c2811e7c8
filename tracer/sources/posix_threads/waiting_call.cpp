// SPDX-License-Identifier: BSD-3-Clause
// Finds writer, call path and region of a call.
#include "tracer/sources/posix_threads/waiting_call.hpp"

namespace latecomer::posix {
namespace {

using session::detail::thread_state;

// Inside the call instruction.
std::uintptr_t place_of(const callpath::CallPlace& place) { return place.caller - 1; }

bool is_region(RegionId region) { return region != 0 && region < kByPath; }

}  // namespace

// Threads that the program has not made, and that have recorded nothing, get no writer here.
WaitingCall::WaitingCall(Call call, const callpath::CallPlace& place) {
  if (!is_recording() || must_pass(place_of(place))) return;
  if (thread_state.info == nullptr && thread_state.early_number == 0) return;
  ThreadWriter* const w = session::writer();
  if (w == nullptr || !w->can_go_on()) return;
  RegionId region = look_up(call, place_of(place));
  if (region == kNotOfProgram) return;
  session::note_call_path(w, place);
  if (region == kByPath) region = look_up_by_path(call, place_of(place), w->call_path());
  if (!is_region(region)) return;
  region_ = region;
  writer_ = w;
}

}  // namespace latecomer::posix
