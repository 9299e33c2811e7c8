// SPDX-License-Identifier: BSD-3-Clause
// Regions that are for a device, in programs that GCC compiled: calls of the host, which waits for
// the device or does the work itself.
#include "tracer/sources/openmp/runtime_functions.hpp"
#include "tracer/sources/openmp/team.hpp"

namespace latecomer::openmp {
namespace {

// The writer of this thread, inside a team or not; null: not recorded.
[[gnu::always_inline]] inline ThreadWriter* host_writer() {
  return session::detail::thread_state.in_team ? session::writer() : maker_writer();
}

template <typename Call>
[[gnu::always_inline]] inline void on_host(Construct construct, std::uintptr_t place, Call&& call) {
  ThreadWriter* const w = host_writer();
  const RegionId region = w == nullptr ? 0 : region_of(construct, place);
  if (region == 0) return call();
  if (session::detail::thread_state.in_team) {
    enter(*w, region);
  } else {
    session::note_call_path(w);
    w->enter(region, session::now());
  }
  call();
  ThreadWriter* const after = session::writer();
  if (after != nullptr) after->leave(region, session::now());
}

}  // namespace
}  // namespace latecomer::openmp

using namespace latecomer::openmp;

extern "C" {

// Without the runtime's function the host does the work.
void GOMP_target_ext(int device, void (*body)(void*), std::size_t count, void** addresses,
                     std::size_t* sizes, unsigned short* kinds, unsigned flags, void** depend,
                     void** arguments) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(target_ext, place);
  if (real == nullptr) return body(addresses);
  on_host(Construct::kTarget, place,
          [&] { real(device, body, count, addresses, sizes, kinds, flags, depend, arguments); });
}

void GOMP_target_data_ext(int device, std::size_t count, void** addresses, std::size_t* sizes,
                          unsigned short* kinds) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(target_data_ext, place);
  if (real == nullptr) return;
  on_host(Construct::kTargetData, place, [&] { real(device, count, addresses, sizes, kinds); });
}

void GOMP_target_end_data() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(target_end_data, place);
  if (real != nullptr) on_host(Construct::kTargetData, place, real);
}

void GOMP_target_update_ext(int device, std::size_t count, void** addresses, std::size_t* sizes,
                            unsigned short* kinds, unsigned flags, void** depend) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(target_update_ext, place);
  if (real == nullptr) return;
  on_host(Construct::kTargetUpdate, place,
          [&] { real(device, count, addresses, sizes, kinds, flags, depend); });
}

void GOMP_target_enter_exit_data(int device, std::size_t count, void** addresses,
                                 std::size_t* sizes, unsigned short* kinds, unsigned flags,
                                 void** depend) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(target_enter_exit_data, place);
  if (real == nullptr) return;
  on_host(Construct::kTargetUpdate, place,
          [&] { real(device, count, addresses, sizes, kinds, flags, depend); });
}

}  // extern "C"
